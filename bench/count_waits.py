#!/usr/bin/env python3
"""How often the straight pieces of a kernel's machine code wait for memory, and for how many loads each time.

    nvcc -O3 -std=c++20 --expt-relaxed-constexpr -I include -I src -I build/built_with -arch=sm_90 -cubin -x cu -o rows.cubin \\
         src/formats/weave/rows/rows_gpu.cu
    bench/count_waits.py rows.cubin warp_per_slice             kernels whose names have that in them
    bench/count_waits.py rows.cubin --most 3                   pieces that wait more often than so

    weave_rows_warp_per_slice<(Keep)1, false, false, 2, float, float>
       at   370 loop   74 instructions  16 loads, waits 2: 4 12

A piece has no branch in it. The first instruction that needs what a load brings waits for it, and for all loads before
it: four loads, a wait, twelve loads and another wait are what a batch of entries takes, columns first and x after them.
More waits than that mean that the compiler saved registers (docs/simt.md). Needs cuobjdump, of CUDA.
"""
import argparse
import re
import subprocess
import sys

LOAD_WIDTHS = {".128": 4, ".64": 2}


def kernels(text):
    """Name and (address, instruction) of every kernel of a disassembly."""
    for part in re.split(r"\n\s*Function : ", text)[1:]:
        name, _, body = part.partition("\n")
        yield name.strip(), [(int(a, 16), i) for a, i in re.findall(r"/\*([0-9a-f]{4,5})\*/\s+(.*?)\s*;", body)]


def straight_pieces(instructions):
    """Cuts them at branches and where branches lead; whether a piece leads to its own beginning."""
    jumps = [re.search(r"\bBRA\b.*?0x([0-9a-f]+)", i) for _, i in instructions]
    targets = {int(jump[1], 16) for jump in jumps if jump}
    piece = []
    for (address, instruction), jump in zip(instructions, jumps):
        if address in targets and piece:
            yield piece, False
            piece = []
        piece.append(instruction)
        start = address - 16 * (len(piece) - 1)
        if jump or re.search(r"\bEXIT\b", instruction):
            yield piece, bool(jump) and int(jump[1], 16) == start
            piece = []
    if piece:
        yield piece, False


def registers(text):
    """Numbers of the registers it names; an address of 64 bits is two."""
    found = set()
    for number, wide in re.findall(r"\bR(\d+)(\.64)?", text):
        found |= {int(number), int(number) + 1} if wide else {int(number)}
    return found


def loads_of_waits(piece):
    """How many loads the piece begins before each wait, and how many it has."""
    coming, begun, loads, waits = set(), 0, 0, []
    for instruction in piece:
        operation, _, operands = re.sub(r"^@!?U?P\w+\s+", "", instruction).partition(" ")
        to, _, sources = operands.partition(",")
        if coming & registers(sources if not operation.startswith("ST") else operands):
            waits.append(begun)
            coming, begun = set(), 0
        if operation.startswith("LDG"):
            first = re.match(r"\s*R(\d+)", to)
            width = next((w for suffix, w in LOAD_WIDTHS.items() if suffix in operation), 1)
            coming |= set(range(int(first[1]), int(first[1]) + width)) if first else set()
            begun, loads = begun + 1, loads + 1
    return waits, loads


def disassembled(file):
    """What cuobjdump says of it; ends with a message where it cannot."""
    try:
        done = subprocess.run(["cuobjdump", "-sass", file], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("count_waits.py: cuobjdump is not on PATH; it comes with CUDA")
    if done.returncode != 0 or "Function : " not in done.stdout:
        sys.exit(f"count_waits.py: no machine code in {file} {done.stderr.strip()}".rstrip())
    return done.stdout


def readable(name):
    name = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    name = re.sub(r"heddle::|weave::|\(anonymous namespace\)::|^void ", "", name)
    return re.sub(r">\s*\([A-Z].*\)$", ">", name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a cubin, or an object with one")
    parser.add_argument("name", nargs="?", default="", help="part of the names of kernels")
    parser.add_argument("--loads", type=int, default=6, help="pieces with so many loads or more (6)")
    parser.add_argument("--most", type=int, default=-1, help="only pieces with more waits than so")
    asked = parser.parse_args()
    for name, instructions in kernels(disassembled(asked.file)):
        if asked.name not in (shown := readable(name)):
            continue
        lines, at = [], 0
        for piece, is_loop in straight_pieces(instructions):
            waits, loads = loads_of_waits(piece)
            if loads >= asked.loads and len(waits) > asked.most:
                lines.append(f"   at {16 * at:5x} {'loop' if is_loop else '':4} {len(piece):4} instructions {loads:3} loads, "
                             f"waits {len(waits)}: {' '.join(map(str, waits))}")
            at += len(piece)
        if lines:
            print(shown, *lines, sep="\n")


if __name__ == "__main__":
    main()
