"""Whatever arrays hypothesis thinks of: the same as SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import close

import heddle

pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402


@st.composite
def entries(draw):
    rows, cols = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    count = draw(st.integers(0, 120))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    index = draw(st.sampled_from([np.int32, np.int64]))
    row, col = rng.integers(0, rows, count).astype(index), rng.integers(0, cols, count).astype(index)
    return sp.coo_array((rng.integers(-8, 9, count).astype(dtype), (row, col)), shape=(rows, cols)), rng


@settings(max_examples=150, deadline=None)
@given(
    entries(), st.sampled_from(["csr", "csc", "coo"]), st.sampled_from([None, "csr", "sell C=4 sigma=16", "weave", "runs"])
)
def test_products_and_new_values(made, format, plan):
    coo, rng = made
    A = coo if format == "coo" else coo.asformat(format)  # rows may be unsorted, entries may repeat in coo
    op = heddle.optimize(A, plan=plan, device="cpu")
    x = rng.integers(-8, 9, A.shape[1]).astype(A.dtype)
    g = rng.integers(-8, 9, A.shape[0]).astype(A.dtype)
    dense = A.toarray()
    assert np.array_equal(op @ x, dense @ x)  # integers: exact in any order
    assert np.array_equal(g @ op, g @ dense)
    B = A.copy()
    B.data = rng.integers(-8, 9, len(A.data)).astype(A.dtype)
    op.update_values(B.data)
    dense = B.toarray()
    assert np.array_equal(op @ x, dense @ x)
    assert np.array_equal(op.T @ g, dense.T @ g)
    X = rng.integers(-8, 9, (A.shape[1], 3)).astype(A.dtype)
    close(op @ X, dense @ X)


@settings(max_examples=60, deadline=None)
@given(entries())
def test_rows_in_any_order_and_repeated(made):
    coo, rng = made
    order = np.argsort(coo.row, kind="stable")
    indptr = np.searchsorted(coo.row[order], np.arange(coo.shape[0] + 1))
    data, indices = coo.data[order], coo.col[order]
    op = heddle.optimize((data, indices, indptr), shape=coo.shape, device="cpu")
    x = rng.integers(-8, 9, coo.shape[1]).astype(coo.dtype)
    wanted = coo.toarray() @ x
    assert np.array_equal(op @ x, wanted)
    op.update_values(2 * data)
    assert np.array_equal(op @ x, 2 * wanted)
