"""What users call a matrix, as arrays that the library takes without copying them."""

import operator
import os
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._errors import InputError

_LAYOUTS = {"csr": 0, "csc": 1, "coo": 2}


@dataclass
class Given:
    """Arrays of a layout, and how the user's own values become theirs."""

    layout: str
    shape: tuple
    first: np.ndarray  # csr, csc: indptr; coo: rows
    second: np.ndarray  # csr, coo: columns; csc: rows
    data: np.ndarray
    values: tuple = None  # shape of the values of the user; None: as `data`
    picks: np.ndarray = None  # which of them are stored; None: all, in their order
    dropped: np.ndarray = None  # which of them were zero and are not stored
    conversions: list = field(default_factory=list)

    def matrix(self):
        """The matrix of the library; it borrows the arrays."""
        return _core.borrow(_LAYOUTS[self.layout], *self.shape, self.first, self.second, self.data)


def value_dtype(dtype):
    """The type that values of this one are stored in."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise TypeError("complex matrices are not supported; values are float32 or float64")
    if dtype.kind not in "fiub":
        raise TypeError(f"values of dtype {dtype} are not numbers")
    return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float32 if dtype == np.float16 else np.float64)


def refuse_device_array(x):
    """A clear word about arrays that lie on a GPU."""
    if hasattr(type(x), "__cuda_array_interface__") or getattr(getattr(x, "device", None), "type", "cpu") == "cuda":
        raise TypeError(
            f"arrays on a GPU ({type(x).__module__}.{type(x).__name__}) are not taken; "
            "copy it to the host first (x.get(), x.cpu())"
        )


def _indices(array, name, conversions):
    array = np.asarray(array)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions, 1 is needed")
    if array.dtype in (np.int32, np.int64):
        return np.ascontiguousarray(array)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} of dtype {array.dtype} are not integers")
    conversions.append(f"{name}: {array.dtype} to int64")
    return array.astype(np.int64)


def _values(array, dtype, conversions):
    array = np.asarray(array)
    wanted = value_dtype(array.dtype if dtype is None else dtype)
    if array.dtype != wanted:
        conversions.append(f"values: {array.dtype} to {wanted}")
    return np.ascontiguousarray(array, wanted)


def _of_one_type(first, second, conversions):
    if first.dtype == second.dtype:
        return first, second
    conversions.append("rows and columns: to int64")
    return first.astype(np.int64), second.astype(np.int64)


def _coordinates(shape, rows, columns, data, dtype, conversions, **rest):
    rows, columns = _indices(rows, "rows", conversions), _indices(columns, "columns", conversions)
    rows, columns = _of_one_type(rows, columns, conversions)
    return Given("coo", shape, rows, columns, _values(data, dtype, conversions), conversions=conversions, **rest)


def _from_dia(A, dtype, updates):
    """The diagonals without what sticks out of the matrix; without zeros, too, where values stay as they are."""
    rows, cols = A.shape
    column = np.arange(A.data.shape[1])
    row = column - A.offsets[:, np.newaxis]
    inside = (row >= 0) & (row < rows) & (column < cols)
    stored = inside if updates else inside & (A.data != 0)
    columns = np.broadcast_to(column, stored.shape)[stored]
    return _coordinates(
        A.shape,
        row[stored],
        columns,
        A.data[stored],
        dtype,
        ["dia to coo"],
        values=A.data.shape,
        picks=np.flatnonzero(stored),
        dropped=np.flatnonzero(inside & ~stored),
    )


def _from_bsr(A, dtype):
    """Every value of every block is an entry."""
    _, r, c = A.data.shape
    block_row = np.repeat(np.arange(len(A.indptr) - 1), np.diff(A.indptr))
    inner_row, inner_column = np.repeat(np.arange(r), c), np.tile(np.arange(c), r)
    rows = (block_row[:, np.newaxis] * r + inner_row).ravel()
    columns = (A.indices[:, np.newaxis].astype(np.int64) * c + inner_column).ravel()
    return _coordinates(A.shape, rows, columns, A.data.ravel(), dtype, ["bsr to coo"], values=A.data.shape)


def _from_scipy(A, dtype, updates):
    if A.ndim != 2:
        raise InputError(f"a matrix has 2 dimensions, not {A.ndim}")
    if A.format == "dia":
        value_dtype(A.dtype)
        return _from_dia(A, dtype, updates)
    if A.format == "bsr":
        return _from_bsr(A, dtype)
    conversions = []
    if A.format not in _LAYOUTS:
        conversions.append(f"{A.format} to csr")
        A = A.tocsr()
    if A.format == "coo":
        return _coordinates(A.shape, A.row, A.col, A.data, dtype, conversions)
    used, room = int(A.indptr[-1]), len(A.data)  # SciPy allows more room than entries
    return Given(
        A.format,
        A.shape,
        _indices(A.indptr, "indptr", conversions),
        _indices(A.indices[:used], "indices", conversions),
        _values(A.data[:used], dtype, conversions),
        values=A.data.shape if used < room else None,
        picks=np.arange(used) if used < room else None,
        conversions=conversions,
    )


def _checked_shape(shape):
    try:
        rows, cols = (operator.index(number) for number in shape)
    except (TypeError, ValueError):
        raise TypeError(f"shape is {shape!r}, (rows, columns) is needed") from None
    if min(rows, cols) < 0 or max(rows, cols) > np.iinfo(np.int32).max:
        raise InputError(f"shape is {shape}: numbers from 0 to 2147483647 are needed")
    return rows, cols


def _from_tuple(A, shape, dtype):
    conversions = []
    if len(A) == 2 and isinstance(A[1], (tuple, list, np.ndarray)) and len(A[1]) == 2:
        data, (rows, columns) = A
        rows, columns = np.asarray(rows), np.asarray(columns)
        shape = shape or (int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1)
        return _coordinates(shape, rows, columns, data, dtype, conversions)
    if len(A) != 3:
        raise TypeError("(data, indices, indptr) or (data, (rows, columns)) is needed")
    indptr = _indices(A[2], "indptr", conversions)
    indices = _indices(A[1], "indices", conversions)
    shape = shape or (len(indptr) - 1, int(indices.max(initial=-1)) + 1)
    return Given("csr", shape, indptr, indices, _values(A[0], dtype, conversions), conversions=conversions)


def _from_dense(A, dtype):
    A = np.asarray(A)
    if A.ndim != 2:
        raise InputError(f"a matrix has 2 dimensions, not {A.ndim}")
    value_dtype(A.dtype)
    rows, columns = np.nonzero(A)
    return _coordinates(A.shape, rows, columns, A[rows, columns], dtype, ["dense to coo"])


def given_from(A, *, shape=None, dtype=None, updates=False):
    """The arrays of a SciPy matrix, of (data, indices, indptr), of (data, (rows, columns)) or of a dense array."""
    refuse_device_array(A)
    if hasattr(A, "format") and hasattr(A, "tocsr"):
        return _from_scipy(A, dtype, updates)
    if isinstance(A, tuple):
        return _from_tuple(A, shape, dtype)
    if isinstance(A, (np.ndarray, list)):
        return _from_dense(A, dtype)
    raise TypeError(f"{type(A).__module__}.{type(A).__name__} is no matrix: a SciPy matrix, a file name or arrays are needed")


def source_of(A):
    """The text of a file or generator, or None."""
    if not isinstance(A, (str, os.PathLike)):
        return None
    source = os.fspath(A)
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    if not source.startswith("gen:") and not os.path.exists(source):
        raise FileNotFoundError(2, os.strerror(2), source)
    return source


def matrix_of(A, *, shape=None, dtype=None, updates=False):
    """(the matrix of the library, what became of the arrays of the user: None for a file). The arrays must live as long
    as the matrix."""
    shape = None if shape is None else _checked_shape(shape)
    source = source_of(A)
    if source is not None:
        matrix, given = _core.read(source, dtype is not None and value_dtype(dtype) == np.float32), None
    elif isinstance(A, _core.Core) and (dtype is None or value_dtype(dtype) == A.dtype):
        matrix, given = A._restore(), None
    else:
        given = given_from(A.to_scipy() if isinstance(A, _core.Core) else A, shape=shape, dtype=dtype, updates=updates)
        matrix = given.matrix()
    found = matrix.arrays()[:2]
    if shape is not None and found != shape:
        raise InputError(f"shape is {shape}, the matrix has {found}")
    return matrix, given
