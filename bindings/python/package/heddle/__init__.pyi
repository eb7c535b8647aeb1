"""Heddle: sparse matrix times vector, as fast as memory delivers it, and solvers."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator

from . import plot as plot

__version__: str

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class InputError(Error, ValueError): ...
class UnavailableError(Error, RuntimeError): ...
class InternalError(Error, RuntimeError): ...

class Explanation(dict[str, Any]): ...

class Operator(LinearOperator):
    shape: tuple[int, int]
    dtype: np.dtype[np.floating]
    @property
    def plan(self) -> str: ...
    @property
    def nnz(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def T(self) -> Operator: ...
    def __matmul__(self, x: Any) -> Any: ...
    def __rmatmul__(self, x: Any) -> Any: ...
    def multiply(
        self, x: ArrayLike, /, out: NDArray | None = None, *, alpha: float = 1.0, beta: float = 0.0, stream: Any = None
    ) -> NDArray: ...
    def update_values(self, data: ArrayLike, *, stream: Any = None) -> None: ...
    def explain(self) -> Explanation: ...
    def to_scipy(self) -> csr_array: ...

def optimize(
    A: Any,
    *,
    plan: str | None = None,
    effort: Literal["model", "measure", "exhaustive"] = "model",
    products: float = 0.0,
    device: str = "auto",
    dtype: DTypeLike | None = None,
    shape: tuple[int, int] | None = None,
    transposed: bool = False,
    updates: bool = False,
    right_hand_sides: int = 16,
    reorder: bool = True,
    cache: bool = True,
) -> Operator: ...

class Overlapped(LinearOperator):
    def __init__(
        self,
        A: Any,
        *,
        effort: Literal["model", "measure", "exhaustive"] = "model",
        device: str = "auto",
        dtype: DTypeLike | None = None,
        shape: tuple[int, int] | None = None,
        reorder: bool = True,
        cache: bool = True,
    ) -> None: ...
    @property
    def now(self) -> Operator: ...
    @property
    def plan(self) -> str: ...
    @property
    def settled(self) -> bool: ...
    @property
    def error(self) -> BaseException | None: ...
    def wait(self) -> Operator: ...
    def __matmul__(self, x: Any) -> Any: ...
    def __rmatmul__(self, x: Any) -> Any: ...
    def multiply(
        self, x: ArrayLike, /, out: NDArray | None = None, *, alpha: float = 1.0, beta: float = 0.0, stream: Any = None
    ) -> NDArray: ...

def choose(
    A: Any,
    *,
    effort: Literal["model", "measure", "exhaustive"] = "model",
    products: float = 0.0,
    device: str = "auto",
    dtype: DTypeLike | None = None,
    shape: tuple[int, int] | None = None,
) -> Explanation: ...

class Info(int):
    verdict: Literal[
        "converged", "max_iterations", "breakdown", "stagnated", "indefinite", "not_finite", "stopped"
    ]
    reason: str
    iterations: int
    history: NDArray[np.float64]
    residual: float
    true_residual: float
    rhs_norm: float
    method: str
    preconditioner: str
    preconditioner_reason: str
    minres_from: int
    loading_seconds: float
    setup_seconds: float
    seconds: float
    @property
    def converged(self) -> bool: ...

class Preconditioner:
    name: str
    def __matmul__(self, r: ArrayLike) -> NDArray: ...
    @property
    def grids(self) -> list[dict[str, Any]]: ...
    def update_values(self, data: ArrayLike) -> int: ...

def preconditioner(A: Any, name: str, **settings: Any) -> Preconditioner: ...
def rigid_body_modes(coordinates: ArrayLike) -> NDArray[np.float64]: ...
def solve(
    A: Any,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    method: Literal["auto", "cg", "minres", "bicgstab", "gmres"] = "auto",
    restart: int | None = None,
    settings: dict[str, Any] | None = None,
    check_every: int | None = None,
    callback_type: Literal["x", "residual"] = "x",
) -> tuple[NDArray, Info]: ...
def solve_many(
    A: Any,
    B: ArrayLike,
    X0: ArrayLike | None = None,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    method: Literal["auto", "cg", "minres", "bicgstab", "gmres"] = "auto",
    restart: int | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[NDArray, list[Info]]: ...
def cg(
    A: Any,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[NDArray], Any] | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[NDArray, Info]: ...
def minres(
    A: Any,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[NDArray], Any] | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[NDArray, Info]: ...
def bicgstab(
    A: Any,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[NDArray], Any] | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[NDArray, Info]: ...
def gmres(
    A: Any,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: Literal["legacy", "pr_norm", "x"] | None = None,
    settings: dict[str, Any] | None = None,
) -> tuple[NDArray, Info]: ...
def read_matrix(source: str | os.PathLike[str], dtype: DTypeLike = ...) -> csr_array: ...
def write_matrix(path: str | os.PathLike[str], A: Any) -> None: ...
def generate(kind: str, dtype: DTypeLike = ..., **keys: int | float | str) -> csr_array: ...
def reorder(
    A: Any, by: Literal["rcm", "amd", "length"] | ArrayLike = "rcm", *, rows: bool = False, window: int = 0
) -> tuple[csr_array, NDArray[np.int32]]: ...
def analyze(A: Any) -> dict[str, Any]: ...
def bench(A: Any, *options: str) -> list[dict[str, Any]]: ...
def devices() -> list[dict[str, Any]]: ...
def gpu_absence() -> str: ...
def set_device_allocator(
    allocate: Callable[[int, int, int], int] | None = None, free: Callable[[int], Any] | None = None, *, stream: int = 0
) -> None: ...
def set_threads(count: int) -> None: ...
def threads() -> int: ...
