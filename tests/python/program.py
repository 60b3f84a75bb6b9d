"""The program of the build, and what the tests of the package share."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ["SIMTRAIN"]


def printed(*arguments, cwd=ROOT):
    """What the program prints, which must go well."""
    done = subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


def any_status(*arguments, data=ROOT):
    """The JSON that the program prints, whether its answer is yes or no."""
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "SIMTRAIN_DATA": str(data)})
    if done.returncode not in (0, 1):
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


def document(*arguments):
    return json.loads(printed(*arguments, "--format", "json"))


def timeless(result):
    """A result without the time that its simulation took."""
    result["engine"].pop("wall_s")
    return result
