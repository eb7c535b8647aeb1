"""heddle.Overlapped: products that begin before the plan is known."""

import threading

from scipy.sparse.linalg import LinearOperator

from ._operator import _made, optimize


class Overlapped(LinearOperator):
    """For a number of products that is not known beforehand: they begin at once, by csr, while another thread chooses a
    plan and stores the matrix by it; from then on products are by that plan.

    A, device, dtype, shape, effort, reorder, cache are those of `optimize`. The two plans add up a row in different
    orders: until it is settled, the last bits of a product depend on when that is.
    """

    def __init__(self, A, *, effort="model", device="auto", dtype=None, shape=None, reorder=True, cache=True):
        self._now = optimize(A, plan="csr", device=device, dtype=dtype, shape=shape)
        self._error = None
        super().__init__(self._now.dtype, self._now.shape)
        how = dict(effort=effort, device=self._now.device, reorder=reorder, cache=cache)
        self._thread = threading.Thread(target=self._improve, kwargs=how, name="heddle.Overlapped")
        self._thread.start()

    def _improve(self, **how):
        try:
            first = self._now
            better = _made(first._restore(), first._given, **how)
            if better.plan.split()[0] != "csr":
                self._now = better
        except BaseException as error:  # of another thread: `error` tells it
            self._error = error

    @property
    def now(self):
        """The operator there is by now."""
        return self._now

    @property
    def settled(self):
        """Whether `now` will not change any more."""
        return not self._thread.is_alive()

    @property
    def error(self):
        """What went wrong in the other thread; None where nothing did, or it is not settled."""
        return self._error

    def wait(self):
        """The last operator, once it is there."""
        self._thread.join()
        return self._now

    @property
    def plan(self):
        """The plan of `now`."""
        return self._now.plan

    def multiply(self, x, /, out=None, *, alpha=1.0, beta=0.0, stream=None):
        """alpha A x + beta out by `now`, as Operator.multiply."""
        return self._now.multiply(x, out, alpha=alpha, beta=beta, stream=stream)

    def __matmul__(self, x):
        return self._now @ x

    def __rmatmul__(self, x):
        return x @ self._now

    def _matvec(self, x):
        return self._now._matvec(x)

    def _rmatvec(self, x):
        return self._now._rmatvec(x)

    def _matmat(self, X):
        return self._now._matmat(X)

    def _rmatmat(self, X):
        return self._now._rmatmat(X)

    def _transpose(self):
        return self._now.T

    _adjoint = _transpose

    def __repr__(self):
        return f"<heddle.Overlapped, {'settled' if self.settled else 'not settled'}: {self._now!r}>"
