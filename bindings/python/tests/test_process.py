"""Signals, forks, threads and the end of a process: each case in a process of its own."""

import subprocess
import sys
import textwrap

import pytest

BEGIN = """
import os, signal, sys, threading, time
import numpy as np
import heddle
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background work ignores it
A = heddle.generate("stencil2d5", nx=300, ny=300)
op = heddle.optimize(A, updates=True, device="cpu")
x = np.random.default_rng(0).random(90000)
wanted = A @ x
"""


def run(code, seconds=60):
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code)], capture_output=True, text=True, timeout=seconds
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "call",
    ["heddle.cg(op, x, rtol=1e-30, maxiter=10**6)", "heddle.solve(op, x, method='gmres', rtol=1e-30, maxiter=10**6)"],
)
def test_ctrl_c_ends_a_solve(call):
    assert run(f"""
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.time()
        try:
            {call}
        except KeyboardInterrupt:
            print(time.time() - begin < 5)
        assert np.allclose(op @ x, wanted)
    """) == "True"


def test_ctrl_c_ends_an_optimize():
    assert run("""
        B = heddle.generate("random", rows=400000, cols=400000, per_row=8)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            for _ in range(100):
                heddle.optimize(B, effort="exhaustive", cache=False, device="cpu")
        except KeyboardInterrupt:
            print("interrupted")
    """, 120) == "interrupted"


@pytest.mark.parametrize("call", ["heddle.preconditioner(op, 'amg')", "heddle.cg(op, x, M='amg', maxiter=1)"])
def test_ctrl_c_is_seen_while_a_preconditioner_is_made(call):
    # Handlers of Python run when the library looks for signals, once a look; without looks there is one at the end.
    assert run(f"""
        heddle.set_threads(1)
        op = heddle.optimize(heddle.generate("stencil3d7", n=80), device="cpu")
        x, seen = np.ones(op.shape[0]), []
        signal.signal(signal.SIGALRM, lambda number, frame: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        {call}
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(len(seen) > 4)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                {call}
        except KeyboardInterrupt:
            print("interrupted")
    """, 240) == "True\ninterrupted"


@pytest.mark.parametrize(
    "begin, call",
    [
        ("", "heddle.generate('random', rows=400000, cols=400000, per_row=20)"),
        ("", "heddle.analyze(B)"),
        ("", "heddle.reorder(B)"),
        ("", "heddle.optimize(B, plan='csr', device='cpu')"),
        ("op = heddle.optimize(B, device='cpu')", "op.to_scipy()"),
        ("heddle.write_matrix(path, B)", "heddle.read_matrix(path)"),
        (
            "op = heddle.optimize(S, device='cpu'); kept = heddle.preconditioner(op, 'amg', updates=True)",
            "kept.update_values(S.data)",
        ),
    ],
)
def test_ctrl_c_is_seen_in_long_calls(begin, call, tmp_path):
    # Without looks in between, handlers of Python run once a call: at its end.
    assert run(f"""
        heddle.set_threads(1)
        path = {str(tmp_path / "a.hdl")!r}
        B = heddle.generate("random", rows=400000, cols=400000, per_row=20).tocsc()  # is arranged by rows
        S = heddle.generate("stencil3d7", n=70)
        {begin}
        seen, begin = [], time.perf_counter()
        signal.signal(signal.SIGALRM, lambda number, frame: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        {call}
        took, looks = time.perf_counter() - begin, len(seen)
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert looks > 1 or took < 0.15, (looks, took)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                {call}
        except KeyboardInterrupt:
            print("interrupted")
    """, 240) == "interrupted"


def test_explain_lets_other_threads_go_on_and_waits_for_new_values():
    assert run("""
        B = heddle.generate("stencil3d7", n=90)
        other, count, stop = heddle.optimize(B, updates=True, device="cpu"), 0, False
        def counts():
            global count
            while not stop:
                count += 1
        def updates():
            while not stop:
                other.update_values(B.data)
        threads = [threading.Thread(target=work) for work in (counts, updates)]
        [t.start() for t in threads]
        meanwhile = 0
        for _ in range(40):
            before = count
            other.explain()
            meanwhile += count - before
        stop = True
        [t.join() for t in threads]
        print(meanwhile > 1000)
    """, 120) == "True"


def test_explain_measures_nothing_again(tmp_path):
    unwritable = tmp_path / "file" / "cache"
    unwritable.parent.write_text("")
    assert run(f"""
        os.environ["HEDDLE_CACHE"] = {str(unwritable)!r}
        begin = time.perf_counter()
        measured = heddle.optimize(A, effort="measure", device="cpu")
        chosen = time.perf_counter() - begin
        begin = time.perf_counter()
        facts = measured.explain()
        print(time.perf_counter() - begin < chosen / 10, facts["candidates"][0]["measured_seconds"] > 0)
    """) == "True True"


def test_a_callback_restores_and_pickles_beside_updates_of_another_thread():
    assert run("""
        import pickle
        stop = False
        def updates():
            while not stop:
                op.update_values(A.data)
        thread = threading.Thread(target=updates)
        thread.start()
        seen = []
        def looks(y):
            time.sleep(0.02)  # an update waits for the solve
            copy = pickle.loads(pickle.dumps(op))
            found = (op.to_scipy() != A).nnz == 0 and np.allclose(op @ x, wanted) and np.allclose(copy @ x, wanted)
            seen.append(found and op.explain()["plan"] == op.plan and op.nbytes > 0)
            seen.append(np.allclose(op.multiply(x, alpha=2.0), 2 * wanted) and op.T.shape == op.shape)
        heddle.cg(op, x, maxiter=3, callback=looks)
        stop = True
        thread.join()
        print(seen)
    """) == str([True] * 6)


def test_callbacks_may_raise_and_stop():
    assert run("""
        def fails(x):
            raise KeyError("mine")
        try:
            heddle.cg(op, x, callback=fails)
        except KeyError as error:
            print(error)
        seen = []
        def stops(xk):
            seen.append(np.linalg.norm(A @ xk - x))
            return len(seen) == 7
        y, info = heddle.cg(op, x, rtol=1e-12, callback=stops)
        assert info.verdict == "stopped" and info < 0 and len(seen) == 7
        assert abs(np.linalg.norm(A @ y - x) - seen[-1]) < 1e-9
        print(info.verdict)
    """) == "'mine'\nstopped"


def test_new_values_inside_a_callback_are_refused():
    assert run("""
        try:
            heddle.cg(op, x, callback=lambda y: op.update_values(A.data))
        except ValueError as error:
            print(error)
    """) == "a callback of a solve cannot change the values of its operator"


def test_new_values_inside_a_callback_of_a_callback_are_refused():
    assert run("""
        other = heddle.optimize(A, plan="csr", device="cpu")
        def outer(y):
            heddle.cg(other, x, maxiter=3, callback=lambda z: op.update_values(A.data))
        try:
            heddle.cg(op, x, callback=outer)
        except ValueError as error:
            print(error)
    """) == "a callback of a solve cannot change the values of its operator"


def test_a_callback_may_be_the_first_to_use_the_transpose():
    assert run("""
        seen = []
        heddle.cg(op, x, maxiter=3, callback=lambda y: seen.append(np.allclose(op.T @ y, A.T @ y)))
        print(seen)
    """) == "[True, True, True]"


def test_a_transpose_that_is_made_while_values_change_has_the_new_ones():
    assert run("""
        B = heddle.generate("random", rows=200000, cols=150000, per_row=12)
        b = np.random.default_rng(1).random(200000)
        for k in range(3):
            one = heddle.optimize(B, plan="csr", updates=True, device="cpu")
            thread = threading.Thread(target=lambda: one.T)
            thread.start()
            time.sleep(0.02 * (k + 1))
            one.update_values(3 * B.data)
            thread.join()
            print(np.allclose(one.T @ b, 3 * (B.T @ b)), end=" ")
    """, 120) == "True True True"


def test_a_product_sees_old_or_new_values_and_no_mixture():
    assert run("""
        values, seen, stop = [A.data, 2 * A.data], set(), False
        def products():
            y = np.empty_like(x)
            while not stop:
                op.multiply(x, out=y)
                seen.add(1 if np.allclose(y, wanted) else 2 if np.allclose(y, 2 * wanted) else "mixed")
        threads = [threading.Thread(target=products) for _ in range(2)]
        [t.start() for t in threads]
        for k in range(60):
            op.update_values(values[k % 2])
        stop = True
        [t.join() for t in threads]
        print(sorted(map(str, seen)))
    """) == "['1', '2']"


def test_children_of_a_fork_multiply():
    assert run("""
        stop = False
        def busy():
            while not stop:
                op @ x
        thread = threading.Thread(target=busy, daemon=True)
        thread.start()
        for k in range(30):
            child = os.fork()
            if child == 0:
                if k % 3 == 0:
                    op.update_values(2 * A.data)
                os._exit(0 if np.allclose(op @ x, 2 * wanted if k % 3 == 0 else wanted) else 3)
            begin = time.time()
            while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
                assert time.time() - begin < 60, "a child hangs"
                time.sleep(0.005)
            assert done[1] == 0, done
        stop = True
        thread.join()
        print("done")
    """, 240) == "done"


def test_children_of_a_fork_use_a_preconditioner_that_another_thread_solves_with():
    assert run("""
        kept = heddle.preconditioner(op, "amg")
        def busy():
            while True:
                heddle.cg(op, x, M=kept, rtol=1e-8)
        threading.Thread(target=busy, daemon=True).start()
        time.sleep(0.2)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if heddle.cg(op, x, M=kept, rtol=1e-8)[1] == 0 else 3)
        print(os.waitpid(child, 0)[1])
    """, 240) == "0"


def test_two_threads_multiply_at_once():
    assert run("""
        heddle.set_threads(1)
        results = []
        def products():
            y = np.empty_like(x)
            for _ in range(100):
                op.multiply(x, out=y)
            results.append(np.allclose(y, wanted))
        threads = [threading.Thread(target=products) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(results)
    """) == "[True, True, True, True]"


def test_the_end_of_a_process_with_live_operators_and_a_busy_thread():
    assert run("""
        kept = [heddle.optimize(A) for _ in range(3)]
        def busy():
            while True:
                op @ x
        threading.Thread(target=busy, daemon=True).start()
        time.sleep(0.1)
        print("leaving")
        sys.exit(0)
    """) == "leaving"


def test_the_end_of_a_process_waits_for_a_plan_that_is_under_way_and_a_child_goes_on_by_csr():
    assert run("""
        B = heddle.generate("random", rows=200000, cols=200000, per_row=8)
        begun = heddle.Overlapped(B, effort="measure", cache=False, device="cpu")
        child = os.fork()
        if child == 0:
            os._exit(0 if np.allclose(begun @ np.ones(200000), B @ np.ones(200000)) else 3)
        print(os.waitpid(child, 0)[1])
        sys.exit(0)
    """) == "0"


def test_importing_loads_little():
    code = "import sys, heddle; print('scipy.sparse.linalg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
