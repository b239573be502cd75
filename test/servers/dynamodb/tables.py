"""
Tables in memory: their schema, their items in order, and the operations that
create, change, describe and delete them.
"""

import bisect
import hashlib
import json
import re

from .errors import KeyMismatch, ServiceError, invalid, invalid_parameter, not_found
from .values import check_item, compare_key, serialization_error, utf8_length

TABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}\Z")
MAX_ITEM = 409600
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
KEY_TYPES = ("S", "N", "B")


class Row:
    """An item with what is asked for again and again."""
    __slots__ = ("item", "size", "_text")

    def __init__(self, item, size):
        self.item, self.size, self._text = item, size, None

    def text(self):
        if self._text is None:
            self._text = json.dumps(self.item, separators=(",", ":"), ensure_ascii=False)
        return self._text


class Partition:
    __slots__ = ("rows", "order", "value")

    def __init__(self, value):
        self.rows, self.order, self.value = {}, [], value


class Table:
    """Partitions by the key's value; sort keys and partitions in order."""

    def __init__(self, name, definitions, schema, clock):
        self.name, self.definitions, self.schema, self.clock = name, definitions, schema, clock
        self.hash_name = schema[0]["AttributeName"]
        self.range_name = schema[1]["AttributeName"] if len(schema) > 1 else None
        self.types = {definition["AttributeName"]: definition["AttributeType"] for definition in definitions}
        self.key_names = [part["AttributeName"] for part in schema]
        self.created, self.ready_at, self.gone_at = clock(), 0.0, None
        self.status = "CREATING"
        self.billing, self.read_units, self.write_units, self.was_on_demand = "PROVISIONED", 0, 0, False
        self.ttl = None
        self.partitions, self.scan_order = {}, []
        self.item_count = self.bytes = 0

    # -------------------------------------------------------------------- keys

    def key_part(self, item, name):
        """The checked value of a key attribute, as bytes or a number."""
        value = item.get(name)
        wanted = self.types[name]
        if value is None:
            raise KeyMismatch("One or more parameter values were invalid: Missing the key %s in the item" % name)
        if wanted not in value:
            raise KeyMismatch("One or more parameter values were invalid: Type mismatch for key %s expected: %s "
                              "actual: %s" % (name, wanted, next(iter(value), "NULL")))
        key = compare_key(value)
        if wanted != "N":
            if not key:
                raise invalid("One or more parameter values are not valid. The AttributeValue for a key attribute "
                              "cannot contain an empty %s value. Key: %s"
                              % ("string" if wanted == "S" else "binary", name))
            if name == self.hash_name and len(key) > 2048:
                raise invalid_parameter("Size of hashkey has exceeded the maximum size limit of2048 bytes")
            if name != self.hash_name and len(key) > 1024:
                raise invalid_parameter("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
        return key

    def key_of_item(self, item):
        """(partition, sort) of an item that was checked."""
        return self.key_part(item, self.hash_name), self.key_part(item, self.range_name) if self.range_name else b""

    def key_of(self, key):
        """The same of a request's Key, which holds nothing else."""
        if not isinstance(key, dict):
            raise serialization_error("Start of structure or map found where not expected")
        checked, _ = check_item(key)
        if len(checked) != len(self.key_names) or any(
                name not in checked or self.types[name] not in checked[name] for name in self.key_names):
            raise KeyMismatch("The provided key element does not match the schema")
        return self.key_of_item(checked)

    # -------------------------------------------------------------------- rows

    def get(self, key):
        partition = self.partitions.get(key[0])
        return partition.rows.get(key[1]) if partition else None

    def put(self, key, row):
        partition = self.partitions.get(key[0])
        if partition is None:
            partition = self.partitions[key[0]] = Partition(key[0])
            bisect.insort(self.scan_order, (scan_hash(key[0]), key[0]))
        old = partition.rows.get(key[1])
        if old is None:
            bisect.insort(partition.order, key[1])
            self.item_count += 1
        else:
            self.bytes -= old.size
        partition.rows[key[1]] = row
        self.bytes += row.size

    def delete(self, key):
        partition = self.partitions.get(key[0])
        old = partition.rows.pop(key[1], None) if partition else None
        if old is None:
            return
        del partition.order[bisect.bisect_left(partition.order, key[1])]
        self.item_count -= 1
        self.bytes -= old.size
        if not partition.rows:
            del self.partitions[key[0]]
            del self.scan_order[bisect.bisect_left(self.scan_order, (scan_hash(key[0]), key[0]))]

    def key_item(self, row):
        return {name: row.item[name] for name in self.key_names}

    def sorted_items(self):
        return [self.partitions[value].rows[sort].item
                for value in sorted(self.partitions) for sort in self.partitions[value].order]

    # ------------------------------------------------------------- description

    def settle(self):
        if self.status in ("CREATING", "UPDATING") and self.clock() >= self.ready_at:
            self.status = "ACTIVE"

    def describe(self):
        described = {
            "AttributeDefinitions": self.definitions, "TableName": self.name, "KeySchema": self.schema,
            "TableStatus": self.status, "CreationDateTime": round(self.created, 3),
            "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": self.read_units,
                                      "WriteCapacityUnits": self.write_units},
            "TableSizeBytes": self.bytes, "ItemCount": self.item_count, "TableArn": ARN + self.name,
            "TableId": "00000000-0000-4000-8000-%012x" % (hash_number(self.name) % 16 ** 12),
            "DeletionProtectionEnabled": False}
        if self.was_on_demand:
            described["BillingModeSummary"] = {"BillingMode": self.billing}
        return described


def hash_number(text):
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:6], "big")


def scan_hash(value):
    return hashlib.md5(value if isinstance(value, bytes) else str(value).encode()).digest()


class Tables:
    """The control plane. How long a change takes is a setting, for tests that wait."""

    def __init__(self, clock):
        self.clock = clock
        self.tables = {}
        self.create_seconds = self.update_seconds = self.delete_seconds = 0.0

    def find(self, name, described=False):
        """A table that can be used, or, for a description, that exists."""
        if not isinstance(name, str):
            raise invalid("The parameter 'TableName' is required but was not present in the request")
        if name.startswith("arn:"):
            name = name.rpartition("/")[2]
        if not TABLE_NAME.match(name):
            raise invalid("1 validation error detected: Value '%s' at 'tableName' failed to satisfy constraint: "
                          "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+" % name)
        table = self.tables.get(name)
        if table is not None:
            if table.gone_at is not None and self.clock() >= table.gone_at:
                del self.tables[name]
                table = None
            else:
                table.settle()
        if table is None:
            raise not_found("Requested resource not found: Table: %s not found" % name if described
                            else "Requested resource not found")
        if not described and table.status in ("CREATING", "DELETING"):
            raise not_found()
        return table

    def create_table(self, request):
        name = request.get("TableName")
        try:
            self.find(name, described=True)
        except ServiceError as error:
            if error.code != "ResourceNotFoundException":
                raise
        else:
            raise ServiceError("ResourceInUseException", "Table already exists: " + name)
        definitions, schema = request.get("AttributeDefinitions"), request.get("KeySchema")
        check_schema(definitions, schema)
        table = Table(name, definitions, schema, self.clock)
        set_billing(table, request, request.get("BillingMode", "PROVISIONED"))
        table.ready_at = self.clock() + self.create_seconds
        answer = table.describe()
        self.tables[name] = table
        return {"TableDescription": answer}

    def describe_table(self, request):
        return {"Table": self.find(request.get("TableName"), described=True).describe()}

    def update_table(self, request):
        table = self.find(request.get("TableName"), described=True)
        if table.status != "ACTIVE":
            raise ServiceError("ResourceInUseException", "Attempt to change a resource which is still in use: Table "
                               "is being %s: %s" % (table.status.lower(), table.name))
        billing = request.get("BillingMode", table.billing)
        wanted = request.get("ProvisionedThroughput")
        if billing == table.billing and not wanted:
            raise invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                          "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required")
        if wanted and billing == table.billing == "PROVISIONED" and (
                wanted.get("ReadCapacityUnits"), wanted.get("WriteCapacityUnits")) == (
                table.read_units, table.write_units):
            raise invalid("The provisioned throughput for the table will not change. The requested value equals the "
                          "current value. Current ReadCapacityUnits provisioned for the table: %d. Requested "
                          "ReadCapacityUnits: %d." % (table.read_units, table.read_units))
        set_billing(table, request, billing)
        table.status, table.ready_at = "UPDATING", self.clock() + self.update_seconds
        return {"TableDescription": table.describe()}

    def delete_table(self, request):
        table = self.find(request.get("TableName"), described=True)
        if table.status in ("CREATING", "UPDATING"):
            raise ServiceError("ResourceInUseException", "Attempt to change a resource which is still in use: Table "
                               "is being %s: %s" % (table.status.lower(), table.name))
        if table.gone_at is None:
            table.status, table.gone_at = "DELETING", self.clock() + self.delete_seconds
        answer = table.describe()
        return {"TableDescription": answer}

    def list_tables(self, request):
        start, limit = request.get("ExclusiveStartTableName", ""), request.get("Limit", 100)
        names = sorted(name for name in self.tables if name > start and self.exists(name))
        answer = {"TableNames": names[:limit]}
        if len(names) > limit:
            answer["LastEvaluatedTableName"] = names[limit - 1]
        return answer

    def exists(self, name):
        gone_at = self.tables[name].gone_at
        return gone_at is None or self.clock() < gone_at

    def describe_time_to_live(self, request):
        table = self.find(request.get("TableName"), described=True)
        described = {"TimeToLiveStatus": "ENABLED" if table.ttl else "DISABLED"}
        if table.ttl:
            described["AttributeName"] = table.ttl
        return {"TimeToLiveDescription": described}

    def update_time_to_live(self, request):
        table = self.find(request.get("TableName"))
        wanted = request.get("TimeToLiveSpecification") or {}
        if bool(wanted.get("Enabled")) == bool(table.ttl):
            raise invalid("TimeToLive is already " + ("enabled" if table.ttl else "disabled"))
        table.ttl = wanted.get("AttributeName") if wanted.get("Enabled") else None
        return {"TimeToLiveSpecification": wanted}


def check_schema(definitions, schema):
    if not isinstance(definitions, list) or not isinstance(schema, list) or not 1 <= len(schema) <= 2:
        raise invalid_parameter("Some index key attributes are not defined in AttributeDefinitions.")
    if [part.get("KeyType") for part in schema] != ["HASH", "RANGE"][:len(schema)]:
        raise invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if any(definition.get("AttributeType") not in KEY_TYPES for definition in definitions):
        raise invalid("1 validation error detected: Value at 'attributeDefinitions' failed to satisfy constraint: "
                      "Member must satisfy enum value set: [B, N, S]")
    keys = sorted(part.get("AttributeName") for part in schema)
    if keys != sorted(definition.get("AttributeName") for definition in definitions):
        raise invalid_parameter("Number of attributes in KeySchema does not exactly match number of attributes "
                                "defined in AttributeDefinitions")
    if any(utf8_length(name) > 255 for name in keys):
        raise invalid("Member must have length less than or equal to 255")


def set_billing(table, request, billing):
    throughput = request.get("ProvisionedThroughput")
    if billing not in ("PROVISIONED", "PAY_PER_REQUEST"):
        raise invalid("1 validation error detected: Value '%s' at 'billingMode' failed to satisfy constraint: Member "
                      "must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]" % billing)
    if billing == "PAY_PER_REQUEST":
        if throughput:
            raise invalid_parameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                                    "BillingMode is PAY_PER_REQUEST")
        table.billing, table.read_units, table.write_units, table.was_on_demand = billing, 0, 0, True
        return
    if not throughput:
        raise invalid_parameter("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
                                "PROVISIONED")
    units = throughput.get("ReadCapacityUnits"), throughput.get("WriteCapacityUnits")
    if not all(isinstance(unit, int) and unit >= 1 for unit in units):
        raise invalid("1 validation error detected: Value at 'provisionedThroughput' failed to satisfy constraint: "
                      "Member must have value greater than or equal to 1")
    table.billing, (table.read_units, table.write_units) = billing, units
