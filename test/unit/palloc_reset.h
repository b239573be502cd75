/*
 * The end of a memory context, for programs that have none.
 */
#ifndef TXS_PALLOC_RESET_H
#define TXS_PALLOC_RESET_H

/* Free every palloc'd block. */
extern void txs_palloc_reset(void);

#endif /* TXS_PALLOC_RESET_H */
