#!/usr/bin/env python3
"""PETSc's own example programs with our types: each test that its source states runs as it is and with Heddle, and the
two outputs must say the same; numbers may differ in their last digits, names of types do differ.

    tutorials.py --source DIR --library libheddle_petsc.so --work DIR [--folder src/ksp/ksp/tutorials] [ex2 ...]

DIR is a source tree of the PETSc that pkg-config finds (Debian: /usr/share/petsc/3.18/share/petsc/examples).
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
OUR_LINES = re.compile(r"^\s*Heddle(\[\d+\])?: ")
# PETSc asks for these by the name mpiaij itself, not by a type that begins with it; a program, or one of its tests.
KNOWN = {"ex18": "MatGetOrdering on several ranks",
         "ex45 1": "PC exotic: as with aijperm and aijsell, to the last digit"}
# What a test may ask for that this runner takes to be there.
HARMLESS = {"!single", "double", "!complex", "!defined(petsc_use_64bit_indices)", "mumps", "superlu_dist", "hypre",
            "!__float128", "defined(petsc_use_log)", "defined(petsc_use_info)", "suitesparse", "c99"}


def stated_tests(text):
    """(suffix, ranks, arguments) of the plain tests of a source: no loops, nothing asked for that may be missing."""
    block = re.search(r"/\*TEST(.*?)TEST\*/", text, re.S)
    found, current, last = [], None, "args"
    for line in (block.group(1).splitlines() if block else []):
        key, _, value = (part.strip() for part in line.partition(":"))
        if key in ("test", "testset", "build"):
            current, last = {"kind": key, "args": ""}, "args"
            found.append(current)
        elif current is not None and key and re.fullmatch(r"[a-z_]+", key):
            last = key
            current[key] = (current.get(key, "") + " " + value).strip()
        elif current is not None and line.strip():
            current[last] = (current.get(last, "") + " " + line.strip()).strip()
    needs = [part for part in found if part["kind"] == "build"]
    if any(asked(part) - HARMLESS for part in needs) or any(part["kind"] == "testset" for part in found):
        return
    for part in found:
        simple = part["kind"] == "test" and not asked(part) - HARMLESS and "{{" not in part["args"]
        if simple and part.get("nsize", "1").isdigit() and "datafilespath" not in part["args"].lower():
            yield part.get("suffix", "1"), int(part.get("nsize", "1")), part["args"]


def asked(part):
    return set(part.get("requires", "").lower().split())


def run(command, options=""):
    environment = dict(os.environ, PETSC_OPTIONS=f"{os.environ.get('PETSC_OPTIONS', '')} {options}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, env=environment, errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def lines_of(text):
    """Without our own lines and the lines that name a type."""
    kept = (line.replace("aijcusparseheddle", "aijcusparse").replace("aijheddle", "aij") for line in text.splitlines() if not OUR_LINES.match(line))
    return [line.rstrip() for line in kept if line.strip() and "node routines" not in line]


def same_number(a, b):
    a, b = float(a), float(b)
    small = 1e-9  # residuals and errors at the level of rounding say nothing
    return a == b or abs(a - b) <= 1e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < small


def same(usual, ours):
    a, b = lines_of(usual), lines_of(ours)
    if len(a) != len(b):
        return False
    for left, right in zip(a, b):
        x, y = NUMBER.findall(left), NUMBER.findall(right)
        if NUMBER.sub("#", left) != NUMBER.sub("#", right) or not all(map(same_number, x, y)):
            return False
    return True


def compile_program(source, program):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True, check=True)
    command = ["mpicc", "-w", "-O1", "-o", str(program), str(source), *shlex.split(flags.stdout), "-lm"]
    return subprocess.run(command, capture_output=True, cwd=source.parent).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--folder", default="src/ksp/ksp/tutorials")
    parser.add_argument("--launch", default="mpiexec -n")
    parser.add_argument("--types", default="aij,aijheddle", help="the usual type and ours; or aijcusparse,aijcusparseheddle")
    parser.add_argument("--more", default="", help="options for both, such as -vec_type cuda")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    given.library, given.source, given.work = given.library.resolve(), given.source.resolve(), given.work.resolve()
    usual_type, our_type = given.types.split(",")
    load = f"-dll_append {given.library}" + (" -mat_seqaij_type seqaijheddle" if our_type == "aijheddle" else "")
    types = "-mat_type {0} -dm_mat_type {0} " + given.more
    sources = sorted((given.source / given.folder).glob("ex*.c"))
    if not sources:
        sys.exit(f"no programs in {given.source / given.folder}")
    counts = {"the same": 0, "differs": 0, "differs, known": 0, "fails with aij too": 0, "multiplied by Heddle": 0}
    for source in sources:
        tests = list(stated_tests(source.read_text(errors="replace")))
        if (given.names and source.stem not in given.names) or not tests:
            continue
        program = given.work / source.stem
        if not compile_program(source, program):
            continue
        for suffix, ranks, text in tests:
            command = [*given.launch.split(), str(ranks), str(program), *shlex.split(text)]
            own_types = "" if "mat_type" in text else types  # a test that names its type means that one
            usual_code, usual = run(command, own_types.format(usual_type))
            if usual_code != 0:
                counts["fails with aij too"] += 1
                continue
            log = given.work / "log.txt"
            log.unlink(missing_ok=True)
            our_code, ours = run(command, f"{load} {own_types.format(our_type)} -log_view :{log}")
            equal = our_code == 0 and same(usual, ours)
            known = KNOWN.get(source.stem) or KNOWN.get(f"{source.stem} {suffix}")
            verdict = "the same" if equal else "differs, known" if known else "differs"
            counts[verdict] += 1
            if not equal:
                print(f"{verdict}: {source.stem} {suffix}, {ranks} ranks, {text} {known or ''}", flush=True)
            events = re.search(r"^Heddle(MatMult|MatMatMult|MatMultTr) +[1-9]", log.read_text(), re.M) if log.exists() else None
            counts["multiplied by Heddle"] += events is not None
        program.unlink()
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0 if counts["the same"] > 0 and counts["differs"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
