"""Devices by name."""

import json

from . import _core
from ._arguments import whole

_KINDS = {"cpu": 0, "gpu": 1, "emulator": 2, "auto": 3}
_NAMES = {0: "cpu", 1: "gpu", 2: "emulator"}


def parse(device):
    """(kind, ordinal) of "cpu", "gpu", "gpu:1", "emulator" or "auto"."""
    word, _, number = str(device).partition(":")
    if word not in _KINDS or (number and (word != "gpu" or not number.isdigit())):
        raise ValueError(f'device {device!r}: "cpu", "gpu", "gpu:1", "emulator" or "auto" is needed')
    return _KINDS[word], int(number or 0)


def name(kind, ordinal):
    """The text of a device."""
    return _NAMES[kind] + (f":{ordinal}" if ordinal else "")


def set_device_allocator(allocate=None, free=None, *, stream=0):
    """Takes memory of GPUs from a pool of yours from now on; without arguments from Heddle's own again.

    allocate(bytes, device, stream)   gives an address
    free(address)                     takes it back; by any thread
    stream                            in whose order they work: a number

    PyTorch: set_device_allocator(torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete)
    """
    if (allocate is None) != (free is None):
        raise ValueError("a device allocator allocates and frees: one of the two is missing")
    if allocate is not None and not (callable(allocate) and callable(free)):
        raise TypeError("a device allocator is two functions")
    _core.set_device_allocator(allocate, free, int(stream))


def set_threads(count):
    """How many cores products, readers and builders may use, in this process; 0: HEDDLE_THREADS, or every core."""
    _core.set_threads(whole(count, "count"))


def devices():
    """The devices of this machine, a dict each: name, memory, cache, cores."""
    return json.loads(_core.devices_json())["devices"]


def gpu_absence():
    """Why there is no GPU; empty where there is one."""
    return json.loads(_core.devices_json())["gpu_absence"]
