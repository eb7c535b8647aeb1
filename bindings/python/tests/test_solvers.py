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
    assert [grid["rows"] for grid in kept.grids][0] == 1600 and len(kept.grids) > 1
    assert heddle.preconditioner(op, "jacobi").grids == []
    x, info = heddle.cg(op, b, M=kept, rtol=1e-8)
    assert info == 0 and info.iterations < 30
    assert (kept @ b).shape == (1600,)
    with pytest.raises(TypeError, match="no setting nonsense"):
        heddle.cg(op, b, M="amg", settings={"nonsense": 1})
    with pytest.raises(ValueError):
        heddle.cg(op, b, M="no such thing")


@pytest.mark.parametrize("format", ["csr", "csc", "dia", "bsr"])
def test_a_kept_amg_takes_new_values_in_the_order_of_the_user(format):
    A = laplacian(30).asformat(format)
    op = heddle.optimize(A, updates=True, device="cpu")
    kept = heddle.preconditioner(op, "amg", updates=True, coarsest=50)
    b = np.random.default_rng(2).random(900)
    for factor in (1, 3, 7):
        B = A.copy()
        B.data = factor * A.data
        op.update_values(B.data)
        assert kept.update_values(B.data) == 0
        x, info = heddle.cg(op, b, M=kept, rtol=1e-10)
        assert info == 0 and info.iterations < 20 and np.linalg.norm(B @ x - b) < 1e-8
    fresh = heddle.preconditioner(heddle.optimize(B, device="cpu"), "amg", updates=True, coarsest=50)
    # An operator keeps the zeros in the padding of dia: another pattern, and so a cycle in float may add in another order.
    limit = 1e-6 if format == "dia" else 1e-12
    assert np.abs(kept @ b - fresh @ b).max() <= limit * np.abs(fresh @ b).max()
    with pytest.raises(heddle.UnavailableError):
        heddle.preconditioner(op, "jacobi").update_values(A.data)
    with pytest.raises(ValueError, match="values of shape"):
        kept.update_values(A.data.ravel()[:5])


def test_a_preconditioner_is_not_changed_by_a_callback_of_its_solve_and_serves_two_threads():
    import threading

    A = laplacian(30)
    op = heddle.optimize(A, device="cpu")
    kept = heddle.preconditioner(op, "amg", updates=True)
    b = np.ones(900)
    with pytest.raises(ValueError, match="callback"):
        heddle.cg(op, b, M=kept, callback=lambda x: kept.update_values(A.data))
    applied = []
    x, info = heddle.cg(op, b, M=kept, rtol=1e-8, callback=lambda x: applied.append(kept @ b))
    assert info == 0 and len(applied) == info.iterations and np.array_equal(applied[0], kept @ b)
    found = []
    threads = [threading.Thread(target=lambda: found.append(heddle.cg(op, b, M=kept, rtol=1e-8)[0])) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(found) == 4 and all(np.array_equal(x, other) for other in found)


def test_amg_takes_the_motions_of_a_rigid_body():
    A = heddle.generate("elasticity", nx=30, ny=2, nz=2)  # clamped where x is 0; z runs fastest
    nodes = np.stack(np.meshgrid(np.arange(1, 31), np.arange(3), np.arange(3), indexing="ij"), -1).reshape(-1, 3)
    modes = heddle.rigid_body_modes(nodes)
    assert modes.shape == (A.shape[0], 6) and heddle.rigid_body_modes(nodes[:, :2]).shape == (540, 3)
    inner = A[3 * 18 :]  # rows that the clamp does not reach
    assert abs(inner @ modes).max() < 1e-10
    op, b = heddle.optimize(A, device="cpu"), np.ones(A.shape[0])
    settings = {"block": 3, "coarsest": 60}
    before = heddle.cg(op, b, M="amg", rtol=1e-8, settings=settings)[1]
    for vectors in (modes, np.ascontiguousarray(modes), modes.astype(np.float32)):
        x, info = heddle.cg(op, b, M="amg", rtol=1e-8, settings={**settings, "near_nullspace": vectors})
        assert info == 0 and 2 * info.iterations < before.iterations
    with pytest.raises(ValueError, match="rows"):
        heddle.preconditioner(op, "amg", near_nullspace=modes[:-1])
    with pytest.raises(ValueError, match="near-nullspace"):
        heddle.preconditioner(op, "amg", near_nullspace=np.ones((A.shape[0], 9)))
    with pytest.raises(ValueError, match="coordinates"):
        heddle.rigid_body_modes(np.ones((3, 4)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_several_right_hand_sides(dtype):
    A = laplacian(20).astype(dtype)
    op = heddle.optimize(A, device="cpu")
    B = np.random.default_rng(3).random((400, 3)).astype(dtype)
    B[:, 1] = 0
    rtol = 1e-9 if dtype == np.float64 else 1e-4
    X, infos = heddle.solve_many(op, B, M="amg", rtol=rtol, settings={"coarsest": 50})
    assert X.shape == B.shape and X.dtype == dtype and [info == 0 for info in infos] == [True] * 3
    assert np.linalg.norm(A @ X - B) <= 2 * rtol * np.linalg.norm(B)
    assert infos[1].iterations == 0
    alone, info = heddle.solve(op, B[:, 2], M="amg", rtol=rtol, settings={"coarsest": 50})
    assert np.array_equal(X[:, 2], alone) and np.array_equal(infos[2].history, info.history)
    again, infos = heddle.solve_many(op, B, X, M=heddle.preconditioner(op, "jacobi"), rtol=2 * rtol)
    assert [info.iterations for info in infos] == [0, 0, 0] and np.array_equal(again, X)
    X, infos = heddle.solve_many(op, np.ones((400, 0), dtype))
    assert X.shape == (400, 0) and infos == []
    for wrong in (lambda: heddle.solve_many(op, B[:, 0]), lambda: heddle.solve_many(op, B, X[:, :1])):
        with pytest.raises(ValueError, match="shape"):
            wrong()
    with pytest.raises(ValueError, match="solve_many"):
        heddle.solve(op, B)
    with pytest.raises(TypeError, match="function"):
        heddle.solve_many(sl.LinearOperator(A.shape, lambda x: A @ x, dtype=dtype), B)


def test_many_right_hand_sides_take_no_room_for_iterations_that_may_come():
    B = np.ones((9, 2000))
    X, infos = heddle.solve_many(heddle.optimize(laplacian(3), device="cpu"), B, maxiter=10**9, rtol=1e-10)
    assert len(infos) == 2000 and all(info == 0 and len(info.history) == info.iterations + 1 for info in infos)


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


def test_auto_says_why():
    info = heddle.solve(laplacian(30), np.ones(900), M="auto")[1]
    assert info == 0 and len(info.preconditioner_reason) > 10 and info.minres_from == -1
    shifted = laplacian(12) - 1.05 * sp.eye_array(144)
    info = heddle.solve(shifted, np.ones(144), maxiter=2000)[1]
    assert info.method == "minres" and info.minres_from >= 0


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
