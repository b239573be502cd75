/*
 * The little XML that an old AWS API answers with: elements and their text.
 *
 * Strict and bounded.  Attributes, comments and processing instructions are
 * skipped; of entities there are the five predefined; DOCTYPE and CDATA are
 * errors.  Allocates nothing.
 */
#ifndef TXS_XML_H
#define TXS_XML_H

#include <stdbool.h>

#include "json/json.h"

#define TXS_XML_MAX_DEPTH 16
#define TXS_XML_MAX_TEXT  (64 * 1024)

/* An element whose text is wanted. */
typedef struct TxsXmlField
{
	const char *path; /* names from the root, with slashes between */
	TxsSlice value;	  /* as it stands, without space around it; NULL: absent */
} TxsXmlField;

/*
 * Read a document.  NULL on success, else what is wrong, in constant words: it
 * is not well-formed, or a wanted element is there twice or has children.
 */
extern const char *txs_xml_read(TxsSlice text, TxsXmlField *fields,
								int nfields);

/*
 * Resolve entities.  out gets a NUL at its end; false if it does not fit into
 * size bytes.
 */
extern bool txs_xml_unescape(TxsSlice value, char *out, size_t size);

#endif /* TXS_XML_H */
