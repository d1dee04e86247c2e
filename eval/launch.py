"""Runs a command and says, as the last line of stderr, what the system counted for it.

A process of its own, since Linux starts a child's peak memory at that of the process which forked
it: started from the harness, everything would seem to need what the harness needs.
"""

import json
import resource
import subprocess
import sys
import time

start = time.monotonic()
done = subprocess.run(
    sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout, stderr=subprocess.DEVNULL, check=False
)
wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
print(
    json.dumps(
        {
            "cpu_ms": 1000 * (used.ru_utime + used.ru_stime),
            "wall_ms": 1000 * wall,
            "rss_mb": used.ru_maxrss / unit,
        }
    ),
    file=sys.stderr,
)
sys.exit(done.returncode)
