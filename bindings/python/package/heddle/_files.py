"""Matrices from files and generators, and into files."""

import json
import os

import numpy as np

from . import _core
from ._given import matrix_of, source_of, value_dtype


def _as_scipy(matrix):
    from scipy.sparse import csr_array

    rows, cols, indptr, indices, data = matrix.arrays()
    made = csr_array((data, indices, indptr), shape=(rows, cols), copy=False)
    made.has_sorted_indices = made.has_canonical_format = True
    return made


def read_matrix(source, dtype=np.float64):
    """A matrix file (.mtx, .mtx.gz, .hdl) or "gen:KIND,key=value,..." as a scipy.sparse.csr_array."""
    text = source_of(source)
    if text is None:
        raise TypeError("a file name is needed")
    return _as_scipy(_core.read(text, value_dtype(dtype) == np.float32))


def write_matrix(path, A):
    """Writes a matrix; the suffix decides: .mtx, .mtx.gz, .hdl. The old file stays until the new one is complete."""
    matrix, _keep = matrix_of(A)
    _core.write(matrix, os.fspath(path))


def generate(kind, dtype=np.float64, **keys):
    """A synthetic matrix: generate("stencil3d7", n=100). `python -m heddle generate` lists the kinds."""
    text = ",".join([kind, *(f"{key}={value}" for key, value in keys.items())])
    return read_matrix("gen:" + text, dtype)


def analyze(A):
    """Facts about a matrix, as a dict: row lengths, bandwidth, diagonals, blocks, symmetry, values."""
    matrix, _keep = matrix_of(A)
    return json.loads(matrix.analyze_json())
