"""Arguments of users as the library takes them, or a clear word about what is wrong with them."""

import operator


def text(value, name):
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}: a text is needed")
    return value


def whole(value, name, least=0, most=2**31 - 1):
    try:
        number = operator.index(value)
    except TypeError:
        number = int(value) if isinstance(value, float) and value.is_integer() else None
    if number is None:
        raise TypeError(f"{name} is {value!r}: a whole number is needed")
    if not least <= number <= most:
        raise ValueError(f"{name} is {value!r}: a number from {least} to {most} is needed")
    return number


def real(value, name):
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: a number is needed") from None
    if not number >= 0:
        raise ValueError(f"{name} is {value!r}: a number from 0 on is needed")
    return number
