"""Solves with SciPy's signatures."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from matrices import laplacian, random_matrix

import heddle


@pytest.mark.parametrize("M", [None, "jacobi", "block_jacobi", "chebyshev", "fsai", "amg"])
def test_cg_with_every_preconditioner(M):
    A = laplacian(30)
    b = np.random.default_rng(0).random(900)
    x, info = heddle.cg(A, b, M=M, rtol=1e-9)
    assert info == 0 and info.converged and info.verdict == "converged"
    assert np.linalg.norm(A @ x - b) <= 2e-9 * np.linalg.norm(b)
    assert info.residual <= 1e-9 and len(info.history) == info.iterations + 1 and info.history[0] == 1


@pytest.mark.parametrize("method", ["bicgstab", "gmres", "minres", "solve"])
def test_other_methods_agree_with_scipy(method):
    A = laplacian(12) if method == "minres" else laplacian(12) + 0.3 * random_matrix(144, 144, density=0.02)
    b = np.ones(144)
    x, info = getattr(heddle, method)(A, b, rtol=1e-10)
    assert info == 0, info
    assert np.abs(x - sl.spsolve(A.tocsc(), b)).max() < 1e-6


def test_float32_first_guess_and_a_zero_right_hand_side():
    A = laplacian(12).astype(np.float32)
    b = np.ones(144, np.float32)
    x, info = heddle.cg(A, b, rtol=1e-4)
    assert info == 0 and x.dtype == np.float32
    y, again = heddle.cg(A, b, x, rtol=1e-3)
    assert again.iterations == 0 and np.array_equal(x, y)
    x, info = heddle.cg(A, 0 * b)
    assert info == 0 and not x.any()


def test_what_did_not_converge_says_so():
    A = laplacian(20)
    b = np.random.default_rng(1).random(400)
    x, info = heddle.cg(A, b, maxiter=3)
    assert info == 3 and info.verdict == "max_iterations" and not info.converged
    x, info = heddle.cg(A - 3 * sp.eye_array(400), b)
    assert info < 0 and info.verdict == "indefinite" and info.reason
    x, info = heddle.cg(A, np.full(400, np.nan))
    assert info < 0 and info.verdict == "not_finite"


def test_settings_and_a_preconditioner_that_is_kept():
    op = heddle.optimize(laplacian(40))
    b = np.ones(1600)
    kept = heddle.preconditioner(op, "amg", smoothing=1, coarsest=50)
    x, info = heddle.cg(op, b, M=kept, rtol=1e-8)
    assert info == 0 and info.iterations < 30
    assert (kept @ b).shape == (1600,)
    with pytest.raises(TypeError, match="no setting nonsense"):
        heddle.cg(op, b, M="amg", settings={"nonsense": 1})
    with pytest.raises(ValueError):
        heddle.cg(op, b, M="no such thing")


def test_preconditioners_as_scipy_takes_them():
    A = laplacian(30) + sp.diags_array(np.linspace(0, 100, 900))
    b = np.ones(900)
    op = heddle.optimize(A, device="cpu")
    alone = heddle.cg(op, b, rtol=1e-8)[1].iterations
    inverse = 1 / A.diagonal()
    for M in (
        sp.diags_array(inverse),
        sl.LinearOperator((900, 900), lambda r: inverse * r),
        lambda r: inverse * r,
        heddle.optimize(sp.diags_array(inverse)),
    ):
        x, info = heddle.cg(op, b, M=M, rtol=1e-8)
        assert info == 0 and info.iterations < alone
    with pytest.raises(ZeroDivisionError):
        heddle.cg(op, b, M=lambda r: 1 / 0)
    with pytest.raises(ValueError, match="shape"):
        heddle.cg(op, b, M=sp.eye_array(3))


@pytest.mark.parametrize(
    "words, call",
    [
        ("b has shape", lambda A: heddle.cg(A, np.ones(3))),
        ("x0 has shape", lambda A: heddle.cg(A, np.ones(144), np.ones(3))),
        ("square", lambda A: heddle.cg(random_matrix(3, 4), np.ones(3))),
        ("shift", lambda A: heddle.minres(A, np.ones(144), shift=1.0)),
        ("method", lambda A: heddle.solve(A, np.ones(144), method="nonsense")),
    ],
)
def test_wrong_questions(words, call):
    with pytest.raises(ValueError, match=words):
        call(laplacian(12))


def test_complex_right_hand_sides_are_refused():
    with pytest.raises(TypeError, match="real"):
        heddle.cg(laplacian(3), np.ones(9) * 1j)


def test_info_prints_and_pickles():
    import pickle

    info = heddle.cg(laplacian(12), np.ones(144))[1]
    again = pickle.loads(pickle.dumps(info))
    assert again == info and again.verdict == info.verdict and np.array_equal(again.history, info.history)
    assert "converged after" in repr(info) and info + 1 == 1


def test_a_matrix_that_is_a_function():
    A = laplacian(12)
    b = np.ones(144)
    free = sl.LinearOperator(A.shape, lambda x: A @ x, dtype=np.float64)
    for M in (None, sp.diags_array(1 / A.diagonal())):
        x, info = heddle.cg(free, b, M=M, rtol=1e-9)
        assert info == 0 and np.linalg.norm(A @ x - b) < 1e-7
    with pytest.raises(ZeroDivisionError):
        heddle.cg(sl.LinearOperator(A.shape, lambda x: 1 / 0, dtype=np.float64), b)
    with pytest.raises(heddle.Error):
        heddle.cg(free, b, M="amg")


def test_callbacks_get_iterates_or_residuals():
    A = laplacian(12)
    b = np.ones(144)
    norms = []
    x, info = heddle.cg(A, b, rtol=1e-8, callback=lambda xk: norms.append(np.linalg.norm(A @ xk - b) / 12))
    assert info == 0 and len(norms) == info.iterations
    assert np.allclose(norms, info.history[1:], rtol=1e-6, atol=1e-12)
    residuals = []
    x, info = heddle.gmres(A, b, rtol=1e-8, callback=residuals.append)
    assert info == 0 and residuals[-1] <= 1e-8


def test_a_stopped_solve_keeps_its_history_and_iterate():
    A = laplacian(30)
    b = np.ones(900)
    seen = []
    x, info = heddle.cg(A, b, rtol=1e-12, callback=lambda xk: seen.append(xk) or len(seen) == 5)
    assert info < 0 and info.verdict == "stopped" and len(info.history) >= 5
    assert np.array_equal(x, seen[-1])
