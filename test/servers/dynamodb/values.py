"""
Attribute values: what the service accepts, how it stores numbers, how many
bytes it counts.
"""

import base64
import binascii
import re
from decimal import Decimal

from .errors import ServiceError, invalid, invalid_parameter

NUMBER = re.compile(r"([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?\Z", re.ASCII)
PLAIN_NUMBER = re.compile(r"(?:0|[1-9]\d{0,37})\Z", re.ASCII)
DEPTH = 32


def parse_number(text):
    """(negative, significant digits, power of ten of the last one)."""
    match = NUMBER.match(text)
    if not match:
        raise invalid("The parameter cannot be converted to a numeric value" + (": " + text if text else ""))
    sign, whole, fraction, bare, exponent = match.groups()
    exponent = int(exponent or 0)
    if abs(exponent) > 2 ** 63 - 1:
        raise invalid("The parameter cannot be converted to a numeric value: " + text)
    fraction = bare or fraction or ""
    digits = ((whole or "") + fraction).lstrip("0")
    power = exponent - len(fraction)
    stripped = digits.rstrip("0")
    power += len(digits) - len(stripped)
    if not stripped:
        if exponent > 125:
            raise overflow()
        return False, "", 0
    top = power + len(stripped) - 1
    if top > 125:
        raise overflow()
    if top < -130:
        raise invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
    if len(stripped) > 38:
        raise invalid("Attempting to store more than 38 significant digits in a Number")
    return sign == "-", stripped, power


def overflow():
    return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")


def normalise_number(text):
    """As the service answers it: expanded, without superfluous zeros."""
    if PLAIN_NUMBER.match(text):
        return text
    negative, digits, power = parse_number(text)
    if not digits:
        return "0"
    if power >= 0:
        plain = digits + "0" * power
    elif -power >= len(digits):
        plain = "0." + "0" * (-power - len(digits)) + digits
    else:
        plain = digits[:power] + "." + digits[power:]
    return "-" + plain if negative else plain


def number_size(text):
    """Two digits a byte on either side of the point; see the vectors."""
    negative, digits, power = parse_number(text)
    if not digits:
        return 1
    whole = max(0, len(digits) + power)
    if power >= 0:
        # Trailing zeros cost nothing.
        whole_digits, fraction_digits = len(digits), 0
    elif whole:
        whole_digits, fraction_digits = whole, -power
    else:
        whole_digits, fraction_digits = 0, len(digits)
    return 1 + (whole_digits + 1) // 2 + (fraction_digits + 1) // 2 + negative


def compare_key(value):
    """Something that orders values of one type as the service does."""
    kind, content = next(iter(value.items()))
    if kind == "S":
        return content.encode()
    if kind == "B":
        return base64.b64decode(content)
    if kind == "N":
        return Decimal(content)
    return content


def utf8_length(text):
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def serialization_error(message=None):
    return ServiceError("SerializationException", message)


def check_value(value, depth=1):
    """The value as it is stored, and its size."""
    if not isinstance(value, dict):
        raise serialization_error("Unexpected value type in payload")
    if len(value) != 1:
        raise invalid("Supplied AttributeValue %s, must contain exactly one of the supported datatypes"
                      % ("is empty" if not value else "has more than one datatypes set"))
    kind, content = next(iter(value.items()))
    if kind == "S":
        if not isinstance(content, str):
            raise serialization_error("STRING_VALUE expected")
        return value, utf8_length(content)
    if kind == "N":
        if not isinstance(content, str):
            raise serialization_error("NUMBER_VALUE cannot be converted to String")
        text = normalise_number(content)
        return (value if text is content else {"N": text}), number_size(text)
    if kind == "B":
        return value, binary_size(content)
    if kind == "BOOL":
        if not isinstance(content, bool):
            raise serialization_error("Unexpected token received from parser")
        return value, 1
    if kind == "NULL":
        if content is not True:
            raise invalid_parameter("Null attribute value types must have the value of true")
        return value, 1
    if kind in ("SS", "NS", "BS"):
        return check_set(kind, content)
    if depth > DEPTH - 1 and kind in ("L", "M"):
        raise invalid("Nesting Levels have exceeded supported limits")
    if kind == "L" and isinstance(content, list):
        checked = [check_value(element, depth + 1) for element in content]
        return {"L": [element for element, _ in checked]}, 3 + sum(size + 1 for _, size in checked)
    if kind == "M" and isinstance(content, dict):
        item, size = {}, 3
        for name, element in content.items():
            item[name], element_size = check_value(element, depth + 1)
            size += utf8_length(name) + element_size + 1
        return {"M": item}, size
    if kind in ("L", "M"):
        raise serialization_error("Unexpected field type")
    raise invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")


def check_set(kind, content):
    if not isinstance(content, list):
        raise serialization_error("Unexpected field type")
    if not content:
        raise invalid_parameter("An %s set  may not be empty" % {"SS": "string", "NS": "number", "BS": "binary"}[kind])
    checked = [check_value({kind[0]: element}) for element in content]
    elements = [element[kind[0]] for element, _ in checked]
    if len(set(elements)) != len(elements):
        raise invalid_parameter("Input collection %s contains duplicates." % elements)
    return {kind: elements}, sum(size for _, size in checked)


def binary_size(content):
    if not isinstance(content, str):
        raise serialization_error("Unexpected token received from parser")
    try:
        return len(base64.b64decode(content, validate=True))
    except (binascii.Error, ValueError):
        raise serialization_error("Invalid Base64 data") from None


def check_item(item):
    """The item as it is stored, and its size; 409,600 is for the caller."""
    if not isinstance(item, dict):
        raise serialization_error("Start of structure or map found where not expected")
    stored, size = {}, 0
    for name, value in item.items():
        if not name:
            raise invalid("Empty attribute name")
        stored[name], value_size = check_value(value)
        size += utf8_length(name) + value_size
    return stored, size
