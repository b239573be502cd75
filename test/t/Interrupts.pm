# What the tests of interrupts share.
package Interrupts;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes;
use Txstore;

our @EXPORT = qw(wait_for_end open_sockets drop_database stop_fast);

# Wait until a process has ended, whether or not the one that inherits it has
# noticed; the milliseconds since a time.
sub wait_for_end
{
	my ($pid, $since) = @_;
	Time::HiRes::sleep(0.001) until has_ended($pid) || Time::HiRes::time - $since > 30;
	return (Time::HiRes::time - $since) * 1000;
}

sub has_ended
{
	my ($pid) = @_;
	open(my $file, '<', "/proc/$pid/stat") or return 1;
	return (<$file> // ') Z') =~ /\) Z/;
}

# Sockets, epoll sets and the like: files of tables come and go.
sub open_sockets
{
	my ($pid) = @_;
	return scalar grep { (readlink($_) // '') =~ /^(socket|anon_inode|pipe):/ } glob "/proc/$pid/fd/*";
}

# The milliseconds that DROP DATABASE takes, which waits until all sessions have
# seen its barrier.
sub drop_database
{
	my ($session) = @_;
	result($session, 'CREATE DATABASE dropped');
	my $start = Time::HiRes::time;
	result($session, 'DROP DATABASE dropped');
	return (Time::HiRes::time - $start) * 1000;
}

# A fast shutdown; the milliseconds until all sessions have gone, by the server's log.
sub stop_fast
{
	my ($node) = @_;
	my $offset = -s $node->logfile;
	$node->stop('fast');
	my $log = slurp_file($node->logfile, $offset);
	my ($asked) = $log =~ /(\d+:\d+\.\d+) \S+ \S+ LOG:\s+received fast shutdown/;
	my ($down) = $log =~ /(\d+:\d+\.\d+) \S+ \S+ LOG:\s+shutting down/;
	return (seconds($down) - seconds($asked)) * 1000;
}

sub seconds
{
	my ($minutes, $seconds) = ($_[0] // '0:0') =~ /(\d+):([\d.]+)/;
	return $minutes * 60 + $seconds;
}

1;
