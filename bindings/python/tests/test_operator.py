"""What an operator is, apart from its products: new values, pickling, SciPy's LinearOperator, errors."""

import copy
import gc
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from matrices import close, laplacian, random_matrix

import heddle


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("updates", [False, True])
def test_new_values_in_the_order_of_the_user(format, updates, dtype):
    A = laplacian(9).astype(dtype).asformat(format)
    op = heddle.optimize(A, updates=updates, device="cpu")
    x = np.random.default_rng(0).random(81).astype(dtype)
    flipped = op.T @ x
    close(flipped, A.T @ x)
    B = A.copy()
    B.data = A.data * np.random.default_rng(1).uniform(1, 2, A.data.shape).astype(dtype)
    op.update_values(B.data)
    close(op @ x, B @ x)
    close(op.T @ x, B.T @ x)
    again = pickle.loads(pickle.dumps(op))
    close(again @ x, B @ x)
    again.update_values(A.data)
    close(again @ x, A @ x)
    close(again.T @ x, A.T @ x)


def test_padding_of_diagonals_is_ignored_and_a_lost_zero_is_found():
    A = laplacian(9).todia()
    x = np.ones(81)
    padded = A.data.copy()
    padded[0, -1] = 99.0  # sticks out of the matrix
    B = sp.dia_array((padded, A.offsets), shape=A.shape)
    op = heddle.optimize(B)
    close(op @ x, B @ x)
    op.update_values(padded)
    close(op @ x, B @ x)
    row = int(np.flatnonzero(A.offsets == 1)[0])
    lost = A.data.copy()
    lost[row, 9] = 5.0  # a zero of the Laplacian
    with pytest.raises(ValueError, match="updates=True"):
        op.update_values(lost)
    kept = heddle.optimize(B, updates=True)
    kept.update_values(lost)
    close(kept @ x, sp.dia_array((lost, A.offsets), shape=A.shape) @ x)


def test_repeated_entries_are_summed_when_updated_and_when_unpickled():
    rng = np.random.default_rng(2)
    A = sp.coo_array((rng.random(400), (rng.integers(0, 30, 400), rng.integers(0, 30, 400))), shape=(30, 30))
    op = heddle.optimize(A)
    again = pickle.loads(pickle.dumps(op))
    x = rng.random(30)
    for one in (op, again, again.T.T):
        close(one @ x, A @ x)
    A.data = A.data * 3
    again.update_values(A.data)
    close(again @ x, A @ x)
    assert "repeated entries summed" in str(op.explain())


def test_arrays_of_scipy_may_have_more_room_than_entries():
    A = sp.csr_array([[1.0, 2.0], [0.0, 3.0]])
    A.data, A.indices = np.append(A.data, [9.0, 9.0]), np.append(A.indices, [0, 0]).astype(A.indices.dtype)
    op = heddle.optimize(A)
    close(op @ np.ones(2), np.array([3.0, 3.0]))
    op.update_values(2 * A.data)
    close(op @ np.ones(2), np.array([6.0, 6.0]))
    close(pickle.loads(pickle.dumps(op)) @ np.ones(2), np.array([6.0, 6.0]))


def test_pickling_keeps_plan_and_bits():
    A = random_matrix(40, 40)
    op = heddle.optimize(A, plan="sell C=8 sigma=64")
    again = pickle.loads(pickle.dumps(op))
    assert again.plan == op.plan and again.shape == op.shape and again.dtype == op.dtype
    x = np.random.default_rng(3).random(40)
    assert np.array_equal(again @ x, op @ x)
    assert np.array_equal(pickle.loads(pickle.dumps(op.T)) @ x, op.T @ x)
    assert np.array_equal(copy.deepcopy(op) @ x, op @ x)
    assert copy.copy(op) is op


def test_the_arrays_of_the_matrix_are_not_kept():
    A = random_matrix(40, 40)
    x = np.random.default_rng(4).random(40)
    wanted = A @ x
    op = heddle.optimize(A)
    A.data[:] = 0
    del A
    gc.collect()
    close(op @ x, wanted)


def test_it_is_a_linear_operator():
    A = laplacian(10)
    op = heddle.optimize(A)
    assert isinstance(op, sl.LinearOperator) and sl.aslinearoperator(op) is op
    b = np.ones(100)
    for solver in (sl.cg, sl.minres, sl.bicgstab, sl.gmres, sl.lgmres, sl.qmr, sl.tfqmr):
        x, info = solver(op, b, rtol=1e-10)
        assert info == 0 and np.linalg.norm(A @ x - b) < 1e-8, solver
    close(np.sort(sl.eigsh(op, 3, which="LA")[0]), np.sort(sl.eigsh(A, 3, which="LA")[0]))
    assert abs(sl.svds(op, 2)[1] - sl.svds(A, 2)[1]).max() < 1e-9
    assert abs(sl.lsqr(op, b)[0] - sl.lsqr(A, b)[0]).max() < 1e-6
    x = np.random.default_rng(5).random(100)
    close((2 * op + op.T - op**2 @ op / 3) @ x, 3 * (A @ x) - A @ (A @ (A @ x)) / 3)
    close((-op) @ x, -(A @ x))


def test_to_scipy_and_restore():
    A = random_matrix(40, 30)
    back = heddle.optimize(A).to_scipy()
    assert (back != A).nnz == 0 and back.has_canonical_format
    assert (heddle.optimize(A).T.to_scipy() != A.T.tocsr()).nnz == 0
    matrix_alone = heddle.optimize(A).to_scipy().data  # keeps what it lies in
    gc.collect()
    assert np.array_equal(matrix_alone, A.data)


def test_explain_and_choose():
    A = laplacian(20)
    op = heddle.optimize(A, device="cpu")
    facts = op.explain()
    assert facts["plan"] == op.plan and facts["candidates"] and facts["bytes"] == op.nbytes
    assert op.plan.split()[0] in str(facts) and "predicted us" in repr(facts)
    assert heddle.choose(A, device="cpu")["plan"].split()[0] == op.plan.split()[0]
    assert heddle.optimize(A, plan="csr").explain()["reason"] == "the plan was given"
    assert heddle.analyze(A)["symmetric"] is True
    assert repr(op).startswith("<heddle.Operator 400 x 400, 1920 entries, float64, cpu")


def test_a_device_that_is_not_there():
    if heddle.gpu_absence():
        with pytest.raises(heddle.UnavailableError):
            heddle.optimize(laplacian(3), device="gpu")


def test_memory_is_given_back():
    import resource

    A = random_matrix(200, 200)

    def megabytes():
        for _ in range(300):
            op = heddle.optimize(A, plan="csr")
            op.T @ np.ones(200)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    gc.disable()
    try:
        first = megabytes()
        assert megabytes() <= first + 8 and megabytes() <= first + 8
    finally:
        gc.enable()
