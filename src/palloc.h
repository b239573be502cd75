/*
 * PostgreSQL's basic types and palloc for code that is built both into the
 * server and, with -DFRONTEND, into unit tests and fuzzers.
 */
#ifndef TXS_PALLOC_H
#define TXS_PALLOC_H

#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif

#endif /* TXS_PALLOC_H */
