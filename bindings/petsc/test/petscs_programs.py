#!/usr/bin/env python3
"""PETSc's own example programs with our types: each test that its source states runs as it is and with Heddle, and the
two outputs must say the same; numbers may differ in their last digits, names of types do differ. Lines that differ from one
run with PETSc's type to the next are left out. Where PETSc has recorded an output, each of the two is compared with that as
well, which only counts: it depends on the machine. Two outputs that differ stay in the folder of --work.

    petscs_programs.py --source DIR --library libheddle_petsc.so --work DIR [--folder src/ksp/ksp/tutorials] [ex2 ...]

DIR is a source tree of the PETSc that pkg-config finds (Debian: /usr/share/petsc/3.18/share/petsc/examples).
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from stated_tests import Configuration, stated_tests

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
OUR_LINES = re.compile(r"^\s*Heddle(\[\d+\])?: ")
NAMED_TYPE = re.compile(r"(mat_type\s+(?:seq|mpi)?)aij(?=\s|$)")
MORE_RUNS = 4  # of PETSc's type, where an output differs
KNOWN = {  # a program, or one of its tests
    "ksp/ksp/tutorials/ex18": "PETSc asks for the name mpiaij: MatGetOrdering on several ranks",
    "ksp/ksp/tutorials/ex45 1": "PC exotic: as with aijperm and aijsell, to the last digit"}


@dataclass
class Outcome:
    text: str = ""
    error: str = ""  # why it failed, else empty


def run(command, folder, options, seconds):
    environment = dict(os.environ, PETSC_OPTIONS=f"{os.environ.get('PETSC_OPTIONS', '')} {options}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment, errors="replace", cwd=folder)
    except subprocess.TimeoutExpired:
        return Outcome(error=f"no end within {seconds} s")
    if done.returncode == 0:
        return Outcome(done.stdout)
    said = re.findall(r"^\[\d+\]PETSC ERROR: (?!-|See )(.+)", done.stderr, re.M)[:2]
    return Outcome(done.stdout, "; ".join(said) or f"exit status {done.returncode}")


def filtered(command, text, folder):
    """What PETSc's own harness compares."""
    if not command:
        return text
    return subprocess.run(command, shell=True, input=text, capture_output=True, text=True, cwd=folder, errors="replace").stdout


def lines_of(text):
    """Without our own lines and the lines that name a type; spaces do not count, as in PETSc's own comparison."""
    text = text.replace("aijcusparseheddle", "aijcusparse").replace("aijheddle", "aij")
    return [" ".join(line.split()) for line in text.splitlines()
            if line.strip() and "node routines" not in line and not OUR_LINES.match(line)]


def same_number(a, b):
    a, b = float(a), float(b)
    small = 1e-9  # residuals and errors at the level of rounding say nothing
    return a == b or abs(a - b) <= 1e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < small


def differing_lines(usual, ours):
    """Their numbers from 0; None where one output has more lines."""
    a, b = lines_of(usual), lines_of(ours)
    if len(a) != len(b):
        return None
    found = set()
    for at, (left, right) in enumerate(zip(a, b)):
        x, y = NUMBER.findall(left), NUMBER.findall(right)
        if NUMBER.sub("#", left) != NUMBER.sub("#", right) or not all(map(same_number, x, y)):
            found.add(at)
    return found


def same(usual, ours):
    return differing_lines(usual, ours) == set()


class Petsc:
    def __init__(self):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True, check=True).stdout
        self.flags = shlex.split(flags)
        folders = [Path(flag[2:]) for flag in self.flags if flag.startswith("-I")]
        found = next(folder / "petscconf.h" for folder in folders if (folder / "petscconf.h").exists())
        self.configuration = Configuration(found.read_text())

    def compile(self, source, program):
        command = ["mpicc", "-w", "-O1", "-o", str(program), str(source), *self.flags, "-lm"]
        return subprocess.run(command, capture_output=True, cwd=source.parent).returncode == 0


class Comparison:
    def __init__(self, given, petsc):
        self.given, self.petsc = given, petsc
        self.usual_type, self.our_type = given.types.split(",")
        self.load = f"-dll_append {given.library}" + (" -mat_seqaij_type seqaijheddle" if self.our_type == "aijheddle" else "")
        self.deadline = time.monotonic() + given.seconds

    def outcome(self, program, test, kind, forced, log=None):
        """The filtered output with matrices of this type."""
        options = f"-mat_type {kind} -dm_mat_type {kind} {self.given.more}" if forced else self.given.more
        if kind == self.our_type:
            options += f" {self.load}" + (f" -log_view :{log}" if log else "")
        args = NAMED_TYPE.sub(rf"\1{kind}", test.args).replace("${wPETSC_DIR}", str(self.given.source))
        command = [*self.given.launch.split(), str(test.ranks), str(program), *shlex.split(args)]
        with tempfile.TemporaryDirectory() as folder:
            # A busy machine is no difference: ours may take twice as long.
            done = run(command, folder, options, self.given.limit * (1 if kind == self.usual_type else 2))
            return Outcome(filtered(test.filter, done.text, folder), done.error)

    def varying_lines(self, program, test, forced, usual, differing):
        """Of the differing lines those that PETSc's own type prints otherwise in another run."""
        varying = set()
        for _ in range(MORE_RUNS):
            again = self.outcome(program, test, self.usual_type, forced)
            found = differing_lines(usual, again.text)
            if again.error or found is None:
                continue
            varying |= found
            if differing <= varying:
                break
        return varying

    def recorded(self, source, test):
        """What PETSc says that the test prints, in all its versions."""
        first = source.parent / test.output
        files = [first, *sorted(first.parent.glob(f"{first.stem}_alt*.out"))] if first.is_file() else []
        return [filtered(test.filter_output, file.read_text(errors="replace"), source.parent) for file in files]

    def compare(self, source, program, test):
        """The verdict, an error of ours, and what else is counted."""
        # A test that names its type means that one; one that cannot do with aij everywhere keeps its own types.
        for forced in ([] if "mat_type" in test.args else [True]) + [False]:
            usual = self.outcome(program, test, self.usual_type, forced)
            if not usual.error:
                break
        else:
            return f"fails with {self.usual_type} too", "", {}
        log = program.with_suffix(".log")
        log.unlink(missing_ok=True)
        # A log goes through a viewer, and a test that says of which type all viewers are means no text.
        ours = self.outcome(program, test, self.our_type, forced, None if "-viewer_type" in test.args else log)
        differing = None if ours.error else differing_lines(usual.text, ours.text)
        varying = self.varying_lines(program, test, forced, usual.text, differing) if differing else set()
        equal = differing is not None and differing <= varying
        if not equal:
            name = f"{program.stem}_{re.sub('[^0-9A-Za-z.-]', '_', test.name)}"
            for kind, outcome in ((self.usual_type, usual), (self.our_type, ours)):
                (self.given.work / f"{name}.{kind}.txt").write_text(outcome.text)
        multiplied = log.exists() and re.search(r"^Heddle(MatMult|MatMatMult|MatMultTr) +[1-9]", log.read_text(), re.M)
        recorded = self.recorded(source, test)
        return "the same" if equal else "differs", ours.error, {
            f"the same but for lines that vary with {self.usual_type} too": bool(equal and varying),
            "multiplied by Heddle": bool(multiplied), "have a recorded output": bool(recorded),
            f"{self.usual_type} prints what is recorded": any(same(text, usual.text) for text in recorded),
            f"{self.our_type} prints what is recorded": not ours.error and any(same(text, ours.text) for text in recorded)}

    def of_program(self, source):
        """Counts of the verdicts on the tests of a program."""
        counts = Counter()
        tests, unable = stated_tests(source.read_text(errors="replace"), source.stem, self.petsc.configuration,
                                     self.given.combinations)
        counts["asks for what this PETSc has not"] = unable
        program = self.given.work / source.stem
        if not tests or time.monotonic() > self.deadline or not self.petsc.compile(source, program):
            counts["not run"] = len(tests)
            return counts
        for test in tests:
            if time.monotonic() > self.deadline:
                counts["not run"] += 1
                continue
            verdict, error, more = self.compare(source, program, test)
            name = f"{self.given.folder.removeprefix('src/')}/{source.stem}"
            known = KNOWN.get(name) or KNOWN.get(f"{name} {test.name}")
            if verdict == "differs":
                verdict = "differs, known" if known else verdict
                print(f"{verdict}: {source.stem} {test.name}, {test.ranks} ranks, {test.args} {known or error}", flush=True)
            counts.update({verdict: 1, **more})
        program.unlink()
        return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--folder", default="src/ksp/ksp/tutorials")
    parser.add_argument("--launch", default="mpiexec -n")
    parser.add_argument("--types", default="aij,aijheddle", help="the usual type and ours; or aijcusparse,aijcusparseheddle")
    parser.add_argument("--more", default="", help="options for both, such as -vec_type cuda")
    parser.add_argument("--combinations", type=int, default=6, help="of the values of a loop, at most")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=180, help="seconds a program may take, twice as long with our type")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="nothing new is begun after these")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    given.library, given.source, given.work = given.library.resolve(), given.source.resolve(), given.work.resolve()
    sources = sorted((given.source / given.folder).glob("ex*.c"))
    sources = [source for source in sources if not given.names or source.stem in given.names]
    if not sources:
        sys.exit(f"no programs in {given.source / given.folder}")
    comparison = Comparison(given, Petsc())
    with ThreadPoolExecutor(given.jobs) as pool:
        counts = sum(pool.map(comparison.of_program, sources), Counter())
    print(", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing was run")
    return 0 if counts["the same"] > 0 and counts["differs"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
