"""Installs a wheel into an empty environment and runs three lines and the command there.

    python wheel_check.py heddle_spmv-....whl [FOLDER]
    python wheel_check.py --make FOLDER [DEFINITION=VALUE ...]     makes the wheel first, with these settings of CMake
"""

import os
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THREE_LINES = """
import numpy as np, scipy.sparse as sp
A = sp.csr_array(np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]]))
x = b = np.array([1.0, 10, 100])

import heddle
op = heddle.optimize(A)
y = op @ x
x, info = heddle.cg(op, b, M="jacobi", rtol=1e-8)

assert np.array_equal(y, [14.0, 251, 620]), y
assert info == 0 and np.linalg.norm(A @ x - b) < 1e-6, info
assert "site-packages" in heddle.__file__
print("three lines:", op)
"""


def run(*words, **options):
    """The output of a program; the end of this one where it fails."""
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(words)}\n{done.stdout[-6000:]}")
    return done.stdout


def index_is_there(folder):
    """Whether pip finds what the wheel depends on."""
    words = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--retries", "1", "-d", folder, "numpy")
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def made(folder, definitions):
    """The path of a new wheel, made by pip and scikit-build-core."""
    settings = [f"-Cbuild-dir={folder}"]
    settings += [f"-Ccmake.define.{definition}" for definition in definitions]
    tools = os.path.dirname(sys.executable)
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"]}
    raw = os.path.join(folder, "raw")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", raw, *settings, PACKAGE,
        env=environment)  # fmt: skip
    wheels = sorted((os.path.join(raw, name) for name in os.listdir(raw)), key=os.path.getmtime)
    return wheels[-1]


def check(wheel, folder):
    """Size, contents, and what it does where nothing else is."""
    size = os.path.getsize(wheel) / 1e6
    names = [os.path.basename(name) for name in zipfile.ZipFile(wheel).namelist()]
    assert size < 60, f"{size:.1f} MB"
    assert "-cp312-abi3-" in wheel and "_core.abi3.so" in names and "py.typed" in names, names
    libraries = [name for name in names if name.startswith(("libheddle.so", "libheddle-"))]
    assert len(libraries) == 1, libraries
    empty = os.path.join(folder, "empty")
    run(sys.executable, "-m", "venv", "--clear", empty)
    python = os.path.join(empty, "bin", "python")
    run(python, "-m", "pip", "install", "-q", wheel)
    alone = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "HEDDLE_COMMAND", "LD_LIBRARY_PATH")}
    print(run(python, "-c", THREE_LINES, cwd=folder, env=alone).strip())
    print("python -m heddle --version:", run(python, "-m", "heddle", "--version", cwd=folder, env=alone).strip())
    run(python, "-m", "heddle", "multiply", "gen:stencil2d5,nx=9,ny=9", "--device", "cpu", cwd=folder, env=alone)
    print(f"{os.path.basename(wheel)}: {size:.1f} MB")


def main():
    if sys.argv[1] == "--make":
        folder = sys.argv[2]
        os.makedirs(folder, exist_ok=True)
        if not index_is_there(os.path.join(folder, "index")):
            print("not run: pip reaches no package index")
            sys.exit(77)
        check(made(folder, sys.argv[3:]), folder)
    elif len(sys.argv) > 2:
        check(sys.argv[1], sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            check(sys.argv[1], folder)


if __name__ == "__main__":
    main()
