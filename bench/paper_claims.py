#!/usr/bin/env python3
"""The timing claims of the source papers, measured on this machine (docs/performance.md).

    bench/paper_claims.py build/bin/heddle --device gpu > claims.md
"""
import argparse

from measure import Heddle, geometric_mean, micro, time_of

# Stand-ins for the matrices of the papers' tables, large ones first.
TABLE = [("cant", "gen:fem,n=27,dof=3"), ("consph", "gen:fem,n=30,dof=3"), ("pwtk", "gen:fem,n=33,dof=6"),
         ("qcd5_4", "gen:qcd,l=8"), ("mc2depi", "gen:epidemiology"), ("mac_econ", "gen:economics"),
         ("cop20k_A", "gen:mesh"), ("dense2", "gen:dense,rows=2000"), ("wbp128", "gen:tomography,n=128"),
         ("scircuit", "gen:circuit,rows=170000"), ("webbase", "gen:web"), ("rail4284", "gen:lp")]


def ratio(run, slow, fast, cold=False):
    a, b = time_of(run, slow, cold), time_of(run, fast, cold)
    return None if a is None or b is None else a / b


def show(value):
    return "-" if value is None else f"{value:.2f}"


def ellpack_r_over_ellpack(heddle):
    print("\n### R3: ELLPACK-R over ELLPACK as padding grows (float, warm)\n")
    print("| row lengths | N Max / nnz | ELLPACK / ELLPACK-R |\n|---|---|---|")
    for law, longest, rows in [("constant", 16, "500k"), ("F3", 64, "256k"), ("uniform", 32, "500k"), ("F2", 64, "256k"),
                               ("F1", 64, "256k"), ("power", 24, "1M"), ("power", 64, "500k")]:
        run = heddle.bench(f"gen:lengths,rows={rows},max={longest},law={law}", ["ell", "ellr"])
        overhead = longest * run["rows"] / run["nnz"]
        print(f"| {law}, up to {longest} | {overhead:.2f} | {show(ratio(run, 'ell', 'ellr'))} |", flush=True)


def order_of_averages(heddle, runs):
    print("\n### R4: averages weighted by entries, GFLOP/s, float\n\n| kernel | weighted mean | matrices it runs on |\n|---|---|---|")
    for plan in ["csr lanes=1", "csr lanes=32", "csr_padded", "ell", "hyb", "ellr"]:
        done = [r for _, r in runs if time_of(r, plan)]
        nnz = sum(r["nnz"] for r in done)
        flops = sum(r["nnz"] * 2 * r["nnz"] / time_of(r, plan) for r in done) / nnz / 1e9
        print(f"| {plan} | {flops:.0f} | {len(done)} of {len(runs)} |")


def best_of_twelve(heddle):
    print("\n### R5, R6: the twelve ELLR-T, best configuration per matrix (float, warm)\n")
    print("| matrix | mean length | best T, block | over T = 1, block 256 | best with T >= 16 (sell) over it |\n|---|---|---|---|---|")
    plans = [f"ellr T={t} block={b}" for t in (1, 2, 4, 8) for b in (128, 256, 512)]
    for name, matrix in TABLE:
        run = heddle.bench(matrix, plans + ["sell C=32 lanes=16", "sell C=32 lanes=32"])
        done = {p: time_of(run, p) for p in plans if time_of(run, p)}
        if not done:
            print(f"| {name} | {run['nnz'] / run['rows']:.1f} | does not fit | - | - |")
            continue
        best = min(done, key=done.get)
        wide = [t for t in (time_of(run, "sell C=32 lanes=16"), time_of(run, "sell C=32 lanes=32")) if t]
        print(f"| {name} | {run['nnz'] / run['rows']:.1f} | {best[5:]} | {done['ellr T=1 block=256'] / done[best]:.2f} | "
              f"{show(min(wide) / done[best] if wide else None)} |", flush=True)


def group_sizes(heddle):
    print("\n### R8: row-grouped CSR by group size, time over the best group (float, warm)\n")
    print("| matrix | 32 | 64 | 128 | 256 |\n|---|---|---|---|---|")
    for name, matrix in TABLE[:8] + [("3D 7-point, 2.1 M", "gen:stencil3d7,n=128")]:
        plans = [f"rgcsr group={g}" for g in (32, 64, 128, 256)]
        run = heddle.bench(matrix, plans)
        times = [time_of(run, p) for p in plans]
        best = min(t for t in times if t)
        print(f"| {name} | " + " | ".join(show(t / best if t else None) for t in times) + " |", flush=True)


def one_long_row(heddle):
    print("\n### R9: one long row (circuit of 117 k rows, one of 114 k entries; float, warm)\n")
    run = heddle.bench("gen:circuit,rows=116835,giants=1,giant_share=0.977", ["rgcsr", "hyb", "csr_ell", "csr_split", "csr lanes=32"])
    for plan in run["results"]:
        print(f"* {plan}: {micro(time_of(run, plan))} us")


def hybrid(heddle, runs, precision):
    print(f"\n### R12: csr_ell over the better of csr lanes=32 and hyb ({precision}, warm / cold)\n\n| matrix | warm | cold |\n|---|---|---|")
    gains = []
    for name, run in runs:
        pair = []
        for cold in (False, True):
            others = [t for t in (time_of(run, "csr lanes=32", cold), time_of(run, "hyb", cold)) if t]
            pair.append(min(others) / time_of(run, "csr_ell", cold))
        gains.append(pair[0])
        print(f"| {name} | {pair[0]:.2f} | {pair[1]:.2f} |")
    print(f"\nGeometric mean, warm: {geometric_mean(gains):.2f}")


def synthetic_lengths(heddle):
    print("\n### R15: sorted packing against one lane per row, rows of the laws F1-F3 (float, warm)\n")
    print("| law, longest row | ellr T=1 / csr_ell (all ELL) |\n|---|---|")
    for law in ("F1", "F2", "F3"):
        for longest in (64, 96, 128):
            run = heddle.bench(f"gen:lengths,rows=131072,max={longest},law={law}", ["ellr T=1 block=256", "csr_ell T=1024"])
            print(f"| {law}, {longest} | {show(ratio(run, 'ellr T=1 block=256', 'csr_ell T=1024'))} |", flush=True)


def sixteen_bits(heddle):
    print("\n### R20: 16-bit columns over 32-bit ones, same ELLPACK-R mapping (warm)\n\n| matrix | float | double |\n|---|---|---|")
    for name, matrix in [("2D 5-point, 16 M", "gen:stencil2d5,n=4000"), ("3D 27-point, 1 M", "gen:stencil3d27,n=100"),
                         ("FEM 3 dof, 375 k", "gen:fem,n=50,dof=3"), ("band, 2 M x 15", "gen:band,rows=2M,width=10")]:
        cells = []
        for precision in ("f32", "f64"):
            run = heddle.bench(matrix, ["ellr", "ell16"], precision)
            cells.append(show(ratio(run, "ellr", "ell16")))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def cache_hints(heddle):
    print("\n### R21, R23: how x and the matrix meet the L1 (ellr, float, warm / cold)\n")
    print("| matrix | plain loads / streamed matrix | x past the L1 / x through it |\n|---|---|---|")
    for name, matrix in TABLE[:8] + [("3D 7-point, 2.1 M", "gen:stencil3d7,n=128"), ("random, 1 M", "gen:random,rows=1M,cols=1M,per_row=16")]:
        plans = ["ellr cache=x", "ellr cache=all", "ellr cache=none"]
        run = heddle.bench(matrix, plans)
        cells = [f"{show(ratio(run, p, plans[0]))} / {show(ratio(run, p, plans[0], True))}" for p in plans[1:]]
        print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)


def small_matrices(heddle):
    print("\n### R24: small matrices, hyb over the best one-kernel format (float, warm)\n\n| matrix | rows | hyb | best of ellr, sell, csr | ratio |\n|---|---|---|---|---|")
    for name, matrix in [("5-point", "gen:stencil2d5,n=60"), ("FEM 3 dof", "gen:fem,n=10,dof=3"), ("circuit", "gen:circuit,rows=5000,giants=0"), ("random", "gen:random,rows=8000,cols=8000,per_row=9")]:
        run = heddle.bench(matrix, ["hyb rule=two_thirds", "ellr", "sell", "csr"])
        best = min(t for t in (time_of(run, p) for p in ("ellr", "sell", "csr")) if t)
        hyb = time_of(run, "hyb rule=two_thirds")
        print(f"| {name} | {run['rows']} | {micro(hyb)} | {micro(best)} | {hyb / best:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--seconds", type=float, default=0.02)
    options = parser.parse_args()
    heddle = Heddle(options.command, options.device, options.seconds)
    plans = ["csr lanes=1", "csr lanes=32", "csr_padded", "ell", "hyb", "ellr", "csr_ell"]
    runs = [(name, heddle.bench(matrix, plans)) for name, matrix in TABLE]
    ellpack_r_over_ellpack(heddle)
    order_of_averages(heddle, runs)
    best_of_twelve(heddle)
    group_sizes(heddle)
    one_long_row(heddle)
    hybrid(heddle, runs, "float")
    hybrid(heddle, [(name, heddle.bench(matrix, plans, "f64")) for name, matrix in TABLE], "double")
    synthetic_lengths(heddle)
    sixteen_bits(heddle)
    cache_hints(heddle)
    small_matrices(heddle)


if __name__ == "__main__":
    main()
