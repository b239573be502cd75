# Bad answers to reads, and storages that cannot be reached: each has its SQLSTATE,
# names server, table and partition, and leaves the session and its connection fit
# for the next statement.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use JSON::PP;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('answers');
my $url = $server->url;
my $seconds = 5 * ($ENV{TXSTORE_SLOWNESS} || 1);
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'answers', request_timeout '${seconds}s');
	CREATE SERVER strict FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'missing', create_if_not_exists 'false');
	CREATE SERVER others FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'others');
	CREATE SERVER unkeyed FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', region 'us-east-1', table_name 'answers');
	CREATE FUNCTION outcome_of(call text) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE
		value text;
		detail text;
		hint text;
	BEGIN
		EXECUTE call INTO value;
		RETURN value;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN concat_ws('|', SQLSTATE, SQLERRM, detail, hint);
	END \$\$;
	SELECT put('p', 'wombat1', 'remote');
	SELECT txstore.store('p', l.etag, 'm', ARRAY[txstore.prepare(2, 'wombat2'), txstore.prepare(3, 'wombat3')], storage => 'remote')
		FROM txstore.load('p', 'remote') AS l});
my $session = session($node);
my $load = q{SELECT etag || ' ' || cardinality(pending) FROM txstore.load('p', 'remote')};
my $scan = q{SELECT count(*) FROM txstore.export_items(NULL, 'remote')};

sub outcome
{
	my ($sql) = @_;
	$sql =~ s/'/''/g;
	return result($session, "SELECT outcome_of('$sql')");
}

# The connection that the last request came on.
sub connection { return $server->log->[-1]{connection} }

# How many are open, without the one that asks; one that ends takes a moment.
sub open_connections
{
	my $count;
	foreach (1 .. 100)
	{
		$count = $server->get->{open_connections} - 1;
		last if $count <= 1;
		select undef, undef, undef, 0.02;
	}
	return $count;
}

# Read while the server gives bad answers.
sub check_answer
{
	my ($expected, $sql, $operation, %fault) = @_;
	my $name = "$operation: " . join(' ', map { ref $fault{$_} ? "$_ as given" : "$_ $fault{$_}" } sort keys %fault);
	is(outcome($load), '1 2', "$name: before");
	my $before = connection();
	$server->control(clear_log => \1, faults => [ { operation => $operation, times => undef, %fault } ]);
	my $outcome = outcome($sql);
	$server->control(faults => []);
	like($outcome, qr/^$expected\|/, "$name: SQLSTATE");
	like($outcome, qr/(server|storage) "remote"/, "$name: the server is named");
	like($outcome, $sql eq $load ? qr/partition "p"/ : qr/./, "$name: the partition is named");
	unlike($outcome, qr/wombat|d29tYmF0/, "$name: no payload is shown");
	is(outcome($load), '1 2', "$name: the session is usable");
	is(connection(), $before, "$name: on the same connection") unless $fault{fault} =~ /^big/;
	is(open_connections(), 1, "$name: no other is open");
	return $outcome;
}

# An item, whole but wrong.
foreach my $sql ($load, $scan)
{
	my @operations = $sql eq $load ? ('GetItem', 'Query') : ('Scan');
	foreach my $operation (@operations)
	{
		my $table = qr/table "answers"/;
		like(check_answer('HV00L', $sql, $operation, %$_), $table, 'the table is named') foreach
			{ fault => 'missing_attribute', attribute => 'PartitionKey' },
			{ fault => 'missing_attribute', attribute => 'RowKey' },
			{ fault => 'bad_number', attribute => 'ETag' },
			{ fault => 'bad_number', attribute => 'ETag', value => '' },
			{ fault => 'bad_number', attribute => 'ETag', value => '1.5' },
			{ fault => 'bad_number', attribute => 'ETag', value => '99999999999999999999' },
			{ fault => 'bad_number', attribute => 'ETag', value => 7 },
			{ fault => 'wrong_type', attribute => 'ETag' },
			{ fault => 'wrong_type', attribute => 'RowKey', value => { N => '1' } },
			{ fault => 'bad_base64', attribute => $operation eq 'GetItem' ? 'Metadata' : 'TransactionManager' },
			{ fault => 'items_of_wrong_shape' },
			{ fault => 'items_of_wrong_shape', value => [ [] ] },
			{ fault => 'items_of_wrong_shape', value => [ { PartitionKey => 'p' } ] },
			$operation eq 'GetItem' ? () : { fault => 'empty_object' };
	}
}
check_answer('XX001', $load, 'GetItem', fault => 'missing_attribute', attribute => 'ETag');
like(check_answer('HV00L', $load, $_, fault => 'foreign_partition'), qr/another row/, 'a row of another partition') foreach 'GetItem', 'Query';
like(check_answer('HV00L', $load, 'Query', fault => 'duplicate_row'), qr/not in order/, 'a row twice');
like(check_answer('XX001', $load, 'Query', fault => 'unknown_row'), qr/table "answers"/, 'a row key that is none');
like(check_answer('HV00L', $load, 'Query', fault => 'last_key', value => 'x'), qr/no page/, 'a last key that is none');
like(check_answer('HV00L', $load, 'Query', fault => 'last_key', value => { PartitionKey => { S => 'p' }, RowKey => { S => 'state_0' } }),
	qr/do not go on|not in order/, 'pages that do not go on');

# No item is found where there is one: the pages that follow tell.
is(outcome($load), '1 2', 'before');
$server->control(faults => [ { operation => 'Query', fault => 'empty_page' } ]);
is(outcome($load), '1 2', 'an empty page is not the end');
$server->control(faults => [ { operation => 'GetItem', fault => 'empty_object' } ]);
is(outcome($load), '1 2', 'a key row that appears is read again');
$server->control(faults => []);

# A key row that is hidden every time cannot be told from none; but a store() meets it.
$server->control(faults => [ { operation => 'GetItem', fault => 'empty_object', times => undef } ]);
is(outcome(q{SELECT coalesce(etag, '') FROM txstore.load('p', 'remote')}), '', 'no key row reads as fresh');
like(outcome(q{SELECT txstore.store('p', '', '', ARRAY[txstore.prepare(9, 'x')], storage => 'remote')}), qr/^40001\|/, 'and is met by a store');
$server->control(faults => []);
is(outcome($load), '1 2', 'which has changed nothing');

# Answers that are none.
foreach my $fault ({ fault => 'html' }, { fault => 'bad_json' }, { fault => 'not_an_object' }, { fault => 'empty_body' },
	{ fault => 'big_answer', bytes => 34 << 20 }, { fault => 'big_headers' }, { fault => 'redirect' })
{
	like(check_answer('HV00L', $load, $_, %$fault), qr/table "answers"/, 'the table is named') foreach 'GetItem', 'Query';
}
like(check_answer('28000', $load, 'GetItem', fault => 'expired_token'), qr/ExpiredTokenException.*new credentials/s, 'an expired token');

# Tables.
sub check_call
{
	my ($expected, $name, $sql, $pattern) = @_;
	my $outcome = outcome($sql);
	like($outcome, qr/^$expected\|/, "$name: SQLSTATE");
	like($outcome, $pattern, "$name: what is said");
	is(outcome($load), '1 2', "$name: the session is usable");
	return;
}
check_call('HV00R', 'no table, load', q{SELECT etag FROM txstore.load('p', 'strict')}, qr/partition "p" of storage "strict".*table "missing".*initialize_storage/s);
check_call('HV00R', 'no table, store', q{SELECT put('p', 'x', 'strict')}, qr/partition "p" of storage "strict".*table "missing"/s);
check_call('HV00R', 'no table, export', q{SELECT count(*) FROM txstore.export_items(NULL, 'strict')}, qr/storage "strict".*table "missing"/s);
$server->call('CreateTable', {
	TableName => 'others', BillingMode => 'PAY_PER_REQUEST',
	AttributeDefinitions => [ { AttributeName => 'Id', AttributeType => 'S' } ],
	KeySchema => [ { AttributeName => 'Id', KeyType => 'HASH' } ] });
check_call('HV00R', 'other keys, initialize', q{SELECT txstore.initialize_storage('others')}, qr/table "others" of storage "others" has other keys/);
check_call('22023', 'other keys, load', q{SELECT etag FROM txstore.load('p', 'others')}, qr/partition "p" of storage "others".*table "others".*describe_storage/s);
is(outcome(q{SELECT value FROM txstore.describe_storage('others') WHERE property = 'keys'}), 'others', 'other keys are described');

# Options and credentials.
sub check_options
{
	my ($expected, $name, $options, $pattern) = @_;
	check_call($expected, $name, "CREATE SERVER bad FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', table_name 'answers', $options)", $pattern);
	return;
}
check_options('HV00D', 'a region that is none', "region 'mars north'", qr/region/);
check_options('HV00D', 'an endpoint that is no URL', "endpoint 'nowhere'", qr/endpoint/);
check_options('HV00D', 'an endpoint of another scheme', "endpoint 'ftp://127.0.0.1'", qr/endpoint/);
check_options('HV00D', 'an endpoint with a user', "endpoint 'http://user:word\@127.0.0.1'", qr/endpoint/);
check_call('28000', 'no credentials', q{SELECT etag FROM txstore.load('p', 'unkeyed')}, qr/no credentials for server "unkeyed".*USER MAPPING/s);
check_call('HV00D', 'a key without its secret', q{CREATE USER MAPPING FOR CURRENT_USER SERVER unkeyed OPTIONS (access_key_id 'AKIDEXAMPLE')}, qr/secret_access_key/);
check_call('HV00D', 'a secret without its key', q{CREATE USER MAPPING FOR CURRENT_USER SERVER unkeyed OPTIONS (secret_access_key 'hidden')}, qr/^(?!.*hidden).*access_key_id/);
$session->{stderr} = '';
$session->query("CREATE SERVER open FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint 'http://192.0.2.1', table_name 'answers')");
like($session->{stderr}, qr/WARNING:\s+(01000|.*without encryption)/, 'http to another host is warned of');

$session->quit;
$node->stop;
done_testing();
