"""The device that is measured, and what is known of it."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Any

import torch

from nvidia_smi import FIELDS, NoLog, PowerLog, gpu_name, query
from results import UsageError

LIBRARIES = ("torch", "triton", "transformer_engine", "flash_attn", "flash_attn_3")
BUSY_PERCENT = 10


def libraries() -> dict[str, str]:
    """Versions of what is installed and decides how fast kernels are."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    if torch.version.cuda:
        found["cuda"] = torch.version.cuda
        found["cudnn"] = str(torch.backends.cudnn.version())
    return found


class Cpu:
    """No GPU: only to try the program out."""

    device = "cpu"
    cache_bytes = 0
    data_types = ("bf16",)
    implementations = ("math",)
    engine = False

    def facts(self) -> dict[str, Any]:
        return {"gpu": "cpu", "device": f"CPU {platform.machine()}", "libraries": libraries()}

    def power_log(self) -> NoLog:
        return NoLog()


class CudaGpu:
    """The first GPU that PyTorch sees, alone on it."""

    device = "cuda"

    def __init__(self, implementations: tuple[str, ...], engine: bool) -> None:
        self.implementations = implementations
        self.engine = engine
        self.properties = torch.cuda.get_device_properties(0)
        uuid = getattr(self.properties, "uuid", None)
        self.smi_id = f"GPU-{uuid}" if uuid else "0"
        self.cache_bytes = getattr(self.properties, "L2_cache_size", 50 << 20)
        fp8 = torch.cuda.get_device_capability(0) >= (8, 9)
        self.data_types = ("bf16", "fp8") if fp8 else ("bf16",)
        busy = query(["utilization.gpu"], self.smi_id)
        if busy and busy[0].isdigit() and int(busy[0]) > BUSY_PERCENT:
            raise UsageError(f"{self.properties.name}: {busy[0]} % busy with other work, which "
                             "would be measured along; stop that first")

    def facts(self) -> dict[str, Any]:
        known = {"gpu": gpu_name(self.properties.name), "device": self.properties.name,
                 "sm_count": self.properties.multi_processor_count,
                 "memory": f"{self.properties.total_memory >> 20} MiB",
                 "l2_cache": f"{self.cache_bytes >> 20} MiB"}
        for field, (key, unit) in FIELDS.items():
            value = (query([field], self.smi_id) or [""])[0]
            if value.replace(".", "").isdigit() and unit:
                known[key] = f"{float(value):g}{unit}"
            elif value and not unit and not value.startswith("["):  # [N/A] and the like
                known[key] = value
        return known | {"host": platform.machine(), "libraries": libraries()}

    def power_log(self) -> PowerLog:
        return PowerLog(self.smi_id)
