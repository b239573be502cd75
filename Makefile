# txstore: transactional state of actors behind SQL
#
# make && make install        needs pg_config of PostgreSQL 15 to 18
# bash test/check.sh          runs all tests; see README.md

EXTENSION = txstore
EXTVERSION = 0.1.0
MODULE_big = txstore
PGFILEDESC = "txstore - transactional state of actors"
DATA_built = txstore--$(EXTVERSION).sql
EXTRA_CLEAN = txstore--$(EXTVERSION).sql build tmp_check output_iso

# The install script in parts, in the order in which they need each other.
INSTALL_PARTS = types storages protocol items tables

OBJS = \
	src/api/arguments.o \
	src/api/connections.o \
	src/api/diag.o \
	src/api/handles.o \
	src/api/items.o \
	src/api/module.o \
	src/api/protocol.o \
	src/api/storages.o \
	src/api/values.o \
	src/aws/container.o \
	src/aws/endpoint.o \
	src/aws/environment.o \
	src/aws/imds.o \
	src/aws/iso_time.o \
	src/aws/key_answer.o \
	src/aws/keys.o \
	src/aws/lease.o \
	src/aws/profile.o \
	src/aws/retry.o \
	src/aws/sigv4.o \
	src/aws/source.o \
	src/aws/sts.o \
	src/aws/xml.o \
	src/fdw/analyze.o \
	src/fdw/columns.o \
	src/fdw/explain.o \
	src/fdw/handler.o \
	src/fdw/import.o \
	src/fdw/jsonb.o \
	src/fdw/lookup_paths.o \
	src/fdw/lookup_scan.o \
	src/fdw/operands.o \
	src/fdw/partition_quals.o \
	src/fdw/partitions.o \
	src/fdw/paths.o \
	src/fdw/plan.o \
	src/fdw/quals.o \
	src/fdw/request.o \
	src/fdw/scan.o \
	src/fdw/statistics.o \
	src/fdw/table.o \
	src/fdw/validator.o \
	src/fdw/values.o \
	src/fdw/versions.o \
	src/json/base64.o \
	src/json/number.o \
	src/json/reader.o \
	src/json/utf8.o \
	src/json/writer.o \
	src/net/answer.o \
	src/net/http.o \
	src/net/library.o \
	src/net/multi.o \
	src/net/pool.o \
	src/net/sockets.o \
	src/net/transfer.o \
	src/orleans/item_equal.o \
	src/orleans/item_read.o \
	src/orleans/item_value.o \
	src/orleans/item_write.o \
	src/orleans/participant.o \
	src/orleans/partition_key.o \
	src/orleans/row_key.o \
	src/orleans/size.o \
	src/orleans/time_text.o \
	src/provider/dynamodb/answers.o \
	src/provider/dynamodb/body.o \
	src/provider/dynamodb/client.o \
	src/provider/dynamodb/conditions.o \
	src/provider/dynamodb/credentials.o \
	src/provider/dynamodb/errors.o \
	src/provider/dynamodb/fetch.o \
	src/provider/dynamodb/import.o \
	src/provider/dynamodb/lines.o \
	src/provider/dynamodb/provider.o \
	src/provider/dynamodb/read.o \
	src/provider/dynamodb/requests.o \
	src/provider/dynamodb/scan.o \
	src/provider/dynamodb/scan_body.o \
	src/provider/dynamodb/scan_page.o \
	src/provider/dynamodb/settings.o \
	src/provider/dynamodb/shared_keys.o \
	src/provider/dynamodb/sorted_rows.o \
	src/provider/dynamodb/table_size.o \
	src/provider/dynamodb/tables.o \
	src/provider/dynamodb/write.o \
	src/provider/embedded/create.o \
	src/provider/embedded/import.o \
	src/provider/embedded/provider.o \
	src/provider/embedded/read.o \
	src/provider/embedded/rows.o \
	src/provider/embedded/scan.o \
	src/provider/embedded/tables.o \
	src/provider/embedded/target.o \
	src/provider/embedded/write.o \
	src/provider/options.o \
	src/provider/storage.o \
	src/stats/endpoints.o \
	src/store/handle.o \
	src/store/import.o \
	src/store/load.o \
	src/store/planner.o \
	src/store/store.o

PG_CPPFLAGS = -I$(srcdir)/src -DTXS_VERSION='"$(EXTVERSION)"'
SHLIB_LINK = -lcurl -lssl -lcrypto -lz

# Each file in sql/ is a subject that runs alone.
REGRESS = $(sort $(patsubst $(srcdir)/sql/%.sql,%,$(wildcard $(srcdir)/sql/*.sql)))
REGRESS_OPTS = --inputdir=$(srcdir) --load-extension=txstore

ISOLATION = $(sort $(patsubst $(srcdir)/test/specs/%.spec,%,$(wildcard $(srcdir)/test/specs/*.spec)))
ISOLATION_OPTS = --inputdir=$(srcdir)/test --load-extension=txstore

TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(OBJS): $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h $(srcdir)/src/*/*/*.h)

txstore--$(EXTVERSION).sql: $(INSTALL_PARTS:%=$(srcdir)/src/install/%.sql)
	cat $^ > $@
