"""A run of a program with what it took, for the tools that compare."""

import os
import subprocess
import sys


def timed_run(program, command):
    """Output, user CPU seconds and peak MiB of one run. Ends this process where the program fails."""
    with subprocess.Popen([program, *command], stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {program} {' '.join(command)}: exit status {process.returncode}")
    return text, used.ru_utime, used.ru_maxrss / 1024


def ratio(new, old):
    """As text; none of what took no time that the system counts."""
    return f"{new / old:.3f}" if old > 0 else "-"
