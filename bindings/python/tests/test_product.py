"""Products against SciPy's, over formats, types, shapes and batches."""

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import close, laplacian, random_matrix

import heddle

FORMATS = ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("array", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_of_scipy(format, array, dtype):
    A = random_matrix(120, 80, dtype).asformat(format)
    A = A if array else getattr(sp, f"{format}_matrix")(A)
    op = heddle.optimize(A, device="cpu")
    rng = np.random.default_rng(1)
    x, X, g = rng.random(80).astype(dtype), rng.random((80, 5)).astype(dtype), rng.random(120).astype(dtype)
    assert op.shape == A.shape and op.dtype == dtype and op.nnz == 960
    close(op @ x, A @ x)
    close(op @ X, A @ X)
    close(op @ np.asfortranarray(X), A @ X)
    close(op.T @ g, A.T @ g)
    close(g @ op, g @ sp.csr_array(A))
    close(X.T @ op.T, (A @ X).T)


def test_arrays_tuples_files_and_dense(tmp_path):
    A = random_matrix(30, 20)
    x = np.random.default_rng(2).random(20)
    coo = A.tocoo()
    for given in ((A.data, A.indices, A.indptr), (coo.data, (coo.row, coo.col)), A.toarray()):
        close(heddle.optimize(given, shape=A.shape) @ x, A @ x)
    heddle.write_matrix(tmp_path / "a.mtx", A)
    close(heddle.optimize(tmp_path / "a.mtx") @ x, A @ x)
    close(heddle.optimize(str(tmp_path / "a.mtx"), dtype=np.float32) @ x.astype(np.float32), (A @ x).astype(np.float32))


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint16])
def test_integer_types_of_indices(index):
    A = random_matrix(30, 20)
    op = heddle.optimize((A.data, A.indices.astype(index), A.indptr.astype(index)), shape=A.shape)
    close(op @ np.ones(20), A @ np.ones(20))


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint32, np.bool_, np.longdouble])
def test_other_types_of_values_are_converted(dtype):
    A = (random_matrix(30, 20) * 5).astype(dtype)
    op = heddle.optimize(A)
    close(op @ np.ones(20, op.dtype), A.astype(op.dtype) @ np.ones(20, op.dtype))
    assert any("values" in text for text in op.explain()["conversions"])


def test_out_alpha_beta():
    A = random_matrix(50, 40)
    op = heddle.optimize(A)
    x, X = np.random.default_rng(3).random(40), np.random.default_rng(4).random((40, 3))
    y = np.full(50, np.nan)
    assert op.multiply(x, out=y) is y
    close(y, A @ x)
    op.multiply(x, y, alpha=2.0, beta=-0.5)
    close(y, 1.5 * (A @ x))
    op.multiply(x, out=y, alpha=np.float32(2), beta=0)
    close(y, 2 * (A @ x))
    close(op.multiply(x, alpha=3), 3 * (A @ x))
    for order in "CF":
        Y = np.full((50, 3), np.nan, order=order)
        op.multiply(X, out=Y)
        close(Y, A @ X)
    close(op.T.multiply(y, alpha=0.5), 0.5 * (A.T @ y))


def test_vectors_that_do_not_lie_straight():
    A = random_matrix(50, 40)
    op = heddle.optimize(A)
    wide = np.random.default_rng(5).random((80, 9))
    close(op @ wide[::2, 0], A @ wide[::2, 0])
    close(op @ wide[::-2, 1:4], A @ wide[::-2, 1:4])
    close(op @ wide[:40].astype(np.float32), A @ wide[:40].astype(np.float32))
    close(op @ wide[:40].astype(">f8"), A @ wide[:40])
    close(op @ list(wide[:40, 0]), A @ wide[:40, 0])
    frozen = wide[:40, 0].copy()
    frozen.flags.writeable = False
    close(op @ frozen, A @ frozen)


def test_batches_and_complex_numbers():
    A = random_matrix(12, 8)
    op = heddle.optimize(A)
    rng = np.random.default_rng(6)
    X = rng.random((2, 3, 8, 4))
    close(op @ X, A.toarray() @ X)
    close(op.matmat(X), A.toarray() @ X)
    rows = rng.random((5, 3, 8))
    close(op.matvec(rows), rows @ A.toarray().T)
    z = rng.random(8) + 1j * rng.random(8)
    close(op @ z, A @ z)
    close(op.H @ (op @ z), A.T @ (A @ z))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (7, 7)])
def test_matrices_without_rows_columns_or_entries(shape):
    A = sp.csr_array(shape)
    op = heddle.optimize(A)
    close(op @ np.ones(shape[1]), np.zeros(shape[0]))
    close(op @ np.ones((shape[1], 3)), np.zeros((shape[0], 3)))
    close(op @ np.ones((shape[1], 0)), np.zeros((shape[0], 0)))
    close(op.T @ np.ones(shape[0]), np.zeros(shape[1]))


def test_a_sparse_right_hand_side_gives_a_sparse_matrix():
    A, B = random_matrix(12, 8), random_matrix(8, 6, seed=1)
    op = heddle.optimize(A)
    assert abs(op @ B - A @ B).max() < 1e-12
    assert abs(B.T @ op.T - B.T @ A.T).max() < 1e-12


@pytest.mark.parametrize("plan", ["csr", "sell C=32 sigma=1024", "weave", "hyb", "coo", "bcsr r=2 c=2"])
def test_every_plan_multiplies_several_vectors(plan):
    A = laplacian(12)
    op = heddle.optimize(A, plan=plan)
    X = np.random.default_rng(7).random((144, 21))
    close(op @ X, A @ X)
    assert op.plan.split()[0] == plan.split()[0]
