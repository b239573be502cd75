/*
 * Conditions that a request puts on rows, gathered: a text with placeholders,
 * what the values in it are, and which attributes it uses.
 */
#ifndef TXS_DYNAMODB_CONDITIONS_H
#define TXS_DYNAMODB_CONDITIONS_H

#include "provider/dynamodb/dynamodb.h"

#include "lib/stringinfo.h"

/* Attributes that conditions use: their places in the list of scan_body.c. */
typedef enum TxsPlace
{
	TXS_PLACE_PARTITION = 0,   /* #p */
	TXS_PLACE_ROW = 1,		   /* #r */
	TXS_PLACE_COMMITTED = 3,   /* #c */
	TXS_PLACE_TRANSACTION = 7, /* #i */
} TxsPlace;

typedef struct TxsConditions
{
	StringInfoData text; /* joined by AND; empty: none */
	TxsWriter values;	 /* an object that is open */
	int used;			 /* bits: 1 << place */
} TxsConditions;

extern void txs_conditions_begin(TxsConditions *conditions);

/* Go on with the values and attributes of others, in a text of its own. */
extern void txs_conditions_continue(TxsConditions *conditions,
									const TxsConditions *others);

/* The partition is this one. */
extern void txs_conditions_partition(TxsConditions *conditions,
									 TxsSlice partition);

/* Partitions are within the request's bounds and begin as it says. */
extern void txs_conditions_bounds(TxsConditions *conditions,
								  const TxsScanRequest *request);

/* Rows are of the request's one kind, states within its sequence ids. */
extern void txs_conditions_rows(TxsConditions *conditions,
								const TxsScanRequest *request);

/* The request's filters hold; none where it wants rows of both kinds. */
extern void txs_conditions_attributes(TxsConditions *conditions,
									  const TxsScanRequest *request);

#endif /* TXS_DYNAMODB_CONDITIONS_H */
