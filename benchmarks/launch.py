"""Run a command and print its seconds and peak memory in bytes: `python -S launch.py COMMAND …`.

A process of its own, because Linux counts into a child's peak what its parent had when it started it.
"""

import os
import sys
import time

began = time.perf_counter()
pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
seconds = time.perf_counter() - began
if status:
    sys.exit(f"{sys.argv[1]} ended with exit code {os.waitstatus_to_exitcode(status)}")
print(seconds, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024), file=sys.stderr)
