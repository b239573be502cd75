/*
 * What quals compare keys with; see fdw.h.
 */
#include "fdw/fdw.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

TxsSlice
txs_operand_text(Datum value, Oid type)
{
	text *packed;

	if (type == NAMEOID)
		return (TxsSlice){NameStr(*DatumGetName(value)),
						  strlen(NameStr(*DatumGetName(value)))};
	packed = DatumGetTextPP(value);
	return (TxsSlice){VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
}

TxsSlice
txs_operand_prefix(TxsSlice pattern)
{
	char *prefix = palloc(pattern.length + 1);
	size_t length = 0;
	size_t i;

	for (i = 0; i < pattern.length; i++)
	{
		if (pattern.data[i] == '%' || pattern.data[i] == '_')
			break;
		if (pattern.data[i] == '\\' && ++i == pattern.length)
			break;
		prefix[length++] = pattern.data[i];
	}
	return (TxsSlice){prefix, length};
}

int
txs_operand_elements(Datum array, Datum **elements)
{
	ArrayType *values = DatumGetArrayTypeP(array);
	bool *isnull;
	int16 length;
	bool by_value;
	char alignment;
	int total;
	int count = 0;
	int i;

	get_typlenbyvalalign(ARR_ELEMTYPE(values), &length, &by_value, &alignment);
	deconstruct_array(values, ARR_ELEMTYPE(values), length, by_value,
					  alignment, elements, &isnull, &total);
	for (i = 0; i < total; i++)
	{
		if (!isnull[i])
			(*elements)[count++] = (*elements)[i];
	}
	return count;
}
