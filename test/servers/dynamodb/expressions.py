"""
Condition, key condition, filter, projection and update expressions, parsed
once each and evaluated on an item.

A condition is a function of (item, Placeholders); a path is a list of names
and list positions.
"""

import functools
import re
from decimal import Context, Decimal

from .errors import invalid
from .values import check_value, compare_key, normalise_number, utf8_length

TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+)|(\d+)|(<>|<=|>=|[=<>(),.\[\]+-]))", re.ASCII)
MAX_LENGTH = 4096
ORDERS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


class Placeholders:
    """ExpressionAttributeNames and -Values of a request, and which were used."""

    def __init__(self, request):
        self.names = request.get("ExpressionAttributeNames") or {}
        self.values = {name: check_value(value)[0]
                       for name, value in (request.get("ExpressionAttributeValues") or {}).items()}
        self.used = set()
        self.given = bool(self.names or self.values)

    def name(self, name):
        if not name.startswith("#"):
            return name
        if name not in self.names:
            raise invalid("Invalid expression: An expression attribute name used in the document path is not "
                          "defined; attribute name: " + name)
        self.used.add(name)
        return self.names[name]

    def value(self, name):
        if name not in self.values:
            raise invalid("Invalid expression: An expression attribute value used in expression is not defined; "
                          "attribute value: " + name)
        self.used.add(name)
        return self.values[name]

    def check_used(self, *expressions):
        """Every placeholder must be mentioned, wherever evaluation went."""
        mentioned = set()
        for expression in expressions:
            if expression:
                mentioned.update(re.findall(r"[#:][A-Za-z0-9_]+", expression))
        for kind, given in (("Names", self.names), ("Values", self.values)):
            unused = sorted(set(given) - mentioned)
            if unused:
                raise invalid("Value provided in ExpressionAttribute%s unused in expressions: keys: {%s}"
                              % (kind, ", ".join(unused)))
            if given and not any(expressions):
                raise invalid("ExpressionAttribute%s can only be specified when using expressions" % kind)
        for name in mentioned:
            self.name(name) if name.startswith("#") else self.value(name)


def tokens_of(text):
    if not isinstance(text, str) or not text.strip():
        raise invalid("Invalid expression: The expression can not be empty;")
    if utf8_length(text) > MAX_LENGTH:
        raise invalid("Invalid expression: Expression size has exceeded the maximum allowed size;")
    found, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise invalid('Invalid expression: Syntax error; token: "%s", near: "%s"'
                          % (text[at], text[max(0, at - 5):at + 5]))
        found.append(match.group(match.lastindex))
        at = match.end()
    return found


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self, *wanted):
        token = self.peek()
        if token is None or (wanted and token.upper() not in wanted):
            raise invalid('Invalid expression: Syntax error; token: "%s"' % ("<EOF>" if token is None else token))
        self.at += 1
        return token

    def accept(self, *wanted):
        token = self.peek()
        if token is not None and token.upper() in wanted:
            self.at += 1
            return token
        return None

    def end(self, result):
        if self.peek() is not None:
            raise invalid('Invalid expression: Syntax error; token: "%s"' % self.peek())
        return result

    # ------------------------------------------------------------ conditions

    def condition(self):
        parts = [self.conjunction()]
        while self.accept("OR"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else lambda item, use: any(part(item, use) for part in parts)

    def conjunction(self):
        parts = [self.negation()]
        while self.accept("AND"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else lambda item, use: all(part(item, use) for part in parts)

    def negation(self):
        if self.accept("NOT"):
            inner = self.negation()
            return lambda item, use: not inner(item, use)
        if self.accept("("):
            inner = self.condition()
            self.next(")")
            return inner
        return self.comparison()

    def comparison(self):
        call = self.function_call()
        if call and call[0] != "size":
            return predicate(*call)
        left = (lambda item, use: size_of(call[1][0](item, use))) if call else self.operand()
        operator = self.next("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN").upper()
        if operator == "BETWEEN":
            low = self.operand()
            self.next("AND")
            high = self.operand()
            return lambda item, use: between(left(item, use), low(item, use), high(item, use))
        if operator == "IN":
            self.next("(")
            options = [self.operand()]
            while self.accept(","):
                options.append(self.operand())
            self.next(")")
            return lambda item, use: any(equal(left(item, use), option(item, use)) for option in options)
        right = self.operand()
        return lambda item, use: compare(operator, left(item, use), right(item, use))

    def function_call(self):
        name = self.peek()
        if self.at + 1 >= len(self.tokens) or self.tokens[self.at + 1] != "(" or name[0] in ":#(":
            return None
        if name not in FUNCTIONS:
            raise invalid("Invalid expression: Invalid function name; function: " + name)
        self.at += 2
        arguments = [self.operand()]
        while self.accept(","):
            arguments.append(self.operand())
        self.next(")")
        if len(arguments) != FUNCTIONS[name]:
            raise invalid("Invalid expression: Incorrect number of operands for operator or function; "
                          "operator or function: " + name)
        return name, arguments

    def operand(self):
        token = self.peek()
        if token is not None and token.startswith(":"):
            self.at += 1
            return lambda item, use: use.value(token)
        path = self.path()
        return lambda item, use: lookup(item, path, use)

    def path(self):
        parts = [self.word()]
        while True:
            if self.accept("."):
                parts.append(self.word())
            elif self.accept("["):
                parts.append(int(self.next()))
                self.next("]")
            else:
                return tuple(parts)

    def word(self):
        token = self.next()
        if not (token[0].isalpha() or token[0] in "_#"):
            raise invalid('Invalid expression: Syntax error; token: "%s"' % token)
        return token


FUNCTIONS = {"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2, "begins_with": 2, "contains": 2,
             "size": 1}


def predicate(name, arguments):
    def evaluate(item, use):
        values = [argument(item, use) for argument in arguments]
        if name == "attribute_exists":
            return values[0] is not None
        if name == "attribute_not_exists":
            return values[0] is None
        if None in values:
            return False
        (kind, content), (other_kind, other) = [next(iter(value.items())) for value in values]
        if name == "attribute_type":
            return kind == other
        if name == "begins_with":
            return kind == other_kind and kind in "SB" and compare_key(values[0]).startswith(compare_key(values[1]))
        if kind == "L":
            return values[1] in content
        if kind in ("SS", "NS", "BS"):
            return kind[0] == other_kind and other in content
        return kind == other_kind and kind in "SB" and compare_key(values[1]) in compare_key(values[0])
    return evaluate


def size_of(value):
    if value is None:
        return None
    kind, content = next(iter(value.items()))
    if kind not in ("S", "B", "SS", "NS", "BS", "L", "M"):
        return None
    return {"N": str(len(compare_key(value) if kind in "SB" else content))}


def equal(left, right):
    if left is None or right is None:
        return False
    kind = next(iter(left))
    if kind in ("SS", "NS", "BS") and kind in right:
        return sorted(left[kind]) == sorted(right[kind])
    return left == right


def compare(operator, left, right):
    if operator == "=":
        return equal(left, right)
    if operator == "<>":
        return left is not None and right is not None and not equal(left, right)
    if left is None or right is None or next(iter(left)) != next(iter(right)) or next(iter(left)) not in "SNB":
        return False
    return ORDERS[operator](compare_key(left), compare_key(right))


def between(value, low, high):
    return compare(">=", value, low) and compare("<=", value, high)


def lookup(item, path, use):
    """The value at a path, or None."""
    if item is None:
        return None
    value = item.get(use.name(path[0]))
    for part in path[1:]:
        if value is None:
            return None
        if isinstance(part, int):
            elements = value.get("L") or []
            value = elements[part] if part < len(elements) else None
        else:
            value = (value.get("M") or {}).get(use.name(part))
    return value


@functools.lru_cache(maxsize=1000)
def parse_condition(text):
    parser = Parser(text)
    return parser.end(parser.condition())


@functools.lru_cache(maxsize=1000)
def parse_projection(text):
    parser = Parser(text)
    paths = [parser.path()]
    while parser.accept(","):
        paths.append(parser.path())
    return parser.end(paths)


def project(item, text, use):
    """Only top-level names; that is all that is asked for."""
    if not text:
        return item
    names = [use.name(path[0]) for path in parse_projection(text)]
    return {name: item[name] for name in names if name in item}


@functools.lru_cache(maxsize=1000)
def parse_key_condition(text):
    """[(name, operator, [placeholders])] of the parts joined by AND."""
    parser = Parser(text)
    parts = [key_part(parser)]
    while parser.accept("AND"):
        parts.append(key_part(parser))
    return parser.end(parts)


def key_part(parser):
    if parser.accept("("):
        part = key_part(parser)
        parser.next(")")
        return part
    if parser.peek() == "begins_with":
        parser.at += 1
        parser.next("(")
        name = parser.word()
        parser.next(",")
        value = parser.next()
        parser.next(")")
        return name, "begins_with", [value]
    name = parser.word()
    operator = parser.next("=", "<", "<=", ">", ">=", "BETWEEN").upper()
    values = [parser.next()]
    if operator == "BETWEEN":
        parser.next("AND")
        values.append(parser.next())
    return name, operator, values


# ---------------------------------------------------------------------- updates

@functools.lru_cache(maxsize=1000)
def parse_update(text):
    """[(clause, attribute, value)]: SET, REMOVE, ADD of top-level attributes."""
    parser, actions, seen = Parser(text), [], set()
    while parser.peek() is not None:
        clause = parser.next("SET", "REMOVE", "ADD").upper()
        if clause in seen:
            raise invalid('Invalid UpdateExpression: The "%s" section can only be used once' % clause)
        seen.add(clause)
        while True:
            name, value = parser.word(), None
            if clause == "SET":
                parser.next("=")
                value = sum_of(parser)
            elif clause == "ADD":
                value = parser.operand()
            actions.append((clause, name, value))
            if not parser.accept(","):
                break
    return actions


def sum_of(parser):
    left = update_operand(parser)
    operator = parser.accept("+", "-")
    if not operator:
        return left
    right = update_operand(parser)
    return lambda item, use: add(left(item, use), right(item, use), operator)


def update_operand(parser):
    if parser.peek() == "if_not_exists":
        parser.at += 1
        parser.next("(")
        path = parser.operand()
        parser.next(",")
        otherwise = parser.operand()
        parser.next(")")
        return lambda item, use: path(item, use) or otherwise(item, use)
    return parser.operand()


def add(left, right, operator="+"):
    if left is None:
        raise invalid("The provided expression refers to an attribute that does not exist in the item")
    if "N" not in left or "N" not in (right or {}):
        raise invalid("An operand in the update expression has an incorrect data type")
    context = Context(prec=60)
    operation = context.add if operator == "+" else context.subtract
    return {"N": normalise_number(format(operation(Decimal(left["N"]), Decimal(right["N"])), "f"))}


def update(item, text, use):
    """A changed copy of the item."""
    changed = dict(item)
    for clause, name, value in parse_update(text):
        name = use.name(name)
        if clause == "REMOVE":
            changed.pop(name, None)
        elif clause == "SET":
            new = value(item, use)
            if new is None:
                raise invalid("The provided expression refers to an attribute that does not exist in the item")
            changed[name] = new
        else:
            changed[name] = add(item[name], value(item, use)) if name in item else value(item, use)
    return changed
