"""What can go wrong, as exceptions with the library's own words."""


class Error(Exception):
    """Any failure of Heddle. What to do about it, where that is known, is a note of the exception."""


class UsageError(Error, ValueError):
    """A wrong argument, plan or option."""


class InputError(Error, ValueError):
    """A bad file, matrix or vector."""


class UnavailableError(Error, RuntimeError):
    """The device or the memory asked for is not there, or the format does not fit."""


class InternalError(Error, RuntimeError):
    """A bug in Heddle."""


for _class in (Error, UsageError, InputError, UnavailableError, InternalError):
    _class.__module__ = "heddle"
