/*
 * A scan of a storage's rows, as a foreign table asks for it: which rows, in
 * which order, and which of their attributes.
 *
 * The provider makes of it what costs least: requests by key, index scans, or
 * a reading of everything.  It gives exactly the rows asked for.
 */
#ifndef TXS_SCAN_H
#define TXS_SCAN_H

#include "postgres.h"

#include "orleans/item.h"

/* Kinds of rows, as bits. */
#define TXS_KEY_ROWS   1
#define TXS_STATE_ROWS 2

/* Attributes beside the two keys, as bits; others may be left out of a row. */
#define TXS_WANT_ETAG		 (1 << 0)
#define TXS_WANT_COMMITTED	 (1 << 1)
#define TXS_WANT_METADATA	 (1 << 2)
#define TXS_WANT_TIMESTAMP	 (1 << 3) /* of key rows */
#define TXS_WANT_STATE		 (1 << 4)
#define TXS_WANT_TRANSACTION (1 << 5) /* its id */
#define TXS_WANT_TIME		 (1 << 6) /* of the transaction */
#define TXS_WANT_MANAGER	 (1 << 7)
#define TXS_WANT_EXTRA		 (1 << 8) /* what Orleans does not know */
#define TXS_WANT_ALL		 ((1 << 9) - 1)

/* Conditions on attributes that one request may have. */
#define TXS_MAX_FILTERS 8

/*
 * A condition on an attribute.  Rows for which it is not true may be left out;
 * a provider need not look at it.
 */
typedef struct TxsScanFilter
{
	int attribute; /* TXS_WANT_COMMITTED or TXS_WANT_TRANSACTION */
	int strategy;  /* of btree; texts are compared for equality alone */
	int64 number;  /* COMMITTED: what it is compared with */
	TxsSlice text; /* TRANSACTION */
} TxsScanFilter;

typedef struct TxsScanRequest
{
	int kinds;
	int wanted;
	bool all; /* partitions in any order: those within ... */
	TxsSlice low;	 /* ... bounds that they may have, both included ... */
	TxsSlice high;	 /* ... (data NULL: none), ... */
	TxsSlice prefix; /* ... which begin with this (data NULL: with anything) */
	int npartitions; /* or: */
	const TxsSlice *partitions; /* different ones, unless: */
	const int64 *sequences;		/* the one state row of each; or NULL */
	int64 first;				/* sequence ids of state rows, from ... */
	int64 last;					/* ... to, both included */
	int nfilters;
	TxsScanFilter filters[TXS_MAX_FILTERS];
	bool backward;	 /* within a partition: the highest sequence first */
	int64 limit;	 /* rows that may be enough; 0: nothing is known */
	bool consistent; /* what was written before is seen */
	int segments;	 /* parts of a table to read at a time */
	int nsampled;	 /* all: 0, or the parts that are enough ... */
	const int *sampled; /* ... from 0 ... */
	int sample_of;		/* ... of so many, where the provider has parts */
} TxsScanRequest;

/* Parts of a table that may be read at a time. */
#define TXS_MAX_SEGMENTS 64

/* What a scan has cost so far, where that is more than reading tables. */
typedef struct TxsScanCounters
{
	int64 requests;
	int64 retries;
	int64 pages;
	int64 scanned; /* rows that the service looked at */
	int64 returned;
	int64 bytes;
	double capacity; /* units */
	int64 wait_microseconds;
} TxsScanCounters;

/* What is known of a request before its values are, for EXPLAIN. */
typedef struct TxsShape
{
	int kinds;
	bool is_count;
	bool has_partitions; /* some are named ... */
	bool is_many;		 /* ... by a list */
	bool has_sequence;	 /* one sequence id is named */
	bool has_range;		 /* partitions have a prefix or bounds */
} TxsShape;

#endif /* TXS_SCAN_H */
