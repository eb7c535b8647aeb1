"""heddle.Operator: a sparse matrix stored by a plan, and a scipy.sparse.linalg.LinearOperator."""

import json
import numbers

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from . import _core, _device
from ._arguments import real, text, whole
from ._explain import Explanation
from ._given import matrix_of, refuse_device_array


def _stream_of(stream):
    """The number of a CUDA stream: an int, or an object of CuPy or PyTorch."""
    for name in ("ptr", "cuda_stream"):
        stream = getattr(stream, name, stream)
    return 0 if stream is None else whole(stream, "stream", most=2**64 - 1)


def _factor(value, name):
    """A number by which vectors are multiplied; complex ones stay what they are."""
    if isinstance(value, numbers.Number | np.generic | np.ndarray) and np.ndim(value) == 0:
        return complex(value) if np.iscomplexobj(value) else float(value)
    raise TypeError(f"{name} is {value!r}: a number is needed")


def _dense(x):
    """An array as NumPy has it, or a clear error."""
    refuse_device_array(x)
    x = np.asarray(x)
    if x.dtype.kind not in "fiubc":
        raise TypeError(f"an array of dtype {x.dtype} cannot be multiplied")
    return x


def _straight(x):
    """Whether the columns of x can be read as they lie."""
    if x.ndim == 1:
        return x.flags.c_contiguous
    return x.flags.c_contiguous or x.flags.f_contiguous


class Operator(_core.Core, LinearOperator):
    """A sparse matrix, stored as its plan says, on one device. `heddle.optimize` makes it.

    y = op @ x, X @ op, op.T @ x, op.multiply(x, out=y, alpha=2, beta=1) multiply; SciPy's solvers take it as it is.
    Several threads may multiply with one operator; new values wait until running products are through.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError("heddle.optimize makes operators")

    def _begin(self, given, matrix):
        single = self._info()[5]
        LinearOperator.__init__(self, np.float32 if single else np.float64, self._info()[:2])
        self.args = ()  # of operands: an operator that is not made from others has none
        self._given, self._flipped = given, None
        return self

    # ---- what it is

    @property
    def nnz(self):
        """Stored entries."""
        return self._info()[2]

    @property
    def nbytes(self):
        """Bytes that the matrix takes on its device; the transpose, where it was asked for, is not among them."""
        return self._info()[4]

    @property
    def device(self):
        """"cpu", "gpu", "gpu:1" or "emulator"."""
        return _device.name(*self._info()[6:8])

    def explain(self):
        """Why it is stored this way, what else there was, and which conversions its arrays went through."""
        facts = json.loads(self._explain_json())
        facts["conversions"] = self._given["conversions"] + facts["conversions"]
        return Explanation(facts)

    def __repr__(self):
        rows, cols = self.shape
        return f"<heddle.Operator {rows} x {cols}, {self.nnz} entries, {self.dtype}, {self.device}: {self.plan}>"

    # ---- products; `multiply` and `@` of one contiguous vector are in _core and come here with everything else

    def _multiply(self, x, out=None, *, alpha=1.0, beta=0.0, stream=None):
        x = _dense(x)
        if x.ndim not in (1, 2):
            raise ValueError(f"x has {x.ndim} dimensions, 1 or 2 are needed")
        return self._apply(x, out, _factor(alpha, "alpha"), _factor(beta, "beta"), stream)

    def _apply(self, x, out=None, alpha=1.0, beta=0.0, stream=None):
        """alpha A x + beta out for the columns of x."""
        rows, cols = self.shape
        if x.shape[0] != cols:
            raise ValueError(f"Dimension mismatch: {rows} x {cols} times an array of shape {x.shape}")
        if out is None and beta != 0:
            raise ValueError("beta multiplies what is in out: there is no out")
        if x.dtype.kind == "c" or isinstance(alpha, complex) or isinstance(beta, complex):
            if out is not None:
                raise TypeError("out and complex numbers do not go together: the operator is real")
            real = self._apply(np.ascontiguousarray(x.real))
            return alpha * (real + 1j * self._apply(np.ascontiguousarray(x.imag)))
        x = x.astype(self.dtype, copy=False)
        if not _straight(x):
            x = np.ascontiguousarray(x)
        shape = (rows, *x.shape[1:])
        if out is None:
            out = np.empty(shape, self.dtype, order="C" if x.flags.c_contiguous else "F")
        else:
            self._check_out(out, shape)
        if out.size:
            self._product(alpha, x, beta, out, _stream_of(stream))
        return out

    def _check_out(self, out, shape):
        refuse_device_array(out)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__}, a NumPy array is needed")
        if out.shape != shape:
            raise ValueError(f"out has shape {out.shape}, {shape} is needed")
        if out.dtype != self.dtype:
            raise ValueError(f"out has dtype {out.dtype}, {self.dtype} is needed")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        if not _straight(out) or not out.flags.aligned:
            raise ValueError("out is not contiguous")

    def _matmul(self, x):
        """op @ x for what is not one contiguous vector."""
        if issparse(x):
            return self.to_scipy() @ x
        if isinstance(x, (LinearOperator, np.matrix)) or np.isscalar(x):
            return LinearOperator.__matmul__(self, x)
        x = _dense(x)
        if x.ndim in (1, 2):
            return self._apply(x)
        return LinearOperator.__matmul__(self, x)

    def _rmatmul(self, x):
        """x @ op."""
        if issparse(x):
            return x @ self.to_scipy()
        if isinstance(x, (LinearOperator, np.matrix)) or np.isscalar(x):
            return LinearOperator.__rmatmul__(self, x)
        x = _dense(x)
        if x.ndim in (1, 2):
            return self.T._apply(x.T).T
        return LinearOperator.__rmatmul__(self, x)

    # ---- what SciPy's solvers call: without SciPy's checks, where ours are enough

    def matvec(self, x):
        """A x, as scipy.sparse.linalg.LinearOperator.matvec."""
        return self @ x if type(x) is np.ndarray and x.ndim == 1 else LinearOperator.matvec(self, x)

    def rmatvec(self, x):
        """A' x, as scipy.sparse.linalg.LinearOperator.rmatvec."""
        return self.T @ x if type(x) is np.ndarray and x.ndim == 1 else LinearOperator.rmatvec(self, x)

    # ---- what a LinearOperator is asked for; x may have further dimensions in front

    def _matvec(self, x):
        x = _dense(x)
        if x.ndim == 1 or x.shape == (self.shape[1], 1):
            return self._apply(x.reshape(-1))
        flat = x.reshape(-1, self.shape[1])
        return self._apply(flat.T).T.reshape(*x.shape[:-1], self.shape[0])

    def _matmat(self, X):
        X = _dense(X)
        if X.ndim == 2:
            return self._apply(X)
        columns = np.moveaxis(X, -2, 0)
        y = self._apply(columns.reshape(self.shape[1], -1))
        return np.moveaxis(y.reshape(self.shape[0], *columns.shape[1:]), 0, -2)

    def _rmatvec(self, x):
        return self.T._matvec(x)

    def _rmatmat(self, X):
        return self.T._matmat(X)

    @property
    def T(self):
        """The transpose, an operator of its own: planned and stored when it is first asked for, and kept."""
        if self._flipped is None:
            made = _core.transposed(Operator, self)
            self._flipped = made._begin({**self._given, "flipped": not self._given.get("flipped")}, None)
        return self._flipped

    def _adjoint(self):
        return self.T

    _transpose = _adjoint

    # ---- its numbers

    def update_values(self, data, *, stream=None):
        """New values on the old pattern: `A.data` of the matrix the operator was made from, in that order."""
        self._update(self._in_order(data), _stream_of(stream))

    def _in_order(self, data):
        """The values of the matrix as the library was given them, from `A.data`."""
        if issparse(data):
            raise TypeError("new values are an array: give A.data, not A")
        refuse_device_array(data)
        data = np.asarray(data)
        if data.dtype.kind not in "fiubc":
            raise TypeError(f"new values of dtype {data.dtype} are not numbers")
        shape, picks = self._given["values"], self._given["picks"]
        if data.dtype.kind == "c":
            raise TypeError("the operator is real")
        if shape is None:
            shape = (self._info()[3],)
        if data.shape != shape and (picks is not None or data.size != int(np.prod(shape))):
            raise ValueError(f"values of shape {data.shape}, the matrix had {shape}")
        data = data.reshape(-1)
        if picks is not None:
            self._check_dropped(data, shape, picks)
            data = data[picks]
        return np.ascontiguousarray(data, self.dtype)

    def _check_dropped(self, data, shape, picks):
        """Zeros that were not stored must still be zero."""
        dropped = self._given.get("dropped")
        if dropped is not None and np.any(data[dropped]):
            raise ValueError("a value that was zero, and therefore not stored, is not zero now: optimize(A, updates=True)")

    def to_scipy(self):
        """The matrix as a scipy.sparse.csr_array: sorted rows, repeated entries summed."""
        from ._files import _as_scipy

        return _as_scipy(self._restore())

    def __reduce__(self):
        if self._given.get("flipped"):
            return _transpose_of, (self.T,)
        matrix = self._restore()
        rows, cols, indptr, indices, data = (np.array(a) if isinstance(a, np.ndarray) else a for a in matrix.arrays())
        places = matrix.places()
        info = self._info()
        how = {"plan": self.plan, "device": self.device, "updates": info[9], "right_hand_sides": info[10]}
        kept = None if places is None else np.array(places)
        return _unpickled, ((rows, cols), indptr, indices, data, kept, how, self._given)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        function, arguments = self.__reduce__()
        return function(*arguments)


Operator._multiply.__qualname__ = "Operator.multiply"  # what errors of its arguments name


def _transpose_of(op):
    return op.T


def _unpickled(shape, indptr, indices, data, places, how, given):
    """The operator again; values keep the order they once had."""
    first, layout = indptr, 0
    if places is not None:
        rows = np.repeat(np.arange(shape[0], dtype=indices.dtype), np.diff(indptr))
        repeated = np.ones(len(places), bool)
        repeated[np.unique(places, return_index=True)[1]] = False
        data = np.where(repeated, np.array(-0.0, data.dtype), data[places])  # x + -0.0 is x
        first, indices, layout = rows[places], indices[places], 2
    matrix = _core.borrow(layout, *shape, first, indices, data)
    return _made(matrix, given, **how)


def _made(matrix, given, *, plan=None, effort="model", products=0.0, device="auto", updates=False,
          right_hand_sides=16, reorder=True, cache=True):
    op = _core.create(Operator, matrix, None if plan is None else text(plan, "plan"), text(effort, "effort"),
                      real(products, "products"), *_device.parse(device), bool(updates),
                      whole(right_hand_sides, "right_hand_sides", 1), bool(reorder), bool(cache))
    return op._begin(given, matrix)


def optimize(A, *, plan=None, effort="model", products=0.0, device="auto", dtype=None, shape=None, transposed=False,
             updates=False, right_hand_sides=16, reorder=True, cache=True):
    """Stores a matrix in the format that suits it and this machine.

    A                 a SciPy matrix or array of any format, a file name, "gen:stencil3d7,n=100",
                      (data, indices, indptr), (data, (rows, columns)), a dense array
    plan              "sell C=32 sigma=1024": this format instead of a chosen one
    effort            of choosing: "model", or "measure" and "exhaustive", which build and time candidates
    products          how many products are expected; 0: many
    device            "auto" (the first GPU, or the CPU), "cpu", "gpu", "gpu:1", "emulator"
    dtype             float32 or float64: values are converted
    shape             (rows, columns) of arrays that do not tell it
    transposed        True: products with op.T come, too; it is stored at once instead of when it is first used
    updates           True: update_values will be called
    right_hand_sides  the most columns of an x
    reorder           False: no plan that reorders the matrix inside (`heddle.reorder` does it outside)
    cache             False: measured choices are neither remembered nor taken from the cache
    """
    how = dict(plan=plan, effort=effort, products=products, device=device, updates=updates,
               right_hand_sides=right_hand_sides, reorder=reorder, cache=cache)
    matrix, given = matrix_of(A, shape=shape, dtype=dtype, updates=updates)
    kept = {"values": None, "picks": None, "conversions": ["from another operator"] if isinstance(A, Operator) else []}
    if given is not None:
        kept.update(values=given.values, picks=given.picks, dropped=given.dropped)
        kept["conversions"] += given.conversions
    op = _made(matrix, kept, **how)
    if transposed:
        op.T  # noqa: B018
    return op
