-- A partition that a rolled-back part of the transaction has deleted: what
-- load() saw then is of no use afterwards.
SELECT txstore.store('p', '', '') FROM txstore.load('p');

-- deleted in the transaction, and once more in a savepoint
BEGIN;
SELECT txstore.delete_partition('p', '0');
SAVEPOINT a;
SELECT txstore.delete_partition('p', '');
SELECT etag FROM txstore.load('p');
ROLLBACK;
SELECT must_load FROM txstore.handles;
SELECT txstore.store('p', '', '');

-- deleted in a savepoint that is released, or rolled back
BEGIN;
SAVEPOINT a;
SELECT txstore.delete_partition('p', '0');
SELECT etag FROM txstore.load('p');
RELEASE a;
SELECT must_load FROM txstore.handles;
ROLLBACK;
SELECT must_load FROM txstore.handles;
BEGIN;
SAVEPOINT a;
SELECT txstore.delete_partition('p', '0');
SELECT etag FROM txstore.load('p');
ROLLBACK TO a;
SELECT must_load FROM txstore.handles;
COMMIT;
SELECT etag FROM txstore.load('p');

-- deleted for good
BEGIN;
SELECT txstore.delete_partition('p', '0');
SELECT txstore.delete_partition('p', '');
SELECT etag FROM txstore.load('p');
COMMIT;
SELECT must_load FROM txstore.handles;
SELECT txstore.store('p', '', '');
SELECT txstore.delete_partition('p', '0');
