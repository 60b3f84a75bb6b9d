"""`pip install .` into a fresh environment, with the modules of this build."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.python.program import ROOT

BUILD = os.environ["SIMTRAIN_BUILD"]


class WheelTest(unittest.TestCase):
    def test_an_installed_package_needs_nothing_of_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {key: value for key, value in os.environ.items()
                           if key not in ("PYTHONPATH", "SIMTRAIN_DATA")}
            sources = Path(folder) / "sources"  # pip writes into the folder that it builds
            sources.mkdir()
            (sources / "python").mkdir()
            os.symlink(ROOT / "python" / "simtrain", sources / "python" / "simtrain")
            for name in ("CMakeLists.txt", "README.md", "pyproject.toml", "setup.py"):
                shutil.copy(ROOT / name, sources / name)
            venv = Path(folder) / "venv"
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", venv], check=True)
            python = str(venv / "bin" / "python")
            done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index",
                                   "--no-deps", str(sources)], env={**environment, "SIMTRAIN_BUILD": BUILD},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = subprocess.run(
                [python, "-c", "import simtrain; print(simtrain.DataFolder().path); "
                 "print(simtrain.simulate(simtrain.Scenario.load('llama405b_a4_224')).gpus, simtrain.__version__)"],
                cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            path, figures = done.stdout.splitlines()
            self.assertTrue(path.startswith(str(venv)), path)
            self.assertEqual(figures, "224 0.1.0")


if __name__ == "__main__":
    unittest.main()
