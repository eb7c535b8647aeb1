"""Systems of equations, with SciPy's signatures. Everything between b and x happens in the library, on the device."""

import json

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _core
from ._arguments import real, text, whole
from ._given import refuse_device_array
from ._operator import Operator, optimize
from ._overlapped import Overlapped

_VERDICTS = ("converged", "max_iterations", "breakdown", "stagnated", "indefinite", "not_finite", "stopped")
_NEGATIVE = {"breakdown": -1, "indefinite": -2, "not_finite": -3, "stopped": -4}


class Info(int):
    """What SciPy's solvers give with x: 0 converged, > 0 iterations without converging, < 0 could not go on.

    verdict, reason       in a word, in a sentence
    iterations, history   how many; the relative residual before the first and after each
    residual              |b - A x| / |b|, recomputed from the x that is returned; so is true_residual
    rhs_norm              |b|
    method, preconditioner, preconditioner_reason, setup_seconds, loading_seconds, seconds
    minres_from           "auto": iterations of cg before minres went on; -1: it did not
    """

    def __new__(cls, report):
        verdict = _VERDICTS[report["verdict"]]
        code = 0 if verdict == "converged" else _NEGATIVE.get(verdict, max(1, report["iterations"]))
        self = super().__new__(cls, code)
        self.__dict__.update(report, verdict=verdict, residual=report["true_residual"])
        self.history = np.array(report["history"])
        return self

    @property
    def converged(self):
        """Whether the residual that was recomputed from x meets the tolerance."""
        return self.verdict == "converged"

    def __reduce__(self):
        return _info_again, (int(self), dict(self.__dict__))

    def __repr__(self):
        return f"<{int(self)}: {self.verdict} after {self.iterations} iterations of {self.method}, residual {self.residual:.2e}>"


def _info_again(code, state):
    made = int.__new__(Info, code)
    made.__dict__.update(state)
    return made


class Preconditioner:
    """M, an approximation of the inverse of an operator's matrix, for several solves. `preconditioner` makes it.

    It serves one thread at a time; others wait.
    """

    def __init__(self, op, handle, name):
        self._op, self._handle, self.name = op, handle, name

    def __matmul__(self, r):
        r = _vector(r, self._op.dtype, self._op.shape[0], "r")
        z = np.empty_like(r)
        self._handle.apply(r, z)
        return z

    def update_values(self, data):
        """New values on the old pattern, as `Operator.update_values` takes them; the operator needs them as well.

        For "amg" that was made with updates=True: its aggregates stay. Gives how many couplings are strong now and were
        not, or the other way round; with none it is what a new one would be. Others must be made anew: UnavailableError.
        After a KeyboardInterrupt it must be called again before this is used.
        """
        return self._handle.update(self._op._in_order(data))

    @property
    def grids(self):
        """Of "amg" a dict for each grid, the finest first: rows, nnz, plan, interpolated; of others an empty list."""
        return json.loads(self._handle.json())["grids"]

    def __repr__(self):
        return f"<heddle.Preconditioner {self.name} of {self._op!r}>"


def preconditioner(A, name, **settings):
    """M by name: "jacobi", "block_jacobi", "chebyshev", "fsai", "spai", "amg"; settings as in docs/solvers.md.

    For "amg" among them near_nullspace, up to 8 columns that A maps to nearly zero (`rigid_body_modes` makes those of a
    body), and updates=True, if update_values will be called.
    """
    op = _subject(A)
    if not isinstance(op, Operator):
        raise TypeError("a preconditioner by name is made of a matrix, not of a function")
    return Preconditioner(op, _core.named_preconditioner(op, text(name, "name"), settings), name)


def rigid_body_modes(coordinates):
    """How a body moves without being deformed: for preconditioner(A, "amg", near_nullspace=...).

    coordinates   (nodes, 2) or (nodes, 3)
    Gives an array with a column for each movement, 3 or 6, and a row for each unknown: those of a node stand together.
    """
    coordinates = np.ascontiguousarray(coordinates, np.float64)
    if coordinates.ndim != 2 or coordinates.shape[1] not in (2, 3):
        raise ValueError(f"coordinates have shape {coordinates.shape}, (nodes, 2) or (nodes, 3) is needed")
    return _core.rigid_body_modes(coordinates, *coordinates.shape)


def _subject(A):
    """What is solved with: an operator as it is, a LinearOperator of another kind as a function, all else optimized."""
    if isinstance(A, Overlapped):
        return A.now
    if isinstance(A, LinearOperator):
        if np.dtype(A.dtype).kind == "c":
            raise TypeError("complex systems are not supported")
        return A
    return optimize(A)


def _function_of(M, op):
    """z = M r as a function, of what SciPy takes for a preconditioner."""
    if not callable(M) and not hasattr(M, "__matmul__"):
        raise TypeError(f"M is {M!r}: a name, a heddle.Preconditioner, a matrix or a function is needed")
    if isinstance(op, Operator) and op.device not in ("cpu", "emulator"):
        raise TypeError("a preconditioner of Python computes on the host: use device='cpu', or one by name")
    multiply = M if callable(M) and not hasattr(M, "shape") else lambda r: M @ r
    if hasattr(M, "shape") and tuple(M.shape) != tuple(op.shape):
        raise ValueError(f"M has shape {tuple(M.shape)}, the matrix {tuple(op.shape)}")
    return lambda r: np.asarray(multiply(r)).reshape(-1)


def _own(M, op, dtype, settings, method):
    """(name, handle) of what was given as M."""
    if settings and (not isinstance(M, str) or M == "none"):
        raise TypeError("settings belong to a preconditioner by name")
    if M is None or isinstance(M, str):
        return M or "none", None
    if isinstance(M, Preconditioner):
        if (M._op.shape, M._op.dtype) != (op.shape, dtype):
            raise ValueError(f"M is made of a matrix {M._op.shape} of {M._op.dtype}, this one is {op.shape} of {dtype}")
        return "none", M._handle
    # As with SciPy, cg and minres trust it to be symmetric; gmres is flexible and takes one that changes.
    return "none", _core.own_preconditioner(_function_of(M, op), op.shape[0], dtype == np.float32, method == "gmres")


def _real(value, name):
    refuse_device_array(value)
    value = np.asarray(value)
    if value.dtype.kind not in "fiub":
        raise TypeError(f"{name} of dtype {value.dtype}: real numbers are needed")
    return value


def _vector(value, dtype, size, name):
    value = _real(value, name)
    if value.shape not in ((size,), (size, 1)):
        several = "; heddle.solve_many takes several columns" if value.ndim == 2 and len(value) == size else ""
        raise ValueError(f"{name} has shape {value.shape}, ({size},) is needed{several}")
    return value.reshape(-1).astype(dtype, order="C", copy=False)


def _columns(value, dtype, size, name):
    value = _real(value, name)
    if value.ndim != 2 or value.shape[0] != size:
        raise ValueError(f"{name} has shape {value.shape}, ({size}, columns) is needed")
    return value.astype(dtype, order="F", copy=False)


def _teller(callback, wants_x):
    """The callback of the library from SciPy's. True stops the solve; what else it gives, SciPy's ignore as well."""
    if callback is None:
        return None
    known = [-1]

    def tell(iteration, residual, x):
        if iteration <= known[0]:
            return False
        known[0] = iteration
        if iteration == 0:
            return False
        given = callback(x.copy() if wants_x else residual)
        return given is True or (isinstance(given, np.bool_) and bool(given))

    return tell


def _square(A):
    op = _subject(A)
    if op.shape[0] != op.shape[1]:
        raise ValueError(f"the matrix is {op.shape[0]} x {op.shape[1]}: a square one is needed")
    return op


def _dtype_of(op):
    return np.dtype(np.float32 if op.dtype == np.float32 else np.float64)


def _how(method, preconditioner, settings, dtype, rtol, atol, maxiter, restart):
    if not isinstance(settings, dict | None):
        raise TypeError(f"settings are {settings!r}: a dict is needed")
    return {
        "method": text(method, "method"),
        "preconditioner": preconditioner,
        "settings": settings or {},
        "rtol": real(rtol if rtol is not None else (1e-5 if dtype == np.float32 else 1e-8), "rtol"),
        "atol": real(atol, "atol"),
        "maxiter": 0 if maxiter is None else whole(maxiter, "maxiter", most=2**62) or -1,
        "restart": 0 if restart is None else whole(restart, "restart"),
        "check_every": 0,
        "want_iterate": False,
    }


def solve(A, b, x0=None, *, rtol=None, atol=0.0, maxiter=None, M=None, callback=None, method="auto", restart=None,
          settings=None, check_every=None, callback_type="x"):
    """x, info: the solution of A x = b by an iterative method, and what became of it.

    A            a heddle.Operator, what heddle.optimize takes, or any LinearOperator, which is called on the host
    rtol, atol   |b - A x| <= max(rtol |b|, atol); rtol is 1e-8, in float32 1e-5
    maxiter      iterations at most; None: 10 n, at most 100,000
    M            "jacobi", "block_jacobi", "chebyshev", "fsai", "spai", "amg" with `settings`, a dict; a
                 heddle.Preconditioner; or, on the CPU, an approximate inverse as SciPy takes it
    callback     is called with x after the iterations, or with callback_type="residual" with |b - A x| / |b|;
                 one that gives True stops the solve
    method       "auto", "cg", "minres", "bicgstab", "gmres"
    restart      of gmres: vectors kept
    """
    op = _square(A)
    n, dtype = op.shape[0], _dtype_of(op)
    b = _vector(b, dtype, n, "b")
    x = np.zeros(n, dtype) if x0 is None else _vector(x0, dtype, n, "x0").copy()
    name, handle = _own(M, op, dtype, settings, method)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is {callback!r}: a function is needed")
    if callback_type not in ("x", "residual"):
        raise ValueError(f'callback_type is {callback_type!r}: "x" or "residual" is needed')
    wants_x = callback is not None and callback_type == "x"
    how = _how(method, name, settings, dtype, rtol, atol, maxiter, restart)
    how["check_every"] = whole(check_every or (1 if callback is not None else 0), "check_every")
    how["want_iterate"] = wants_x
    tell = _teller(callback, wants_x)
    if isinstance(op, Operator):
        return x, Info(_core.solve(op, b, x, how, handle, tell))
    function = lambda r: np.asarray(op.matvec(r)).reshape(-1)  # noqa: E731
    return x, Info(_core.solve_function(function, b, x, how, handle, tell))


def solve_many(A, B, X0=None, *, rtol=None, atol=0.0, maxiter=None, M=None, method="auto", restart=None, settings=None):
    """X, infos: A X = B for the columns of B, one after the other, with an Info for each.

    The method is chosen and the preconditioner made once. One that fails stops no other. Arguments are those of `solve`.
    """
    op = _square(A)
    if not isinstance(op, Operator):
        raise TypeError("several columns are solved for with a matrix, not with a function")
    n, dtype = op.shape[0], _dtype_of(op)
    B = _columns(B, dtype, n, "B")
    X = np.zeros(B.shape, dtype, order="F") if X0 is None else _columns(X0, dtype, n, "X0").copy(order="F")
    if X.shape != B.shape:
        raise ValueError(f"X0 has shape {X.shape}, B {B.shape}")
    name, handle = _own(M, op, dtype, settings, method)
    how = _how(method, name, settings, dtype, rtol, atol, maxiter, restart)
    return X, [Info(report) for report in _core.solve_many(op, B.shape[1], B.T, X.T, how, handle)]


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, settings=None):
    """Conjugate gradients for a symmetric positive definite A; as scipy.sparse.linalg.cg, see heddle.solve."""
    return solve(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, method="cg",
                 settings=settings)


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, settings=None):
    """For a symmetric A; as scipy.sparse.linalg.minres without `show` and `check`, see heddle.solve."""
    if shift:
        raise ValueError("minres takes no shift: optimize the shifted matrix")
    return solve(A, b, x0, rtol=rtol, maxiter=maxiter, M=M, callback=callback, method="minres", settings=settings)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, settings=None):
    """For any square A; as scipy.sparse.linalg.bicgstab, see heddle.solve."""
    return solve(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, method="bicgstab",
                 settings=settings)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None,
          callback_type=None, settings=None):
    """For any square A; as scipy.sparse.linalg.gmres, see heddle.solve.

    maxiter counts cycles of `restart` iterations (20, or n if that is less). The callback gets the relative residual,
    with callback_type="x" the iterate at the end of each cycle.
    """
    op = _subject(A)
    cycle = whole(restart or min(20, max(op.shape[0], 1)), "restart")
    iterations = None if maxiter is None else whole(maxiter, "maxiter") * cycle
    kind = "residual" if callback_type in (None, "legacy", "pr_norm") else callback_type
    return solve(op, b, x0, rtol=rtol, atol=atol, maxiter=iterations, M=M, callback=callback, method="gmres",
                 restart=cycle, settings=settings, callback_type=kind)
