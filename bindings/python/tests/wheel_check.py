"""Installs the package into an empty environment and runs three lines and the command there.

    python wheel_check.py WHEEL [--generations "80-real;90"]          a wheel, whose kernels are for these GPUs; "": it has none
    python wheel_check.py --make FOLDER [DEFINITION=VALUE ...]        makes one first, with these settings of CMake
    python wheel_check.py --install FOLDER [DEFINITION=VALUE ...]     pip install ./bindings/python, as users type it
"""

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

CONTAINER = struct.pack("<I", 0xBA55ED50)  # a container of kernels begins so
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(PACKAGE))
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


def settings(folder, definitions):
    return [f"-Cbuild-dir={folder}", *(f"-Ccmake.define.{definition}" for definition in definitions)]


def made(folder, definitions):
    """The path of a new wheel, made by pip and scikit-build-core."""
    tools = os.path.dirname(sys.executable)
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"]}
    raw = os.path.join(folder, "raw")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", raw,
        *settings(folder, definitions), PACKAGE, env=environment)  # fmt: skip
    wheels = sorted((os.path.join(raw, name) for name in os.listdir(raw)), key=os.path.getmtime)
    return wheels[-1]


def new_environment(folder):
    """The interpreter of an environment with nothing in it."""
    empty = os.path.join(folder, "empty")
    run(sys.executable, "-m", "venv", "--clear", empty)
    return os.path.join(empty, "bin", "python")


def try_out(python, folder):
    """What the package does where nothing else is."""
    alone = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "HEDDLE_COMMAND", "LD_LIBRARY_PATH")}
    print(run(python, "-c", THREE_LINES, cwd=folder, env=alone).strip())
    print("python -m heddle --version:", run(python, "-m", "heddle", "--version", cwd=folder, env=alone).strip())
    run(python, "-m", "heddle", "multiply", "gen:stencil2d5,nx=9,ny=9", "--device", "cpu", cwd=folder, env=alone)


def same_text(wheel, name, path):
    with open(path, "rb") as file:
        return wheel.read(name) == file.read()


def check_contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        paths = archive.namelist()
        names = [os.path.basename(path) for path in paths]
        assert "-cp312-abi3-" in wheel and "_core.abi3.so" in names and "py.typed" in names, names
        libraries = [name for name in names if ".so" in name and name != "_core.abi3.so"]
        assert len(libraries) == 1 and libraries[0].startswith(("libheddle.so", "libheddle-")), libraries
        for name in ("LICENSE", "NOTICES"):
            found = [path for path in paths if path.endswith(f".dist-info/licenses/{name}")]
            assert len(found) == 1 and same_text(archive, found[0], os.path.join(PACKAGE, name)), (name, found)
        metadata = archive.read(next(path for path in paths if path.endswith(".dist-info/METADATA"))).decode()
        assert "License-Expression: Apache-2.0" in metadata and "License-File: NOTICES" in metadata, metadata


def kernels_in(library):
    """The kinds ("ptx" or "elf") and GPU generations of the kernels in a library, as nvcc leaves them: containers with a
    header each, in them entries with a header each."""
    found, at = set(), library.find(CONTAINER)
    while at >= 0:
        _, version, header, size = struct.unpack_from("<IHHQ", library, at)
        if version == 1 and header == 16:
            entry, end = at + header, at + header + size
            while entry < end:
                kind, _, header, size = struct.unpack_from("<HHIQ", library, entry)
                (generation,) = struct.unpack_from("<I", library, entry + 28)
                found.add((("ptx", "elf")[kind - 1], generation))
                entry += header + size
        at = library.find(CONTAINER, at + 4)
    return found


def check_generations(wheel, wanted):
    """`wanted` is what CMAKE_CUDA_ARCHITECTURES was: 90-real is machine code, 90-virtual PTX, 90 both."""
    with zipfile.ZipFile(wheel) as archive:
        path = next(path for path in archive.namelist() if os.path.basename(path).startswith("libheddle"))
        found = kernels_in(archive.read(path))
    expected = set()
    for number, _, kind in (one.partition("-") for one in wanted.split(";") if one):
        expected |= {(what, int(number)) for what, other in (("elf", "virtual"), ("ptx", "real")) if kind != other}
    assert found == expected, f"{sorted(found)} found, {sorted(expected)} wanted"
    print("kernels:", ", ".join(f"{what} {number}" for what, number in sorted(found)) or "none")


def check(wheel, folder, generations=None):
    size = os.path.getsize(wheel) / 1e6
    assert size < 60, f"{size:.1f} MB"
    check_contents(wheel)
    if generations is not None:
        check_generations(wheel, generations)
    python = new_environment(folder)
    run(python, "-m", "pip", "install", "-q", wheel)
    try_out(python, folder)
    print(f"{os.path.basename(wheel)}: {size:.1f} MB")


def installed_bytes(python, folder):
    """What the files of the package take."""
    where = "import importlib.util as u; print(u.find_spec('heddle').submodule_search_locations[0])"
    package = run(python, "-c", where, cwd=folder).strip()
    return sum(os.path.getsize(os.path.join(package, name)) for name in os.listdir(package))


def install(folder, definitions):
    """As docs/python.md says it: pip fetches what the build needs into an environment of its own."""
    python = new_environment(folder)
    begin = time.monotonic()
    run(python, "-m", "pip", "install", "./bindings/python", *settings(os.path.join(folder, "build"), definitions), cwd=ROOT)
    took = time.monotonic() - begin
    try_out(python, folder)
    print(f"pip install ./bindings/python: {took:.0f} s, {installed_bytes(python, folder) / 1e6:.1f} MB installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", metavar="FOLDER")
    parser.add_argument("--install", metavar="FOLDER")
    parser.add_argument("--generations")
    parser.add_argument("words", nargs="*", metavar="WHEEL, or DEFINITION=VALUE")
    asked = parser.parse_args()
    folder = asked.make or asked.install
    if not folder:
        with tempfile.TemporaryDirectory() as temporary:
            return check(asked.words[0], temporary, asked.generations)
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    if not index_is_there(os.path.join(folder, "index")):
        print("not run: pip reaches no package index")
        sys.exit(77)
    if asked.install:
        return install(folder, asked.words)
    return check(made(folder, asked.words), folder, asked.generations)


if __name__ == "__main__":
    main()
