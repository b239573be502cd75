"""
What the service does with requests: reads, writes, transactions.

One lock makes each request atomic.  A request is checked outside of it as far
as it needs no table.  Answers are JSON text, so that a page of items is joined
from texts that are made once an item.
"""

import bisect
import json
import threading
import time

from .errors import KeyMismatch, ServiceError, cancelled, invalid, invalid_parameter
from .expressions import Placeholders, parse_condition, parse_key_condition, project, update
from .tables import MAX_ITEM, Row, Tables, scan_hash
from .values import check_item, check_value, compare_key, serialization_error

MAX_PAGE = 1024 * 1024
MAX_ACTIONS = 100
MAX_TRANSACTION = 4 * 1024 * 1024
MAX_BATCH_ANSWER = 16 * 1024 * 1024
TOKEN_SECONDS = 600
ACTION_FIELDS = {"Put": "Item", "Delete": "Key", "Update": "Key", "ConditionCheck": "Key"}


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Engine:
    def __init__(self):
        self.lock = threading.Lock()
        self.clock_offset = 0.0
        self.tables = Tables(self.clock)
        # token: [body, when its first request ended, answer]
        self.tokens = {}
        # token: how often it was sent, applied, answered as a replay.
        self.writes = {}
        # Settings of tests: smaller pages, batches that are not done at once.
        self.page_bytes = MAX_PAGE
        self.unprocessed_after = None
        self.operations = {
            "TransactWriteItems": self.transact_write, "TransactGetItems": self.transact_get,
            "GetItem": self.get_item, "Query": self.query, "Scan": self.scan, "BatchGetItem": self.batch_get,
            "BatchWriteItem": self.batch_write, "PutItem": self.put_item, "DeleteItem": self.delete_item,
            "UpdateItem": self.update_item,
        }
        for name, method in (("CreateTable", "create_table"), ("DescribeTable", "describe_table"),
                             ("UpdateTable", "update_table"), ("DeleteTable", "delete_table"),
                             ("ListTables", "list_tables"), ("DescribeTimeToLive", "describe_time_to_live"),
                             ("UpdateTimeToLive", "update_time_to_live")):
            self.operations[name] = self.control(getattr(self.tables, method))

    def clock(self):
        return time.time() + self.clock_offset

    def control(self, method):
        def run(request, body):
            with self.lock:
                return dumps(method(request)), True
        return run

    def run(self, operation, request, body):
        """
        (JSON text, applied): applied is false where a write changed nothing, as
        a replay does.  Raises ServiceError.
        """
        if operation not in self.operations:
            raise ServiceError("UnknownOperationException")
        return self.operations[operation](request, body)

    # ------------------------------------------------------------------- reads

    def get_item(self, request, body):
        use = Placeholders(request) if "ExpressionAttributeNames" in request else None
        projection = request.get("ProjectionExpression")
        with self.lock:
            table = self.tables.find(request.get("TableName"))
            row = table.get(table.key_of(request.get("Key")))
        if row is None:
            return "{}", True
        if projection:
            return dumps({"Item": project(row.item, projection, use or Placeholders({}))}), True
        return '{"Item":%s}' % row.text(), True

    def batch_get(self, request, body):
        wanted = request.get("RequestItems")
        if not isinstance(wanted, dict) or not wanted:
            raise invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member "
                          "must have length greater than or equal to 1")
        if sum(len(part.get("Keys") or []) for part in wanted.values()) > 100:
            raise invalid("Too many items requested for the BatchGetItem call")
        answers, left, total, count = {}, {}, 0, 0
        with self.lock:
            for name, part in wanted.items():
                table, seen, sizes = self.tables.find(name), set(), {}
                keys = part.get("Keys")
                if not keys:
                    raise invalid("The list of keys in RequestItems for BatchGetItem is required")
                use = Placeholders(part)
                answers[name] = []
                for key in keys:
                    found = table.key_of(key)
                    if found in seen:
                        raise invalid("Provided list of item keys contains duplicates")
                    seen.add(found)
                    row = table.get(found)
                    size = row.size if row else 0
                    # The service stops at 16 MB, and at 1 MB of a partition.
                    if (total + size > MAX_BATCH_ANSWER or sizes.get(found[0], 0) + size > MAX_PAGE
                            or (self.unprocessed_after is not None and count >= self.unprocessed_after)):
                        left.setdefault(name, []).append(key)
                        continue
                    count += 1
                    total += size
                    sizes[found[0]] = sizes.get(found[0], 0) + size
                    if row:
                        answers[name].append(dumps(project(row.item, part.get("ProjectionExpression"), use)))
        unprocessed = {name: {**wanted[name], "Keys": keys} for name, keys in left.items()}
        return '{"Responses":{%s},"UnprocessedKeys":%s}' % (
            ",".join("%s:[%s]" % (dumps(name), ",".join(texts)) for name, texts in answers.items()),
            dumps(unprocessed)), True

    def transact_get(self, request, body):
        actions = self.check_actions(request)
        with self.lock:
            seen, found = set(), []
            for action in actions:
                get = action.get("Get") or {}
                table = self.tables.find(get.get("TableName"))
                key = table.key_of(get.get("Key"))
                if (table.name, key) in seen:
                    raise invalid("Transaction request cannot include multiple operations on one item")
                seen.add((table.name, key))
                row = table.get(key)
                found.append({"Item": project(row.item, get.get("ProjectionExpression"), Placeholders(get))}
                             if row else {})
            if sum(len(dumps(answer)) for answer in found) > MAX_TRANSACTION:
                raise invalid("Transaction response size cannot exceed 4 MB limit")
        return dumps({"Responses": found}), True

    def query(self, request, body):
        use = Placeholders(request)
        condition = request.get("KeyConditionExpression")
        if not condition:
            raise invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
                          "request.")
        use.check_used(condition, request.get("FilterExpression"), request.get("ProjectionExpression"))
        forward = request.get("ScanIndexForward", True)
        with self.lock:
            table = self.tables.find(request.get("TableName"))
            value, low, high = key_range(table, parse_key_condition(condition), use)
            start = request.get("ExclusiveStartKey")
            if start:
                start = table.key_of(start)
                if start[0] != value:
                    raise invalid("The provided starting key is outside query boundaries based on provided "
                                  "conditions")
            partition = table.partitions.get(value)
            order = partition.order if partition else []
            first, last = slice_of(order, low, high)
            if start and forward:
                first = max(first, bisect.bisect_right(order, start[1]))
            elif start:
                last = min(last, bisect.bisect_left(order, start[1]))
            positions = range(first, last) if forward else range(last - 1, first - 1, -1)
            rows = (partition.rows[order[position]] for position in positions)
            return self.page(table, rows, request, use), True

    def scan(self, request, body):
        use = Placeholders(request)
        use.check_used(request.get("FilterExpression"), request.get("ProjectionExpression"))
        segments, segment = request.get("TotalSegments"), request.get("Segment")
        if (segments is None) != (segment is None):
            raise invalid("The %s parameter is required but was not present in the request when parameter %s is "
                          "present" % (("TotalSegments", "Segment") if segments is None
                                       else ("Segment", "TotalSegments")))
        if segments is not None and not (isinstance(segments, int) and 1 <= segments <= 1000000
                                         and isinstance(segment, int) and 0 <= segment < segments):
            raise invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: "
                          "Segment: %s is not less than TotalSegments: %s" % (segment, segments))
        with self.lock:
            table = self.tables.find(request.get("TableName"))
            start = request.get("ExclusiveStartKey")
            start = table.key_of(start) if start else None
            return self.page(table, scan_rows(table, start, segments, segment), request, use), True

    def page(self, table, rows, request, use):
        """One page: at most Limit items and 1 MB read, before the filter."""
        limit, selects_count = request.get("Limit"), request.get("Select") == "COUNT"
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise invalid("1 validation error detected: Value '%s' at 'limit' failed to satisfy constraint: Member "
                          "must have value greater than or equal to 1" % limit)
        kept, projection = request.get("FilterExpression"), request.get("ProjectionExpression")
        kept = parse_condition(kept) if kept else None
        texts, scanned, size, last, count = [], 0, 0, None, 0
        for row in rows:
            scanned += 1
            size += row.size
            if kept is None or kept(row.item, use):
                count += 1
                if not selects_count:
                    texts.append(dumps(project(row.item, projection, use)) if projection else row.text())
            if scanned == limit:
                # Also where no row follows.
                last = row
                break
            if size > self.page_bytes:
                last = row if next(rows, None) else None
                break
        parts = ['"Count":%d,"ScannedCount":%d' % (count, scanned)]
        if not selects_count:
            parts.append('"Items":[%s]' % ",".join(texts))
        if last is not None:
            parts.append('"LastEvaluatedKey":' + dumps(table.key_item(last)))
        return "{%s}" % ",".join(parts)

    # ------------------------------------------------------------- one-item writes

    def put_item(self, request, body):
        return self.write_one("Put", request)

    def delete_item(self, request, body):
        return self.write_one("Delete", request)

    def update_item(self, request, body):
        return self.write_one("Update", request)

    def write_one(self, kind, request):
        with self.lock:
            action = Action(kind, request, self.tables)
            if not action.holds():
                more = {}
                if request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and action.old:
                    more["Item"] = action.old.item
                raise ServiceError("ConditionalCheckFailedException", "The conditional request failed", **more)
            action.prepare()
            action.apply()
        wanted, answer = request.get("ReturnValues", "NONE"), {}
        if wanted == "ALL_OLD" and action.old:
            answer["Attributes"] = action.old.item
        elif wanted == "ALL_NEW" and kind == "Update":
            answer["Attributes"] = action.new.item
        return dumps(answer), True

    def batch_write(self, request, body):
        wanted = request.get("RequestItems")
        if not isinstance(wanted, dict) or not 1 <= sum(len(part) for part in wanted.values()) <= 25:
            raise invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member "
                          "must have length less than or equal to 25, Member must have length greater than or equal "
                          "to 1")
        left, actions, seen = {}, [], set()
        with self.lock:
            for name, parts in wanted.items():
                for part in parts:
                    kind = "Put" if "PutRequest" in part else "Delete"
                    action = Action(kind, {"TableName": name, **(part.get(kind + "Request") or {})}, self.tables)
                    if action.identity in seen:
                        raise invalid("Provided list of item keys contains duplicates")
                    seen.add(action.identity)
                    action.prepare()
                    if self.unprocessed_after is not None and len(actions) >= self.unprocessed_after:
                        left.setdefault(name, []).append(part)
                    else:
                        actions.append(action)
            for action in actions:
                action.apply()
        return dumps({"UnprocessedItems": left}), True

    # ---------------------------------------------------------------- transactions

    def check_actions(self, request):
        actions = request.get("TransactItems")
        if actions is None or (isinstance(actions, list) and not actions):
            raise invalid("1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
                          "Member must have length greater than or equal to 1")
        if not isinstance(actions, list):
            raise serialization_error("Unexpected field type")
        if len(actions) > MAX_ACTIONS:
            raise invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "
                          "Member must have length less than or equal to 100")
        return actions

    def transact_write(self, request, body):
        token = request.get("ClientRequestToken")
        if token is not None and not (isinstance(token, str) and 1 <= len(token) <= 36):
            raise invalid("1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: "
                          "Member must have length less than or equal to 36")
        listed = self.check_actions(request)
        with self.lock:
            counted = self.writes.setdefault(token, {"sent": 0, "applied": 0, "replayed": 0}) if token else {}
            if token:
                counted["sent"] += 1
                known = self.known_token(token)
                if known:
                    if not same_request(known[0], body):
                        raise ServiceError("IdempotentParameterMismatchException",
                                           "The request uses the same client token as a previous, but non-identical "
                                           "request. Do not reuse a client token with different requests, unless "
                                           "the requests are identical")
                    counted["replayed"] += 1
                    return known[2], False
            actions = self.prepare_actions(listed)
            for action in actions:
                action.apply()
            if token:
                counted["applied"] += 1
                self.tokens[token] = [body, self.clock(), "{}"]
        return "{}", True

    def known_token(self, token):
        known = self.tokens.get(token)
        if known and self.clock() - known[1] > TOKEN_SECONDS:
            del self.tokens[token]
            return None
        return known

    def prepare_actions(self, listed):
        """All actions with their new rows; raises unless every condition holds."""
        actions, reasons, seen, size = [], {}, set(), 0
        for element in listed:
            if not isinstance(element, dict) or len(element) != 1 or next(iter(element)) not in ACTION_FIELDS:
                raise invalid("TransactItems can only contain one of Check, Put, Update or Delete")
            kind, fields = next(iter(element.items()))
            try:
                action = Action(kind, fields, self.tables)
            except KeyMismatch as error:
                reasons[len(actions)] = {"Code": "ValidationError", "Message": error.message}
                actions.append(None)
                continue
            if action.identity in seen:
                raise invalid("Transaction request cannot include multiple operations on one item")
            seen.add(action.identity)
            size += action.request_size
            actions.append(action)
        if size > MAX_TRANSACTION:
            raise invalid("Aggregate size of the items in the transaction exceeds the limit of 4 MB")
        reasons = [reasons.get(number) or action.reason() for number, action in enumerate(actions)]
        if any(reason["Code"] != "None" for reason in reasons):
            raise cancelled(reasons)
        return actions


def same_request(one, other):
    return one == other or json.loads(one) == json.loads(other)


class Action:
    """One write: a whole request, or a part of a transaction or batch."""

    def __init__(self, kind, fields, tables):
        self.kind, self.fields = kind, fields
        if not isinstance(fields.get(ACTION_FIELDS[kind]), dict):
            raise invalid("1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must "
                          "not be null" % ACTION_FIELDS[kind].lower())
        self.table = tables.find(fields.get("TableName"))
        self.use = Placeholders(fields)
        self.condition = fields.get("ConditionExpression")
        self.use.check_used(self.condition, fields.get("UpdateExpression"))
        self.condition = parse_condition(self.condition) if self.condition else None
        self.new = None
        if kind == "Put":
            item, size = check_item(fields["Item"])
            self.key = self.table.key_of_item(item)
            self.new = Row(item, size)
            if size > MAX_ITEM:
                raise invalid("Item size has exceeded the maximum allowed size")
            self.request_size = size
        else:
            self.key = self.table.key_of(fields["Key"])
            self.request_size = check_item(fields["Key"])[1] + sum(
                check_value(value)[1] for value in (fields.get("ExpressionAttributeValues") or {}).values())
            if kind == "ConditionCheck" and not self.condition:
                raise invalid("The ConditionExpression of a ConditionCheck is required")
        self.identity = (self.table.name, self.key)
        self.old = self.table.get(self.key)

    def holds(self):
        return self.condition is None or self.condition(self.old.item if self.old else {}, self.use)

    def prepare(self):
        """The new row of an update."""
        if self.kind != "Update":
            return
        old = self.old.item if self.old else dict(self.fields["Key"])
        text = self.fields.get("UpdateExpression")
        item, size = check_item(update(old, text, self.use) if text else old)
        if self.table.key_of_item(item) != self.key:
            raise invalid_parameter("Cannot update attribute. This attribute is part of the key")
        if size > MAX_ITEM:
            raise invalid("Item size to update has exceeded the maximum allowed size")
        self.new = Row(item, size)

    def reason(self):
        """Why a transaction with this action is cancelled, or Code None."""
        if not self.holds():
            reason = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
            if self.fields.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and self.old:
                reason["Item"] = self.old.item
            return reason
        try:
            self.prepare()
        except ServiceError as error:
            return {"Code": "ValidationError", "Message": error.message}
        return {"Code": "None"}

    def apply(self):
        if self.kind == "Delete":
            self.table.delete(self.key)
        elif self.new is not None:
            self.table.put(self.key, self.new)



# ------------------------------------------------------------------- key ranges

def key_range(table, parts, use):
    """(partition value, low, high): a bound is (value, included) or None."""
    value = low = high = None
    for name, operator, placeholders in parts:
        name = use.name(name)
        values = [use.value(placeholder) for placeholder in placeholders]
        if name not in table.types:
            raise invalid("Query condition missed key schema element: " + table.hash_name)
        if any(table.types[name] not in given for given in values):
            raise invalid("One or more parameter values were invalid: Condition parameter type does not match schema "
                          "type")
        keys = [compare_key(given) for given in values]
        if name == table.hash_name:
            if operator != "=" or value is not None:
                raise invalid("Query key condition not supported")
            value = keys[0]
            if value == b"":
                raise invalid("One or more parameter values are not valid. The AttributeValue for a key attribute "
                              "cannot contain an empty string value. Key: " + name)
        elif low or high:
            raise invalid("KeyConditionExpressions must only contain one condition per key")
        elif operator == "BETWEEN":
            if keys[0] > keys[1]:
                raise invalid("Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be "
                              "greater than or equal to lower bound")
            low, high = (keys[0], True), (keys[1], True)
        elif operator == "begins_with":
            low, high = (keys[0], True), (keys[0] + b"\xff" * 1025, True)
        elif operator == "=":
            low = high = (keys[0], True)
        elif operator[0] == ">":
            low = (keys[0], operator == ">=")
        else:
            high = (keys[0], operator == "<=")
    if value is None:
        raise invalid("Query condition missed key schema element: " + table.hash_name)
    return value, low, high


def slice_of(order, low, high):
    first, last = 0, len(order)
    if low:
        first = (bisect.bisect_left if low[1] else bisect.bisect_right)(order, low[0])
    if high:
        last = (bisect.bisect_right if high[1] else bisect.bisect_left)(order, high[0])
    return first, max(first, last)


def scan_rows(table, start, segments, segment):
    position = 0
    if start:
        position = bisect.bisect_left(table.scan_order, (scan_hash(start[0]), start[0]))
    for digest, value in table.scan_order[position:]:
        # A segment is a range of hashes, as in the service.
        if segments is not None and int.from_bytes(digest[:8], "big") * segments >> 64 != segment:
            continue
        partition = table.partitions[value]
        begin = bisect.bisect_right(partition.order, start[1]) if start and value == start[0] else 0
        for sort in partition.order[begin:]:
            yield partition.rows[sort]
