#!/usr/bin/env python3
"""The table of all formats on the generated classes (docs/notebook/2026-11-19-performance.md).

    bench/formats_table.py build/bin/heddle --device gpu > table.md
"""
import argparse

from measure import Heddle, micro, time_of

CLASSES = [
    ("2D 5-point, 1 M rows", "gen:stencil2d5,n=1000"),
    ("3D 7-point, 2.1 M", "gen:stencil3d7,n=128"),
    ("3D 27-point, 1 M", "gen:stencil3d27,n=100"),
    ("FEM 3 dof, 59 k", "gen:fem,n=27,dof=3"),
    ("FEM 3 dof, 375 k", "gen:fem,n=50,dof=3"),
    ("FEM 6 dof, 216 k", "gen:fem,n=33,dof=6"),
    ("QCD lattice, 49 k", "gen:qcd,l=8"),
    ("dense, 2 k", "gen:dense,rows=2000"),
    ("unstructured mesh, 121 k", "gen:mesh"),
    ("economics, 207 k", "gen:economics"),
    ("epidemiology, 526 k", "gen:epidemiology"),
    ("road, 4 M", "gen:road,rows=4M"),
    ("empty rows, 2 M", "gen:empty"),
    ("web, 1 M", "gen:web"),
    ("circuit, 170 k", "gen:circuit,rows=170000"),
    ("circuit, giant rows, 1.5 M", "gen:circuit,rows=1500000"),
    ("R-MAT 2^20", "gen:rmat,scale=20"),
    ("LP, 4,284 x 1.09 M", "gen:lp"),
    ("random columns, 1 M", "gen:random,rows=1M,cols=1M,per_row=16"),
    ("one full row of 1 M", "gen:arrow,rows=1M"),
    ("tiny 5-point, 10 k", "gen:stencil2d5,n=100"),
]
PLANS = ["csr", "csr lanes=32", "csr_split", "csr_ell", "coo", "hyb", "ell", "ellr", "ellr T=4", "sell",
         "sell sigma=1024 lanes=1", "rgcsr", "ell16", "dia", "csr_padded", "bcsr r=3 c=3", "bell r=3 c=3"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--precision", choices=["f32", "f64"], action="append")
    options = parser.parse_args()
    heddle = Heddle(options.command, options.device, options.seconds)
    for precision in options.precision or ["f32", "f64"]:
        print(f"\n{'float' if precision == 'f32' else 'double'}, microseconds warm / cold; '-': does not fit\n")
        print("| matrix | entries | " + " | ".join(PLANS) + " |")
        print("|---|---|" + "---|" * len(PLANS), flush=True)
        for name, matrix in CLASSES:
            run = heddle.bench(matrix, PLANS, precision)
            times = {p: time_of(run, p) for p in PLANS}
            best = min((t for t in times.values() if t), default=None)
            cells = []
            for plan in PLANS:
                text = "-" if times[plan] is None else f"{micro(times[plan])} / {micro(time_of(run, plan, True))}"
                cells.append(f"**{text}**" if times[plan] == best and best else text)
            print(f"| {name} | {run['nnz'] / 1e6:.2f} M | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
