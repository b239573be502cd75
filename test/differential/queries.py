"""
Random queries over the tables k (keys), s (states), p (partitions) and the
local table l.  What a query compares with is kept apart, so that the same query
can be run with constants and as a prepared statement.
"""

from psql import literal

TEXTS = ["", "key", "state_", "state_0", "state_0000000000000002", "state_000000000000000a", "STATE_0000000000000003",
         "state_000000000000000A", "state_000000000000000F", "state-0000000000000009",
         "state_00000000000000ff0", "state_7fffffffffffffff", "state_8", "zzz", "A", "a", "Account/", "é"]
NUMBERS = ["0", "1", "2", "3", "4", "9", "16", "255", "-1", "32767"]
LARGE = ["2147483648", "1099511627776", "9223372036854775807", "-9223372036854775808"]

UNIQUE = {"k": "{0}.partition_key", "p": "{0}.partition_key", "s": "{0}.partition_key, {0}.sequence_id", "l": "{0}.id"}
SHOWN = {
    "k": ["partition_key", "grain_type", "grain_key", "state_name", "etag", "committed_sequence_id", "written_at", "metadata",
          "metadata_bytes", "commit_records"],
    "p": ["partition_key", "grain_key", "etag", "committed_sequence_id", "state", "state_bytes", "pending", "in_doubt",
          "transaction_timestamp", "commit_records", "pending_versions"],
    "s": ["partition_key", "sequence_id", "row_key", "etag", "state", "state_bytes", "transaction_id", "transaction_timestamp",
          "transaction_timestamp_text", "manager_grain", "transaction_manager"],
    "l": ["id", "k", "n"],
}
# A whole row is a composite of another type in the other schema, but the same text.
WHOLE = "{0}::text"


class Query:
    """text has @0@, @1@ ... where the parameters go: pairs of a type and a literal."""

    def __init__(self):
        self.text = ""
        self.parameters = []
        self.is_ordered = False  # by something unique

    def parameter(self, kind, value):
        self.parameters.append((kind, value))
        return f"@{len(self.parameters) - 1}@"

    def with_constants(self):
        return self._replace(lambda number, kind, value: f"{value}::{kind}")

    def prepared(self):
        """PREPARE and EXECUTE."""
        kinds = ", ".join(kind for kind, _ in self.parameters)
        values = ", ".join(value for _, value in self.parameters)
        text = self._replace(lambda number, kind, value: f"${number + 1}")
        return (f"PREPARE q{f'({kinds})' if kinds else ''} AS {text}",
                f"EXECUTE q{f'({values})' if values else ''}")

    def _replace(self, make):
        text = self.text
        for number, (kind, value) in enumerate(self.parameters):
            text = text.replace(f"@{number}@", make(number, kind, value))
        return text


class Maker:
    def __init__(self, random, partitions):
        self.random = random
        self.partitions = partitions
        self.query = None

    def choice(self, *values):
        return self.random.choice(values)

    def chance(self, probability):
        return self.random.random() < probability

    def make(self):
        self.query = Query()
        self.query.text = self.choice(self.simple, self.simple, self.ranged, self.counted, self.aggregated, self.joined,
                                      self.joined, self.lateral, self.limited, self.subquery, self.several)()
        return self.query

    # Values

    def partition(self):
        if self.chance(0.05):
            return "NULL"
        if self.chance(0.1):
            return literal(self.random.choice(TEXTS))
        return literal(self.random.choice(self.partitions))

    def row_key(self):
        if self.chance(0.3):
            return literal(self.random.choice(TEXTS))
        key = f"state_{self.choice(1, 2, 3, 4, 9, 10, 15, 16, 255):016x}"
        return literal(self.choice(key, key, key.upper(), "state_" + key[6:].upper()))

    def text(self, value):
        return self.query.parameter(self.choice("text", "text", "text", "varchar", "name"), value)

    def number(self):
        if self.chance(0.04):
            return "NULL", "bigint"
        if self.chance(0.15):
            return self.random.choice(LARGE), self.choice("bigint", "numeric")
        return self.random.choice(NUMBERS), self.choice("smallint", "integer", "bigint", "bigint", "numeric")

    def array(self, kind, values):
        """Also empty, with NULLs and with the same twice."""
        values = values + self.choice([], [], ["NULL"], values[:1])
        if self.chance(0.05):
            values = []
        return self.query.parameter(f"{kind}[]", f"ARRAY[{', '.join(values)}]::{kind}[]")

    def some(self, make, most=6):
        return [make() for _ in range(self.random.randrange(1, most))]

    # Quals

    def partition_qual(self, alias):
        column = f"{alias}.partition_key"
        shape = self.random.randrange(16)
        if shape == 12:
            return self.piece_qual(alias)
        if shape == 13:
            return self.piece_qual(alias, True)
        if shape == 14:
            value = self.partition()
            beginning = self.query.parameter("text", literal(value[1:-1][:self.random.randrange(12)]) if value != "NULL" else value)
            return self.choice(f"{column} ^@ {beginning}", f"starts_with({column}, {beginning})")
        if shape == 15:
            values = [self.query.parameter("text", value) for value in self.some(self.partition, 4)]
            quals = [f"{column} = {value}{self.choice('', '', f' AND {alias}.etag <> {literal(str(0))}')}" for value in values]
            return f"({' OR '.join(f'({qual})' for qual in quals)})"
        if shape < 3:
            return f"{column} = {self.text(self.partition())}"
        if shape == 3:
            return f"{self.text(self.partition())} = {column}"
        if shape < 6:
            return f"{column} = ANY ({self.array(self.choice('text', 'text', 'varchar', 'name'), self.some(self.partition))})"
        if shape == 6:
            values = ", ".join(self.query.parameter("text", value) for value in self.some(self.partition))
            return f"{column} {self.choice('IN', 'IN', 'NOT IN')} ({values})"
        if shape == 7:
            value = self.query.parameter("text", self.partition())
            collation = self.choice('"C"', '"default"', 'l.ignore_case')
            return f"{column} COLLATE {collation} {self.choice('=', '<', '>=', '<>')} {value}"
        if shape == 8:
            return f"{column} {self.choice('<', '<=', '>', '>=', '<>')} {self.query.parameter('text', self.partition())}"
        if shape == 9:
            prefix = self.partition()[1:-1].split("/")[0]
            return f"{column} LIKE {self.query.parameter('text', chr(39) + prefix + '%' + chr(39))}"
        if shape == 10:
            return f"{column} = (SELECT max(l.k) FROM l.l WHERE l.id < {self.query.parameter('int', self.random.choice(NUMBERS))})"
        low, high = self.partition(), self.partition()
        return f"{column} BETWEEN {self.query.parameter('text', low)} AND {self.query.parameter('text', high)}"

    def piece_qual(self, alias, whole=False):
        """Grain type, grain key and state name of a partition, all or some of them."""
        value = self.random.choice(self.partitions)
        grain_type, _, rest = value.partition("/")
        grain_key, _, state_name = rest.partition("_default_")
        pieces = [("grain_type", grain_type), ("grain_key", grain_key), ("state_name", state_name)]
        quals = []
        for column, text in pieces:
            if not whole and self.chance(0.4):
                continue
            if self.chance(0.25):
                others = [literal(text), literal(self.random.choice(self.partitions).partition("/")[0])]
                quals.append(f"{alias}.{column} = ANY ({self.array('text', others)})")
            else:
                quals.append(f"{alias}.{column} = {self.text(literal(text))}")
        return " AND ".join(quals) or "true"

    def number_qual(self, column):
        shape = self.random.randrange(6)
        value, kind = self.number()
        if shape < 3:
            value = self.query.parameter(kind, value)
            sides = [column, self.choice("=", "=", "<", "<=", ">", ">=", "<>"), value]
            if self.chance(0.3):
                sides.reverse()
            return " ".join(sides)
        if shape == 3:
            other, other_kind = self.number()
            return (f"{column} BETWEEN {self.query.parameter(kind, value)} AND "
                    f"{self.query.parameter(other_kind, other)}")
        values = self.some(lambda: self.choice("NULL", *NUMBERS, *NUMBERS))
        kind = self.choice("smallint", "integer", "bigint", "numeric")
        if shape == 4:
            return f"{column} = ANY ({self.array(kind, values)})"
        return f"{column} {self.choice('IN', 'NOT IN')} ({', '.join(values)})"

    def row_key_qual(self, alias):
        column = f"{alias}.row_key"
        shape = self.random.randrange(6)
        if shape == 0:
            pattern = literal(self.choice("state_%", "state\\_0000%", "%a", "state_000000000000000_", "key"))
            return f"{column} LIKE {self.query.parameter('text', pattern)}"
        if shape == 1:
            values = self.some(self.row_key)
            return f"{column} = ANY ({self.array(self.choice('text', 'name'), values)})"
        collation = self.choice("", "", ' COLLATE "default"', ' COLLATE "default"', ' COLLATE l.ignore_case')
        return f"{column}{collation} {self.choice('<>', self.operator(), self.operator())} {self.text(self.row_key())}"

    def other_qual(self, table, alias):
        quals = ["{0}.etag = '1'", "{0}.grain_type < 'a'", "{0}.grain_key IS NULL", "length({0}.partition_key) > 12",
                 "random() >= 0"]
        if table == "s":
            quals += ["{0}.state IS NULL", "{0}.state ->> 'n' = '1'", "{0}.manager_grain IS NOT NULL", "{0}.sequence_id % 2 = 0",
                      "{0}.transaction_id = '11111111-2222-3333-4444-555555555555'", "{0}.transaction_id IS NULL",
                      "{0}.transaction_timestamp < '2020-01-01'", "{0}.sequence_id = length({0}.row_key)"]
        else:
            quals += ["{0}.committed_sequence_id > 1", "{0}.commit_records = 2", "{0}.written_at IS NULL"]
        if table == "p":
            quals += ["{0}.pending > 0", "{0}.in_doubt", "NOT {0}.in_doubt", "{0}.state IS NULL"]
        return self.random.choice(quals).format(alias)

    def qual(self, table, alias, depth=0):
        if table == "l":
            return self.number_qual(f"{alias}.{self.choice('id', 'n')}")
        if depth < 2 and self.chance(0.25):
            parts = [self.qual(table, alias, depth + 1) for _ in range(2)]
            return f"({self.choice(' AND ', ' OR ').join(parts)})"
        if depth < 2 and self.chance(0.06):
            return f"NOT ({self.qual(table, alias, depth + 1)})"
        kinds = [self.partition_qual, self.partition_qual, lambda alias: self.other_qual(table, alias)]
        if table == "s":
            kinds += [lambda alias: self.number_qual(f"{alias}.sequence_id"), self.row_key_qual] * 2
        if table != "s" and self.chance(0.5):
            return self.number_qual(f"{alias}.committed_sequence_id")
        return self.random.choice(kinds)(alias)

    def where(self, table, alias, word="WHERE"):
        quals = [self.qual(table, alias) for _ in range(self.choice(0, 1, 1, 2, 2, 3))]
        return f" {word} {' AND '.join(quals)}" if quals else ""

    # Queries

    def table(self):
        return self.choice("k", "s", "s", "p")

    def columns(self, table, alias):
        columns = self.random.sample(SHOWN[table], self.random.randrange(1, min(5, len(SHOWN[table]) + 1)))
        if self.chance(0.1):
            return WHOLE.format(alias)
        return ", ".join(f"{alias}.{column}" for column in columns)

    def order(self, *tables, total=False):
        """An order, and perhaps a LIMIT where rows have only one."""
        keys = []
        for table, alias in tables:
            if self.chance(0.6):
                column = self.choice(*[column for column in SHOWN[table] if column != "metadata"])
                keys.append(f"{alias}.{column}{self.choice('', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST')}")
        if not keys and not total and self.chance(0.5):
            return ""
        if self.chance(0.2) and tables[0][0] == "s":
            keys = [f"{tables[0][1]}.{self.choice('sequence_id', 'row_key')}{self.choice('', ' DESC')}"]
        self.query.is_ordered = total or self.chance(0.7)
        if self.query.is_ordered:
            keys += [UNIQUE[table].format(alias) for table, alias in tables]
        if not keys:
            return ""
        return f" ORDER BY {', '.join(keys)}" + (self.limit() if self.query.is_ordered else "")

    def limit(self):
        limit = self.choice("", f" LIMIT {self.query.parameter('bigint', self.choice('0', '1', '2', '5', '1000', 'NULL'))}")
        return limit + self.choice("", "", f" OFFSET {self.query.parameter('bigint', self.choice('0', '1', '3', '50', 'NULL'))}")

    def simple(self):
        table = self.table()
        if self.chance(0.1):
            self.query.is_ordered = False
            return f"SELECT DISTINCT {self.choice('t.partition_key', 't.etag', 't.grain_type')} FROM {table} t{self.where(table, 't')}"
        text = f"SELECT {self.columns(table, 't')} FROM {table} t{self.where(table, 't')}"
        return text + self.order((table, "t"))

    def ranged(self):
        """One range in a collation whose order may be another than that of the bytes."""
        collation = self.choice('"C"', '"default"', '"default"', "l.ignore_case")
        text = f"SELECT t.partition_key, t.row_key FROM s t WHERE t.row_key COLLATE {collation} {self.operator()} {self.text(self.row_key())}"
        if self.chance(0.2):
            text += f" AND {self.partition_qual('t')}"
        return text + self.order(("s", "t"))

    def counted(self):
        table = self.table()
        if table != "s" or self.chance(0.3):
            return f"SELECT count(*) FROM {table} t{self.where(table, 't')}"
        # What keys can answer alone, so that no row may be looked at.
        quals = [f"t.sequence_id {self.operator()} {self.query.parameter('bigint', self.choice(*NUMBERS))}",
                 f"t.row_key {self.operator()} {self.query.parameter('text', self.row_key())}",
                 f"t.partition_key = {self.query.parameter('text', self.partition())}"]
        return f"SELECT count(*) FROM s t WHERE {' AND '.join(self.random.sample(quals, self.choice(1, 1, 2)))}"

    def operator(self):
        return self.choice("=", "<", "<=", ">", ">=")

    def limited(self):
        """A LIMIT without an order: only how many rows there are is certain."""
        table = self.table()
        return f"SELECT count(*) FROM (SELECT FROM {table} t{self.where(table, 't')}{self.limit()}) x"

    def aggregated(self):
        table = self.table()
        if self.chance(0.4):
            return (f"SELECT count(*), count(t.etag), min(t.partition_key), max({UNIQUE[table].format('t').split(', ')[-1]}), "
                    f"count(DISTINCT t.grain_type) FROM {table} t{self.where(table, 't')}")
        group = self.choice("t.partition_key", "t.grain_type", "t.etag", "t.state_name")
        having = self.choice("", "", " HAVING count(*) > 1")
        return f"SELECT {group}, count(*) FROM {table} t{self.where(table, 't')} GROUP BY {group}{having}"

    def joined(self):
        kind = self.choice("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "semi", "anti")
        table = self.table()
        if kind in ("semi", "anti"):
            exists = "EXISTS" if kind == "semi" else "NOT EXISTS"
            text = (f"SELECT {self.columns(table, 't')} FROM {table} t WHERE {exists} (SELECT FROM l.l "
                    f"WHERE l.k = t.partition_key AND {self.qual('l', 'l')}){self.where(table, 't', ' AND')}")
            return text + self.order((table, "t"))
        other, alias = ("l", "l") if self.chance(0.6) else (self.table(), "u")
        on = f"{alias}.{'k' if other == 'l' else 'partition_key'} = t.partition_key"
        if table == "s" and self.chance(0.4):
            on += f" AND t.sequence_id = {alias}.{'n' if other == 'l' else 'committed_sequence_id' if other != 's' else 'sequence_id'}"
        sides = [f"{table} t", "l.l" if other == "l" else f"{other} {alias}"]
        self.random.shuffle(sides)
        where = self.where(table, "t")
        if self.chance(0.3):
            where += f"{' AND' if where else ' WHERE'} {self.qual(other, alias)}"
        text = f"SELECT {self.columns(table, 't')}, {self.columns(other, alias)} FROM {sides[0]} {kind} {sides[1]} ON {on}{where}"
        # NULLs of an outer join are in no unique order with a LIMIT.
        if kind == "JOIN":
            return text + self.order((table, "t"), (other, alias))
        return text

    def several(self):
        """A table with two others, each of which may name its partitions."""
        table = self.table()
        text = (f"SELECT {self.columns(table, 't')}, l.id, m.id FROM l.l, l.l m, {table} t "
                f"WHERE t.partition_key = {self.choice('l.k', 'left(l.k, 200)')} AND "
                f"{self.choice('t.partition_key', 'l.k')} = m.k{self.choice('', ' AND l.id < m.id')}{self.where(table, 't', ' AND')}")
        return text + self.order((table, "t"), ("l", "l"), ("l", "m"))

    def lateral(self):
        table = self.table()
        inner_order = UNIQUE[table].format("t").replace(", ", " DESC, ")
        take = f" ORDER BY {inner_order}{self.choice('', ' DESC')} LIMIT {self.choice(1, 2)} OFFSET {self.choice(0, 0, 1)}"
        text = (f"SELECT l.id, x.* FROM l.l {self.choice('LEFT JOIN', 'JOIN')} LATERAL (SELECT {self.columns(table, 't')} FROM {table} t "
                f"WHERE t.partition_key = l.k{self.where(table, 't', ' AND')}{take}) x ON true")
        return text

    def subquery(self):
        table = self.table()
        shape = self.random.randrange(3)
        if shape == 0:
            return (f"SELECT l.id, (SELECT count(*) FROM {table} t WHERE t.partition_key = l.k{self.where(table, 't', ' AND')}) "
                    f"FROM l.l")
        if shape == 1:
            return (f"SELECT {self.columns(table, 't')} FROM {table} t WHERE t.partition_key = ANY "
                    f"(ARRAY(SELECT l.k FROM l.l{self.where('l', 'l')})){self.where(table, 't', ' AND')}")
        return (f"SELECT {self.columns(table, 't')} FROM {table} t WHERE t.partition_key {self.choice('IN', 'IN', 'NOT IN')} "
                f"(SELECT u.partition_key FROM {self.table()} u WHERE u.partition_key IS NOT NULL AND {self.partition_qual('u')}){self.where(table, 't', ' AND')}")
