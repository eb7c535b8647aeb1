"""Matrices from files and generators, into files, and in other orders of their rows and columns."""

import json
import os

import numpy as np

from . import _core
from ._arguments import text, whole
from ._given import matrix_of, source_of, value_dtype


def _as_scipy(matrix):
    from scipy.sparse import csr_array

    rows, cols, indptr, indices, data = matrix.arrays()
    made = csr_array((data, indices, indptr), shape=(rows, cols), copy=False)
    made.has_sorted_indices = made.has_canonical_format = True
    return made


def read_matrix(source, dtype=np.float64):
    """A matrix file (.mtx, .mtx.gz, .hdl) or "gen:KIND,key=value,..." as a scipy.sparse.csr_array."""
    path = source_of(source)
    if path is None:
        raise TypeError(f"a file name is needed, not {type(source).__name__}")
    return _as_scipy(_core.read(path, value_dtype(dtype) == np.float32))


def write_matrix(path, A):
    """Writes a matrix; the suffix decides: .mtx, .mtx.gz, .hdl. The old file stays until the new one is complete."""
    matrix, _keep = matrix_of(A)
    _core.write(matrix, os.fspath(path))


def generate(kind, dtype=np.float64, **keys):
    """A synthetic matrix: generate("stencil3d7", n=100). `python -m heddle generate` lists the kinds."""
    return read_matrix("gen:" + ",".join([text(kind, "kind"), *(f"{key}={value}" for key, value in keys.items())]), dtype)


def analyze(A):
    """Facts about a matrix, as a dict: row lengths, bandwidth, diagonals, blocks, symmetry, values."""
    matrix, _keep = matrix_of(A)
    return json.loads(matrix.analyze_json())


def _order_of(given, size):
    """An order of the user as the library takes it; whether it is one is found out there."""
    given = np.asarray(given)
    if given.dtype.kind not in "iu" or given.shape != (size,):
        raise ValueError(f"an order is {size} integers, not {given.dtype} of shape {given.shape}")
    return np.ascontiguousarray(np.clip(given, -1, size), np.int32)


def reorder(A, by="rcm", *, rows=False, window=0):
    """B, order: the matrix with its rows and columns in another order, B = A[order][:, order].

    by       "rcm": reverse Cuthill-McKee, for a small bandwidth; "amd": approximate minimum degree, in
             builds with SuiteSparse; "length": the longest rows first; or an order of your own, the old number of
             every new row
    rows     True: rows alone, B = A[order]; so it is with "length"
    window   of "length": rows are sorted inside windows of so many; 0: all of them

    B @ x[order] is (A @ x)[order]. Operators reorder by themselves where that pays and needs no other x.
    """
    matrix, _keep = matrix_of(A)
    size, columns = matrix.arrays()[:2]
    order = matrix.order(by, whole(window, "window", most=2**62)) if isinstance(by, str) else _order_of(by, size)
    alone = rows or (isinstance(by, str) and by == "length")
    if not alone and size != columns:
        raise ValueError(f"the matrix is {size} x {columns}: rows=True moves the rows of a matrix that is not square")
    return _as_scipy(matrix.permuted(order, None if alone else order)), order
