"""What heddle.choose and Operator.explain give: a dict that prints as text for people."""

import json

from . import _device
from ._arguments import real, text
from ._given import matrix_of


def _microseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e6:12.1f}"


class Explanation(dict):
    """The facts as a dict; as text, the plan, the reason and a table of the candidates."""

    def __str__(self):
        lines = [f"plan         {self['plan']}"]
        for name in ("device", "reason"):
            if self.get(name):
                lines.append(f"{name:12} {self[name]}")
        if "bytes" in self:
            lines.append(f"{'bytes':12} {self['bytes']:,}")
        if str(self.get("device", "")).startswith("gpu"):
            lines.append(f"{'vectors':12} arrays of NumPy are copied to the device and back in every product")
        for conversion in self.get("conversions", ()):
            lines.append(f"{'conversion':12} {conversion}")
        if self.get("candidates"):
            lines.append("")
            lines.append(f"{'predicted us':>12} {'measured us':>12} {'bytes':>14}  candidate")
            for c in self["candidates"]:
                if c["fits"]:
                    predicted, measured = _microseconds(c["predicted_seconds"]), _microseconds(c["measured_seconds"])
                    lines.append(f"{predicted:>12} {measured:>12} {c['bytes']:>14,}  {c['plan']}")
        return "\n".join(lines)

    __repr__ = __str__


def choose(A, *, effort="model", products=0.0, device="auto", dtype=None, shape=None):
    """Which plan `optimize` would take, why, and what the others would cost; nothing is stored."""
    matrix, _keep = matrix_of(A, shape=shape, dtype=dtype)
    return Explanation(json.loads(matrix.choose_json(text(effort, "effort"), real(products, "products"), *_device.parse(device))))
