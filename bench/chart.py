#!/usr/bin/env python3
"""The picture of docs/notebook/2026-11-19-performance.md from its first table: the best format of every class over CSR with a warp per row.

    bench/chart.py docs/notebook/2026-11-19-performance.md > docs/formats-h200.svg
"""
import sys

BASE = "csr lanes=32"
WIDTH, LEFT, ROW = 900, 230, 22


def first_table(path):
    lines = iter(open(path, encoding="utf-8"))
    for line in lines:
        if line.startswith("| matrix | entries |"):
            head = [cell.strip() for cell in line.strip().strip("|").split("|")]
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return
                yield dict(zip(head, (cell.strip().strip("*") for cell in row.strip().strip("|").split("|"))))


def warm(cell):
    return None if cell == "-" else float(cell.split("/")[0])


def gains(path):
    for row in first_table(path):
        times = {plan: warm(cell) for plan, cell in row.items() if plan not in ("matrix", "entries")}
        best = min((p for p in times if times[p]), key=times.get)
        yield row["matrix"], best, times[BASE] / times[best]


def main():
    rows = sorted(gains(sys.argv[1]), key=lambda r: -r[2])
    height = 60 + ROW * len(rows)
    scale = (WIDTH - LEFT - 200) / 12
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    print(f'<text x="10" y="22" font-size="15">Best format over CSR with a warp per row: H200, float, warm</text>')
    for i, (matrix, best, gain) in enumerate(rows):
        y = 50 + i * ROW
        length = min(gain, 12) * scale
        print(f'<text x="{LEFT - 8}" y="{y}" text-anchor="end">{matrix}</text>')
        print(f'<rect x="{LEFT}" y="{y - 12}" width="{length:.1f}" height="15" fill="#3b6ea5"/>')
        more = "" if gain <= 12 else " (bar cut)"
        print(f'<text x="{LEFT + length + 6:.1f}" y="{y}">{gain:.1f} x  {best}{more}</text>')
    x = LEFT + scale
    print(f'<line x1="{x:.1f}" y1="34" x2="{x:.1f}" y2="{height - 8}" stroke="#888" stroke-dasharray="3 3"/>')
    print("</svg>")


if __name__ == "__main__":
    main()
