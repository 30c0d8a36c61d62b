# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes in one machine: namespaces of network, processes and mounts of their own, joined by a cable (veth) that can be cut. All goes with the processes that hold them."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
NAMES = ("node0", "node1")
ADDRESSES = ("10.213.77.1", "10.213.77.2")
# Of a node: waits for orphans, as init does, and ends with whoever has started it. Then all others there end.
FIRST_PROCESS = 'import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); print("here", flush=True); sys.stdin.read()'


def run(*line):
    subprocess.run(line, check=True, capture_output=True, text=True)


class Nodes:
    """`shell NAME LINE` runs a line on a node, as ssh would. Raises OSError or CalledProcessError where this machine does not permit it."""

    def __init__(self):
        for tool in ("ip", "nsenter", "unshare"):
            if not shutil.which(tool):
                raise FileNotFoundError(f"there is no {tool}")
        self.holders = {}
        self.folder = tempfile.TemporaryDirectory()
        self.shell = Path(self.folder.name) / "shell"

    def __enter__(self):
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self):
        for name in NAMES:
            self.holders[name] = self._hold(name)
        pids = [self._inside(name) for name in NAMES]
        run("nsenter", "-t", str(pids[0]), "-n", "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(pids[1]))
        for name, address in zip(NAMES, ADDRESSES):
            for line in (f"ip addr add {address}/24 dev cable", "ip link set cable up", "ip link set lo up"):
                self.on(name, line)
        for name in NAMES:
            self.on(name, "n=0; until ip -br link show cable | grep -q ' UP '; do sleep 0.05; n=$((n+1)); [ $n -lt 400 ]; done")
        cases = "\n".join(f'{name}) pid={pid} ;;' for name, pid in zip(NAMES, pids))
        self.shell.write_text(f'#!/bin/sh\ncase $1 in\n{cases}\n*) exit 2 ;;\nesac\nshift\nexec nsenter -t $pid -m -n -p -i -u --wd="$PWD" sh -c "$*"\n')
        self.shell.chmod(0o755)

    def _hold(self, name):
        line = ["unshare", "--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]
        script = f"hostname {name} && mount -t sysfs sysfs /sys && exec {sys.executable} -c '{FIRST_PROCESS}'"
        holder = subprocess.Popen([*line, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if holder.stdout.readline() != "here\n":
            raise OSError(holder.communicate()[1].strip() or "unshare has failed")
        return holder

    def _inside(self, name):
        return int(Path(f"/proc/{self.holders[name].pid}/task/{self.holders[name].pid}/children").read_text().split()[0])

    def on(self, name, line):
        run("nsenter", "-t", str(self._inside(name)), "-n", "sh", "-c", line)

    def cut(self):
        self.on(NAMES[0], "ip link set cable down")

    def mend(self):
        self.on(NAMES[0], "ip link set cable up")

    def launcher(self, line):
        """What starts ranks on both: it has the first one's network, and sees the processes of all. Its output is in a pipe."""
        return subprocess.Popen(["nsenter", "-t", str(self._inside(NAMES[0])), "-n", *line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __exit__(self, *_):
        for holder in self.holders.values():
            holder.kill()
            holder.communicate()
        self.folder.cleanup()


def nodes_or_skip():
    """Nodes, or the end of this test."""
    try:
        with Nodes():
            pass
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or str(error)
        print(f"two nodes in one machine are not permitted here: {why.strip()}")
        sys.exit(SKIPPED)
    return Nodes()
