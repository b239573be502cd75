-- Options of storages in DynamoDB, and of user mappings.  Nothing here reaches a network.
\set wrapper 'FOREIGN DATA WRAPPER txstore_fdw OPTIONS'
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', schema_name 's');
CREATE SERVER ddb_bad :wrapper (region 'us-east-1');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region '');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us east');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us_east_1');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', endpoint 'localhost:8000');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', endpoint 'ftp://localhost');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', endpoint e'http://localhost:8000/\r\nx: y');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', table_name 'ab');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', table_name 'a table');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', ca_file 'ca.pem');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', read_capacity_units '0');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', write_capacity_units 'many');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', request_timeout '0');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', request_timeout 'soon');
CREATE SERVER ddb_bad :wrapper (provider 'dynamodb', region 'us-east-1', endpont 'http://localhost');

-- Without encryption over a network: allowed, with a warning.
CREATE SERVER ddb_plain :wrapper (provider 'dynamodb', endpoint 'http://192.0.2.1:8000');
CREATE SERVER ddb_local :wrapper (provider 'dynamodb', endpoint 'http://127.0.0.1:8000', request_timeout '2s', connect_timeout '500ms');
CREATE SERVER ddb :wrapper (provider 'dynamodb', region 'eu-central-1', table_name 'Accounts', use_provisioned_throughput 'false');
ALTER SERVER ddb OPTIONS (DROP region);

-- Credentials: both halves, and no secret shown.
SELECT txstore.load('p', 'ddb');
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (access_key_id 'AKIDEXAMPLE');
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (secret_access_key 'do not show');
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (access_key_id 'AKIDEXAMPLE', secret_access_key 'do not show');
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (session_token 'token');
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (access_key 'AKIDEXAMPLE');
CREATE ROLE regress_ddb;
GRANT USAGE ON FOREIGN SERVER ddb TO regress_ddb;
SET ROLE regress_ddb;
CREATE USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (access_key_id 'AKIDEXAMPLE', secret_access_key 'secret');

-- The server's own credentials are a superuser's to give.
ALTER USER MAPPING FOR CURRENT_USER SERVER ddb OPTIONS (ADD credentials_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (credentials_required 'false');
RESET ROLE;
CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (credentials_required 'maybe');
CREATE USER MAPPING FOR PUBLIC SERVER ddb OPTIONS (credentials_required 'false');
GRANT USAGE ON FOREIGN DATA WRAPPER txstore_fdw TO regress_ddb;
SET ROLE regress_ddb;
CREATE SERVER ddb_own :wrapper (provider 'dynamodb', region 'eu-central-1', profile_name 'admin');
CREATE SERVER ddb_own :wrapper (provider 'dynamodb', region 'eu-central-1');
ALTER SERVER ddb_own OPTIONS (ADD profile_name 'admin');
DROP SERVER ddb_own;
RESET ROLE;
ALTER SERVER ddb OPTIONS (ADD profile_name '');
ALTER SERVER ddb OPTIONS (ADD profile_name 'reports');
DROP USER MAPPING FOR PUBLIC SERVER ddb;

-- Before anything is sent: a store that cannot be sent leaves nothing to doubt.
SELECT txstore.store('p', NULL, '', storage => 'ddb');
SELECT txstore.delete_partition('p', NULL, 'ddb');
SELECT txstore.export_items(storage => 'ddb');
SELECT txstore.describe_storage('ddb');
DROP SERVER ddb CASCADE;
DROP SERVER ddb_plain;
DROP SERVER ddb_local;
REVOKE USAGE ON FOREIGN DATA WRAPPER txstore_fdw FROM regress_ddb;
DROP ROLE regress_ddb;
