"""What nvidia-smi, the command of NVML, reports about a GPU, before and while it works."""

from __future__ import annotations

import subprocess
import threading

NAMES = {  # device name -> its file in hardware/gpus
    "NVIDIA A100-SXM4-80GB": "a100-sxm",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA H200": "h200-sxm",
    "NVIDIA B200": "b200-sxm",
    "NVIDIA GB200": "gb200",
}
FIELDS = {  # nvidia-smi field -> key and unit
    "driver_version": ("driver", ""),
    "power.limit": ("power_limit", " W"),
    "clocks.max.sm": ("sm_clock_max", " MHz"),
    "clocks.applications.graphics": ("sm_clock_set", " MHz"),
    "clocks.max.memory": ("memory_clock_max", " MHz"),
    "ecc.mode.current": ("ecc", ""),
}


def gpu_name(device: str) -> str:
    """The name in simtrain; for a GPU it does not know, the device's own in that spelling."""
    return NAMES.get(device, device.lower().removeprefix("nvidia ").replace(" ", "-"))


def query(fields: list[str], smi_id: str) -> list[str] | None:
    """What nvidia-smi reports; None where it is missing or does not know a field."""
    command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits",
               "-i", smi_id]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return [field.strip() for field in answer.stdout.strip().split(",")]


class NoLog:
    def __enter__(self) -> NoLog:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def notes(self) -> list[str]:
        return []


class PowerLog:
    """Samples power, clock and temperature while it is open."""

    KEYS = ("power", "sm_clock", "temperature")
    UNITS = ("W", "MHz", "C")
    INTERVAL = 0.1  # seconds

    def __init__(self, smi_id: str) -> None:
        self._command = ["nvidia-smi", "--query-gpu=power.draw,clocks.sm,temperature.gpu",
                         "--format=csv,noheader,nounits", "-lms", "100", "-i", smi_id]
        self.samples: list[list[float]] = []

    def __enter__(self) -> PowerLog:
        try:
            self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True,
                                             stderr=subprocess.DEVNULL)
        except OSError:
            self._process = None
            return self
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._reader.join()
            self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout:
            self.sample(line)

    def sample(self, line: str) -> None:
        """One line of nvidia-smi; a field that it does not know spoils the line."""
        try:
            values = [float(field) for field in line.split(",")]
        except ValueError:
            return
        if len(values) == len(self.UNITS):
            self.samples.append(values)

    def means(self) -> dict[str, str]:
        """Means over the second half of the samples; nothing where there are none."""
        return self.means_of(self.samples[len(self.samples) // 2:])

    def means_of(self, samples: list[list[float]]) -> dict[str, str]:
        return {key: f"{sum(column) / len(samples):.0f} {unit}"
                for key, column, unit in zip(self.KEYS, zip(*samples), self.UNITS)}

    def notes(self) -> list[str]:
        """The means as one note, such as "691 W, 1410 MHz, 62 C"."""
        return [", ".join(self.means().values()) or "power not logged"]
