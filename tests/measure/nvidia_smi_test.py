import os
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import harness  # noqa: F401
from nvidia_smi import PowerLog, gpu_name, query


class NvidiaSmi(unittest.TestCase):
    def install(self, script):
        """A nvidia-smi of our own, alone in the path."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        if script:
            program = Path(folder.name) / "nvidia-smi"
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)
        patch = mock.patch.dict(os.environ, {"PATH": folder.name})
        patch.start()
        self.addCleanup(patch.stop)

    def test_names_are_those_of_hardware_gpus(self):
        self.assertEqual(gpu_name("NVIDIA H200"), "h200-sxm")
        self.assertEqual(gpu_name("NVIDIA H100 PCIe"), "h100-pcie")

    def test_query_asks_for_the_fields_of_one_gpu(self):
        self.install('[ "$1 $4" = "--query-gpu=a,b GPU-7" ] && echo "570.86, 700.00"')
        self.assertEqual(query(["a", "b"], "GPU-7"), ["570.86", "700.00"])
        self.assertIsNone(query(["a"], "GPU-7"))

    def test_query_without_nvidia_smi(self):
        self.install(None)
        self.assertIsNone(query(["a"], "0"))

    def test_power_log_is_the_mean_of_the_second_half(self):
        log = PowerLog("0")
        for line in ("100, 1980, 30", "[N/A], 1980, 30", "690, 1500, 60", "700.4, 1400, 62",
                     "1, 2", "700.6, 1400, 64"):
            log.sample(line)
        self.assertEqual(log.notes(), ["700 W, 1400 MHz, 63 C"])
        self.assertEqual(
            log.means(), {"power": "700 W", "sm_clock": "1400 MHz", "temperature": "63 C"})
        self.assertEqual(log.means_of(log.samples[:1])["temperature"], "30 C")

    def test_power_log_reads_until_it_is_closed(self):
        self.install("echo 691.2, 1410, 62\nexec /bin/sleep 60")
        with PowerLog("0") as log:
            deadline = time.monotonic() + 30
            while not log.samples and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertEqual(log.notes(), ["691 W, 1410 MHz, 62 C"])

    def test_power_log_without_nvidia_smi_says_so(self):
        self.install(None)
        with PowerLog("0") as log:
            pass
        self.assertEqual(log.notes(), ["power not logged"])
        self.assertEqual(log.means(), {})


if __name__ == "__main__":
    unittest.main()
