"""Builds the package's module with CMake. `pip install --no-build-isolation .` takes the packages that
`tools/setup.sh python` installs.

SIMTRAIN_BUILD=build/release pip install ... takes a build folder that is there instead of making one.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version():
    return re.search(r"project\(simtrain VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class BuildWithCMake(build_ext):
    """Module, library and data, as CMake installs them, into the folder of the package."""

    def build_extension(self, ext):
        package = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build = os.environ.get("SIMTRAIN_BUILD")
        if not build:
            build = str(Path(self.build_temp).resolve())
            self.spawn(["cmake", "-S", str(ROOT), "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSIMTRAIN_PYTHON=ON",
                        "-DSIMTRAIN_MPI=OFF", "-DCMAKE_UNITY_BUILD=ON", f"-DPython_EXECUTABLE={sys.executable}"])
            jobs = os.environ.get("JOBS") or str(os.cpu_count())
            self.spawn(["cmake", "--build", build, "--parallel", jobs, "--target", "simtrain_python"])
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", str(package), "--strip"],
                       check=True, stdout=subprocess.DEVNULL)


setup(version=version(), ext_modules=[Extension("simtrain._simtrain", sources=[])],
      cmdclass={"build_ext": BuildWithCMake})
