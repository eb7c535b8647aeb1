"""The package on a machine with a GPU; needs neither pytest nor a network.

    PYTHONPATH=build/python python bindings/python/tests/gpu_check.py
"""

import time

import numpy as np
import scipy.sparse as sp
from matrices import close, laplacian, random_matrix

import heddle


def seconds(call, repeats=50):
    call()
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def products_and_updates():
    for dtype in (np.float64, np.float32):
        for A in (random_matrix(3000, 2000, dtype, 0.01), laplacian(120).astype(dtype)):
            op = heddle.optimize(A, device="gpu", updates=True)
            assert op.device == "gpu"
            x = np.random.default_rng(0).random(A.shape[1]).astype(dtype)
            X = np.random.default_rng(1).random((A.shape[1], 5)).astype(dtype)
            close(op @ x, A @ x)
            close(op @ X, A @ X)
            close(op @ np.asfortranarray(X), A @ X)
            close(op.T @ (op @ x), A.T @ (A @ x))
            coo = A.tocoo()
            order = np.random.default_rng(2).permutation(A.nnz)
            shuffled = sp.coo_array((coo.data[order], (coo.row[order], coo.col[order])), shape=A.shape)
            other = heddle.optimize(shuffled, device="gpu", updates=True)
            other.update_values(3 * shuffled.data)
            close(other @ x, 3 * (A @ x))


def solves():
    A = laplacian(400)
    b = np.ones(A.shape[0])
    op = heddle.optimize(A, device="gpu")
    for M in ("none", "jacobi", "amg"):
        x, info = heddle.cg(op, b, M=M, rtol=1e-8)
        assert info == 0 and np.linalg.norm(A @ x - b) <= 2e-8 * np.linalg.norm(b), info
        print(f"cg, M={M}: {info!r}, {info.setup_seconds:.3f} s + {info.seconds:.3f} s")
    seen = []
    x, info = heddle.cg(op, b, rtol=1e-12, callback=lambda xk: seen.append(xk) or len(seen) == 4)
    assert info.verdict == "stopped" and np.array_equal(x, seen[-1])
    try:
        heddle.cg(op, b, M=lambda r: r)
        raise AssertionError("a preconditioner of Python was taken on a GPU")
    except TypeError as error:
        print("refused:", error)


def memory_of_a_pool():
    import ctypes

    driver, held = ctypes.CDLL("libcuda.so.1"), {}

    def allocate(size, device, stream):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
        held[address.value] = size
        return address.value

    def free(address):
        del held[address]
        assert driver.cuMemFree_v2(ctypes.c_uint64(address)) == 0

    A = laplacian(50)
    heddle.set_device_allocator(allocate, free)
    op = heddle.optimize(A, device="gpu", plan="csr")
    heddle.set_device_allocator()
    assert sum(held.values()) >= A.nnz * 12, held
    close(op @ np.ones(2500), A @ np.ones(2500))
    del op
    assert not held, held
    heddle.set_device_allocator(lambda size, device, stream: 0, free)
    try:
        heddle.optimize(A, device="gpu", plan="csr")
        raise AssertionError("a pool that is empty gave memory")
    except heddle.UnavailableError as error:
        print("refused:", error)
    heddle.set_device_allocator()


def kept_preconditioners():
    A = laplacian(200)
    b = np.random.default_rng(3).random(A.shape[0])
    for format in ("csr", "coo"):
        given = A.asformat(format)
        op = heddle.optimize(given, device="gpu", updates=True)
        kept = heddle.preconditioner(op, "amg", updates=True)
        op.update_values(3 * given.data)
        assert kept.update_values(3 * given.data) == 0
        x, info = heddle.cg(op, b, M=kept, rtol=1e-8)
        assert info == 0 and np.linalg.norm(3 * (A @ x) - b) <= 2e-8 * np.linalg.norm(b), info
        assert (kept @ b).shape == b.shape
    X, infos = heddle.solve_many(op, np.stack([b, 2 * b], axis=1), M=kept, rtol=1e-8)
    assert [info == 0 for info in infos] == [True, True]


def arrays_of_others():
    op = heddle.optimize(laplacian(20), device="gpu")
    makers = {"cupy": lambda m: m.ones(400), "torch": lambda m: m.ones(400, dtype=m.float64, device="cuda")}
    for name, make in makers.items():
        try:
            module = __import__(name)
            array = make(module)
        except Exception as error:
            print(f"not run: {name} ({error})")
            continue
        try:
            op @ array
            raise AssertionError(f"an array of {name} was taken")
        except TypeError as error:
            print("refused:", error)


def costs():
    A = heddle.generate("stencil3d7", n=126)
    op = heddle.optimize(A, device="gpu")
    x, y = np.ones(A.shape[1]), np.empty(A.shape[0])
    print(f"{op!r}\nvectors of the host: op.multiply {seconds(lambda: op.multiply(x, out=y)) * 1e6:.0f} us, SciPy {seconds(lambda: A @ x, 5) * 1e6:.0f} us")


if __name__ == "__main__":
    print(heddle.gpu_absence() or heddle.devices()[1])
    for check in (products_and_updates, solves, kept_preconditioners, memory_of_a_pool, arrays_of_others, costs):
        check()
        print(check.__name__, "passed")
