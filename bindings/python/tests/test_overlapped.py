"""Products that begin before the plan is known, and other orders of rows and columns."""

import threading

import numpy as np
import pytest
import scipy.sparse.linalg as sl
from matrices import close, laplacian, random_matrix

import heddle
from heddle import _overlapped


@pytest.fixture
def gate(monkeypatch):
    """Holds the other thread back until it is set."""
    event, made = threading.Event(), _overlapped._made

    def later(*args, **named):
        assert event.wait(60)
        return made(*args, **named)

    monkeypatch.setattr(_overlapped, "_made", later)
    yield event
    event.set()


def test_it_begins_by_csr_and_goes_on_by_another_plan(gate):
    A = laplacian(90)
    op = heddle.Overlapped(A, device="cpu")
    x = np.random.default_rng(0).random(8100)
    assert not op.settled and op.plan.split()[0] == "csr" and "not settled" in repr(op)
    close(op @ x, A @ x)
    gate.set()
    assert op.wait() is op.now and op.settled and op.error is None
    assert op.plan == heddle.optimize(A, device="cpu").plan != "csr"
    y = op @ x
    close(y, A @ x)
    assert op.multiply(x, out=y, alpha=2, beta=-1.0) is y
    close(y, A @ x)
    op.wait().update_values(3 * A.data)
    close(op @ x, 3 * (A @ x))


def test_everything_an_operator_is_taken_for_works_meanwhile(gate):
    A = random_matrix(30, 30) + 40 * laplacian(6)[:30, :30]
    op = heddle.Overlapped(A)
    rng = np.random.default_rng(1)
    x, X = rng.random(30), rng.random((30, 3))
    for found, wanted in ((op @ X, A @ X), (op.T @ x, A.T @ x), (x @ op, x @ A), (op.H @ x, A.T @ x)):
        close(found, wanted)
    close((2 * op + op) @ x, 3 * (A @ x))
    close(op.matvec(x), A @ x)
    for solver in (sl.gmres, heddle.gmres):
        y, info = solver(op, x, rtol=1e-10, maxiter=100)
        assert info == 0 and np.linalg.norm(A @ y - x) < 1e-8
    assert heddle.solve(op, x, M="jacobi", method="gmres")[1] == 0


def test_csr_stays_where_nothing_is_better_or_the_other_thread_fails(monkeypatch):
    A = random_matrix(5, 5)
    monkeypatch.setattr(_overlapped, "_made", lambda *a, **n: heddle.optimize(A, plan="csr"))
    op = heddle.Overlapped(A)
    first = op.now
    assert op.wait() is first and op.error is None

    def fails(*args, **named):
        raise heddle.UnavailableError("no room")

    monkeypatch.setattr(_overlapped, "_made", fails)
    op = heddle.Overlapped(A)
    assert op.wait().plan.split()[0] == "csr" and str(op.error) == "no room"
    close(op @ np.ones(5), A @ np.ones(5))


def test_orders():
    A = laplacian(12)
    mixed = np.random.default_rng(2).permutation(144)
    B = A[mixed][:, mixed]
    C, order = heddle.reorder(B)
    assert (C != B[order][:, order]).nnz == 0 and order.dtype == np.int32
    assert heddle.analyze(C)["bandwidth"] < 30 < heddle.analyze(B)["bandwidth"]
    x = np.random.default_rng(3).random(144)
    close(heddle.optimize(C) @ x[order], (B @ x)[order])
    D, own = heddle.reorder(heddle.optimize(B), np.argsort(mixed))
    assert (D != A).nnz == 0 and np.array_equal(own, np.argsort(mixed))
    E, by_length = heddle.reorder(random_matrix(40, 20) + 0, "length")
    assert np.all(np.diff(np.diff(E.indptr)) <= 0) and E.shape == (40, 20)
    assert len(np.unique(by_length)) == 40
    windows, _ = heddle.reorder(B.astype(np.float32), "length", window=12)
    assert windows.dtype == np.float32 and np.all(np.diff(np.diff(windows.indptr).reshape(12, 12)) <= 0)
    F, _ = heddle.reorder(A, mixed, rows=True)
    assert (F != A[mixed]).nnz == 0


@pytest.mark.parametrize(
    "words, arguments",
    [
        ("no order", dict(by="nonsense")),
        ("an order is 9 integers", dict(by=[0, 1])),
        ("an order is 9 integers", dict(by=np.arange(9.0))),
        ("an order is 9 integers", dict(by=None)),
        ("repeats", dict(by=np.zeros(9, int))),
        ("outside", dict(by=np.arange(9) + 2**40)),
        ("window", dict(by="length", window=-1)),
    ],
)
def test_orders_that_are_none(words, arguments):
    with pytest.raises(ValueError, match=words):
        heddle.reorder(laplacian(3), **arguments)


def test_a_matrix_that_is_not_square_has_an_order_of_rows():
    A = random_matrix(9, 4)
    for by in ("rcm", np.arange(9)):
        with pytest.raises(ValueError, match="square"):
            heddle.reorder(A, by)
    assert (heddle.reorder(A, np.arange(9)[::-1], rows=True)[0] != A[::-1]).nnz == 0
