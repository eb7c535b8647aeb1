#!/usr/bin/env python3
"""The picture of docs/notebook/2026-11-19-performance.md from its table of formats: the best one of every class over CSR with a warp per row.

    bench/chart.py docs/notebook/2026-11-19-performance.md > docs/formats-h200.svg
"""
import math
import sys

from picture import opening

BASE = "csr lanes=32"
WIDTH, LEFT, RIGHT, ROW = 720, 290, 190, 29


def table_of_formats(path):
    lines = iter(open(path, encoding="utf-8"))
    for line in lines:
        if line.startswith("| matrix | entries | csr |"):
            head = [cell.strip() for cell in line.strip().strip("|").split("|")]
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return
                yield dict(zip(head, (cell.strip().strip("*") for cell in row.strip().strip("|").split("|"))))


def warm(cell):
    return None if cell == "-" else float(cell.split("/")[0])


def gains(path):
    for row in table_of_formats(path):
        times = {plan: warm(cell) for plan, cell in row.items() if plan not in ("matrix", "entries")}
        best = min((p for p in times if times[p]), key=times.get)
        yield row["matrix"], best, times[BASE] / times[best]


def main():
    rows = sorted(gains(sys.argv[1]), key=lambda r: -r[2])
    top = 92
    height = top + ROW * len(rows)
    scale = (WIDTH - LEFT - RIGHT) / math.log(rows[0][2])
    print(opening(WIDTH, height, "The best format over CSR with a warp per row"))
    print('<text x="8" y="26" font-weight="bold">Best format over CSR with a warp per row</text>')
    print('<text x="8" y="54" class="quiet">H200, float, warm; bars are logarithmic</text>')
    for i, (matrix, best, gain) in enumerate(rows):
        y = top + i * ROW
        length = max(2, math.log(gain) * scale)
        print(f'<text x="{LEFT - 10}" y="{y + 6}" text-anchor="end">{matrix}</text>')
        print(f'<rect x="{LEFT}" y="{y - 9}" width="{length:.0f}" height="18" class="ours"/>')
        print(f'<text x="{LEFT + length + 8:.0f}" y="{y + 6}">{gain:.1f} {best}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
