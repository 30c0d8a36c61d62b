#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""halo_launch from outside: what it prints, how it ends, and how ranks meet.

usage: test_launch.py HALO_LAUNCH RENDEZVOUS_RANK [Output|Ends|Meetings|Hosts]
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

LAUNCH, RANK = sys.argv[1:3]
LATE = 60  # seconds: nothing here takes so long
MINE = "$HALO_RENDEZVOUS_RANK"


def clean_environment(**more):
    return {key: value for key, value in os.environ.items() if not key.startswith("HALO_")} | more


def launch(*arguments, given="", **environment):
    return subprocess.run([LAUNCH, *map(str, arguments)], input=given, capture_output=True, text=True, timeout=LATE, env=clean_environment(**environment))


def start(*arguments, **environment):
    return subprocess.Popen([LAUNCH, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment(**environment))


def shell(n, script, *options, **more):
    return launch("-n", n, *options, "sh", "-c", script, **more)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids, within=10):
    end = time.monotonic() + within
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return [pid for pid in pids if is_alive(pid)]


class Output(unittest.TestCase):
    def test_prefixes(self):
        got = shell(3, f"echo out {MINE}; echo err {MINE} >&2")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(sorted(got.stdout.splitlines()), [f"[{r}] out {r}" for r in range(3)])
        self.assertEqual(sorted(got.stderr.splitlines()), [f"[{r}] err {r}" for r in range(3)])

    def test_without_prefix(self):
        self.assertEqual(shell(1, "printf 'a\\nb'", "--no-prefix").stdout, "a\nb")
        self.assertEqual(sorted(shell(2, f"printf {MINE}", "--no-prefix").stdout.splitlines()), ["0", "1"])  # unfinished lines are not joined

    def test_last_line_without_end(self):
        self.assertEqual(shell(1, "printf abc").stdout, "[0] abc\n")
        self.assertEqual(shell(1, "printf '\\n\\nx\\n'").stdout, "[0] \n[0] \n[0] x\n")

    def test_lines_are_never_torn(self):
        got = shell(4, f"i=0; while [ $i -lt 300 ]; do printf '%s' begin{MINE}; printf '%0200d' $i; echo end{MINE}; i=$((i+1)); done")
        lines = got.stdout.splitlines()
        self.assertEqual(len(lines), 1200)
        for r in range(4):
            self.assertEqual([line for line in lines if line.startswith(f"[{r}]")], [f"[{r}] begin{r}{i:0200d}end{r}" for i in range(300)])

    def test_much_output(self):
        got = shell(2, "head -c 3000000 /dev/zero | tr '\\0' x; echo")
        self.assertEqual(got.stdout.count("x"), 6000000)
        self.assertTrue(all(re.fullmatch(r"\[[01]\] x*", line) for line in got.stdout.splitlines()))

    def test_input_goes_to_rank_0(self):
        got = shell(3, "cat", given="one\ntwo\n")
        self.assertEqual((got.stdout, got.returncode), ("[0] one\n[0] two\n", 0))

    def test_environment(self):
        got = shell(2, f"echo {MINE} $HALO_RENDEZVOUS_RANKS $HALO_LAUNCH_LOCAL_RANK $HALO_LAUNCH_LOCAL_RANKS $HALO_RENDEZVOUS $HALO_RENDEZVOUS_ID $MORE", "-x", "MORE=x y")
        wanted = [rf"\[{r}\] {r} 2 {r} 2 127\.0\.0\.1:\d+ [0-9a-f]{{32}} x y" for r in range(2)]
        for line, pattern in zip(sorted(got.stdout.splitlines()), wanted):
            self.assertRegex(line, f"^{pattern}$")

    def test_help_version_and_wrong_use(self):
        self.assertIn("usage: halo_launch", launch("--help").stdout)
        self.assertRegex(launch("--version").stdout, r"^\d+\.\d+\.\d+\n$")
        for arguments, text in [
            ([], "a program is wanted"),
            (["true"], "-n N is wanted"),
            (["-n", "0", "true"], "-n '0': a number from 1 to 65536"),
            (["-n", "x", "true"], "-n 'x'"),
            (["--nonsense"], "nonsense"),
            (["--serve", "0"], "how many ranks"),
            (["--serve", "70000", "-n", "1"], "--serve '70000'"),
            (["--serve", "0", "-n", "1", "true"], "starts nothing"),
            (["-n", "3", "--hosts", "a:1,b:1", "true"], "-n 3, but --hosts takes 2"),
            (["-n", "3", "--hosts", "a,,b", "true"], "is no host"),
            (["-n", "3", "--hosts", "-oX", "true"], "is no host"),
        ]:
            got = launch(*arguments)
            self.assertEqual(got.returncode, 2, arguments)
            self.assertIn(text, got.stderr)

    def test_nobody_reads(self):
        job = start("-n", 2, "yes")
        job.stdout.readline()
        job.stdout.close()
        self.assertEqual(job.wait(LATE), 128 + signal.SIGPIPE)
        self.assertIn("signal 13", job.stderr.read())
        job.stderr.close()

    def test_signal_while_nobody_reads(self):
        job = start("-n", 2, "yes")
        time.sleep(0.5)  # the pipe is full
        job.terminate()
        self.assertEqual(job.wait(LATE), 128 + signal.SIGTERM)
        job.stdout.close()
        job.stderr.close()


class Ends(unittest.TestCase):
    def ends(self, script, status, text, n=3, *options):
        begin = time.monotonic()
        got = shell(n, script, *options)
        self.assertEqual(got.returncode, status, got.stderr)
        self.assertIn(f"halo_launch: {text}\n", got.stderr)
        self.assertLess(time.monotonic() - begin, 30)
        return got

    def test_first_failure(self):
        self.ends(f"[ {MINE} = 2 ] && exit 3; sleep 100", 3, "rank 2 ended with status 3")
        self.ends(f"[ {MINE} = 1 ] && kill -SEGV $$; sleep 100", 128 + 11, "rank 1 was ended by signal 11 (Segmentation fault)")
        self.ends(f"[ {MINE} = 0 ] && kill -KILL $$; sleep 100", 128 + 9, "rank 0 was ended by signal 9 (Killed)")

    def test_success(self):
        got = shell(64, "true")
        self.assertEqual((got.returncode, got.stdout, got.stderr), (0, "", ""))

    def test_no_such_program(self):
        got = launch("-n", 2, "/no/such/program")
        self.assertEqual(got.returncode, 127)
        self.assertIn("cannot start /no/such/program: No such file or directory", got.stderr)
        self.assertEqual(launch("-n", 2, "/").returncode, 126)

    def test_grandchildren_end_too(self):
        got = self.ends(f"sleep 100 & echo $!; sh -c 'sleep 100 & echo $!; wait' & [ {MINE} = 1 ] && sleep 0.5 && exit 7; wait", 7, "rank 1 ended with status 7")
        pids = [line.split()[1] for line in got.stdout.splitlines()]
        self.assertEqual(len(pids), 6)
        self.assertEqual(all_gone(pids), [])

    def test_what_is_left_running_ends(self):
        got = shell(2, "sleep 100 >/dev/null 2>&1 & echo $!")
        self.assertEqual(got.returncode, 0)
        self.assertEqual(all_gone([line.split()[1] for line in got.stdout.splitlines()]), [])

    def test_those_who_will_not_end_are_killed(self):
        script = f"[ {MINE} = 1 ] && sleep 0.5 && exit 4; trap '' TERM; echo $$; while :; do sleep 1; done"
        got = self.ends(script, 4, "rank 1 ended with status 4", 3, "--grace", "1")
        self.assertEqual(all_gone([line.split()[1] for line in got.stdout.splitlines()]), [])

    def signalled(self, number):
        job = start("-n", 3, "sh", "-c", "echo $$; sleep 100 & echo $!; wait")
        pids = [job.stdout.readline().split()[1] for _ in range(6)]
        job.send_signal(number)
        out, err = job.communicate(timeout=LATE)
        self.assertEqual(job.returncode, 128 + number, err)
        self.assertIn(f"was told to end by signal {number:d}", err)
        self.assertEqual(all_gone(pids), [])

    def test_signals_to_the_launcher(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.signalled(number)

    def test_the_launcher_is_killed(self):
        job = start("-n", 3, "sh", "-c", "echo $$; exec sleep 100")
        pids = [job.stdout.readline().split()[1] for _ in range(3)]
        job.kill()
        job.communicate(timeout=LATE)
        self.assertEqual(all_gone(pids), [])

    def test_twice_means_now(self):
        job = start("-n", 2, "--grace", "50", "sh", "-c", "trap '' TERM; echo $$; while :; do sleep 1; done")
        pids = [job.stdout.readline().split()[1] for _ in range(2)]
        job.terminate()
        time.sleep(0.3)
        self.assertIsNone(job.poll())
        begin = time.monotonic()
        job.terminate()
        job.communicate(timeout=LATE)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(all_gone(pids), [])


class Server:
    """halo_launch --serve, and ranks started by hand."""

    def __init__(self, n, **environment):
        self.n = n
        self.process = start("--serve", 0, "-n", n, "--address", "127.0.0.1", **environment)
        line = self.process.stdout.readline()
        self.comment = self.process.stdout.readline()
        self.settings = dict(one.split("=", 1) for one in line.removeprefix("export ").split())

    def rank(self, r, *arguments, **more):
        environment = clean_environment(**(self.settings | {"HALO_RENDEZVOUS_RANK": str(r)} | more))
        return subprocess.Popen([RANK, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=LATE)


def ended(process):
    out, err = process.communicate(timeout=LATE)
    return process.returncode, out + err


class Meetings(unittest.TestCase):
    def good(self, n, contexts):
        got = launch("-n", n, RANK, "gather", contexts)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(sorted(got.stdout.splitlines()), sorted(f"[{r}] good" for r in range(n)))

    def test_numbers_of_ranks(self):
        for n in (1, 2, 7, 64):
            self.good(n, 3)

    def test_a_thousand_contexts(self):
        self.good(3, 1000)

    def test_program_after_program(self):
        got = shell(3, f"{RANK} gather 2 && {RANK} gather 1")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(got.stdout.count("good"), 6)

    def test_two_launchers_at_once(self):
        jobs = [start("-n", 4, RANK, "gather", 50) for _ in range(2)]
        for job in jobs:
            out, err = job.communicate(timeout=LATE)
            self.assertEqual((job.returncode, out.count("good")), (0, 4), err)

    def test_a_rank_that_ends_early(self):
        got = shell(3, f"[ {MINE} = 1 ] && exit 0; {RANK} gather 1")
        self.assertEqual(got.returncode, 3, got.stderr)
        self.assertRegex(got.stderr, r"halo_launch: rank 1 ended with status 0 before it came to context 1, where it is waited for by ranks? [02]")
        self.assertIn("first cause, on rank 1: HALO_ERR_STATE: it ended with status 0 before it came to context 1", got.stderr)

    def test_a_rank_that_ends_after_others_came(self):
        got = shell(3, f"[ {MINE} = 1 ] && sleep 0.5 && exit 0; {RANK} gather 1")
        self.assertEqual(got.returncode, 3, got.stderr)
        self.assertIn("rank 1 ended with status 0 before it came to context 1, where it is waited for by ranks 0, 2", got.stderr)

    def test_served(self):
        with Server(3) as server:
            self.assertIn("HALO_RENDEZVOUS_RANK=0 to HALO_RENDEZVOUS_RANK=2", server.comment)
            for rank in [server.rank(r, "gather", 5) for r in range(3)]:
                self.assertEqual(ended(rank), (0, "good\n"))
        self.assertEqual(server.process.returncode, 0)

    def test_id_of_the_environment(self):
        with Server(1, HALO_RENDEZVOUS_ID="mine") as server:
            self.assertEqual(server.settings["HALO_RENDEZVOUS_ID"], "mine")
            self.assertEqual(ended(server.rank(0, "gather", 1)), (0, "good\n"))

    def test_wrong_id(self):
        with Server(2) as server:
            status, text = ended(server.rank(0, "gather", 1, HALO_RENDEZVOUS_ID="guessed"))
            self.assertEqual(status, 3)
            self.assertRegex(text, r"HALO_ERR_CONFIG: rendezvous 127.0.0.1:\d+, context 1: rank 0 is refused: its id is not that of this rendezvous")

    def test_rank_twice(self):
        with Server(2) as server:
            first = server.rank(0, "hello")
            first.stdout.readline()
            status, text = ended(server.rank(0, "gather", 1))
            self.assertEqual(status, 3)
            self.assertIn(f"HALO_ERR_EXISTS: rendezvous {server.settings['HALO_RENDEZVOUS']}, context 1: rank 0 is refused: this rank is here already, as process {first.pid} on ", text)
            self.assertEqual(ended(server.rank(1, "gather", 1)), (0, "good\n"))  # nobody else is disturbed
            self.assertEqual(ended(first), (0, "good\n"))

    def test_another_number_of_ranks(self):
        with Server(2) as server:
            self.assertIn("HALO_ERR_MISMATCH", ended(server.rank(0, "gather", 1, HALO_RENDEZVOUS_RANKS="5"))[1])

    def test_time_limit_names_who_is_missing(self):
        with Server(5) as server:
            ranks = [server.rank(r, "gather", 1, HALO_TIMEOUT="1s") for r in (0, 3)]
            texts = [ended(rank)[1] for rank in ranks]
            self.assertTrue(any("HALO_TIMEOUT: timed out after " in text and "not come yet: ranks 1, 2, 4" in text for text in texts), texts)

    def test_a_rank_is_killed_between_hello_and_allgather(self):
        with Server(3) as server:
            ranks = [server.rank(r, "killed", 1, HALO_TIMEOUT="20s") for r in range(3)]
            begin = time.monotonic()
            for r in (0, 2):
                status, text = ended(ranks[r])
                self.assertEqual(status, 3)
                self.assertIn(f"first cause, on rank 1: HALO_ERR_TRANSPORT: process {ranks[1].pid} on {socket.gethostname()} has gone", text)
            self.assertLess(time.monotonic() - begin, 19)
            self.assertEqual(ended(ranks[1])[0], -signal.SIGKILL)

    def test_the_server_dies(self):
        server = Server(2)
        rank = server.rank(0, "hello")
        rank.stdout.readline()
        server.process.kill()
        server.process.communicate()
        status, text = ended(rank)
        self.assertEqual(status, 3)
        self.assertIn("HALO_ERR_TRANSPORT: rendezvous " + server.settings["HALO_RENDEZVOUS"] + ", context 1: the server has gone", text)

    def test_no_server(self):
        server = Server(1)
        with server:
            pass
        status, text = ended(server.rank(0, "gather", 1, HALO_TIMEOUT="0.5s"))
        self.assertEqual(status, 3)
        self.assertRegex(text, r"HALO_TIMEOUT: timed out after [0-9.]+ s: rendezvous 127.0.0.1:\d+ cannot be reached: Connection refused")

    def test_a_port_that_is_taken(self):
        with Server(1) as server:
            got = launch("--serve", server.settings["HALO_RENDEZVOUS"].split(":")[1], "-n", 1, "--address", "127.0.0.1")
            self.assertEqual(got.returncode, 1)
            self.assertIn("Address already in use", got.stderr)

    def test_signals_do_not_disturb(self):
        with Server(2) as server:
            rank = server.rank(0, "hello")
            rank.stdout.readline()
            for _ in range(20):
                rank.send_signal(signal.SIGSTOP)
                rank.send_signal(signal.SIGCONT)
            self.assertEqual(ended(server.rank(1, "gather", 1))[0], 0)
            self.assertEqual(ended(rank), (0, "good\n"))


class Hosts(unittest.TestCase):
    """Another host's shell is played by a script, which notes for whom it was called. What it starts is no child of the launcher's, as on another host."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.calls = Path(folder.name) / "calls"
        self.shell = Path(folder.name) / "shell"
        self.shell.write_text(f'#!/bin/sh\necho "$1" >>{self.calls}\necho "$2" >>{self.calls}.lines\nenv -i PATH=/usr/bin:/bin sh -c "$2"\n')
        self.shell.chmod(0o755)

    def far(self, *arguments, **more):
        return launch("--shell", self.shell, "--address", "127.0.0.1", *arguments, **more)

    def test_ranks_are_dealt(self):
        got = self.far("-n", 6, "--hosts", "a,b:3,localhost", "sh", "-c", f"echo {MINE} $HALO_LAUNCH_LOCAL_RANK $HALO_LAUNCH_LOCAL_RANKS")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(sorted(got.stdout.splitlines()), ["[0] 0 0 2", "[1] 1 1 2", "[2] 2 0 3", "[3] 3 1 3", "[4] 4 2 3", "[5] 5 0 1"])
        self.assertEqual(sorted(self.calls.read_text().split()), ["a", "a", "b", "b", "b"])

    def test_they_meet(self):
        got = self.far("--hosts", "a:2,b:2", RANK, "gather", 3, LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""))
        self.assertEqual((got.returncode, got.stdout.count("good")), (0, 4), got.stderr)

    def test_environment_and_quotes(self):
        got = self.far("--hosts", "a", "-n", 1, "-x", "SAYS=it's $HOME", "sh", "-c", 'echo "$SAYS|$HALO_CHECK|$OTHER|$1|$PWD"', "sh", 'a "b" c', HALO_CHECK="yes", OTHER="stays")
        self.assertEqual(got.stdout, f"[0] it's $HOME|yes||a \"b\" c|{os.getcwd()}\n", got.stderr)

    def test_the_id_is_not_on_the_line(self):
        got = self.far("--hosts", "a", "-n", 1, "sh", "-c", "echo $HALO_RENDEZVOUS_ID")
        self.assertRegex(got.stdout, r"^\[0\] [0-9a-f]{32}\n$")
        self.assertNotIn(got.stdout.split()[1], Path(f"{self.calls}.lines").read_text())

    def test_failure_ends_those_far_away(self):
        got = self.far("--hosts", "a:2,b:1", "sh", "-c", f"echo $$; sleep 100 & echo $!; [ {MINE} = 2 ] && sleep 0.5 && kill -SEGV $$; wait")
        self.assertEqual(got.returncode, 139, got.stderr)
        self.assertIn("rank 2 on b ended with status 139, as by signal 11 (Segmentation fault)", got.stderr)
        self.assertEqual(all_gone([line.split()[1] for line in got.stdout.splitlines() if re.fullmatch(r"\[\d\] \d+", line)]), [])

    def test_the_launcher_is_killed(self):
        job = start("--shell", self.shell, "--address", "127.0.0.1", "--hosts", "a:2", "sh", "-c", "echo $$; exec sleep 100")
        pids = [job.stdout.readline().split()[1] for _ in range(2)]
        job.kill()
        job.communicate(timeout=LATE)
        self.assertEqual(all_gone(pids), [])

    def test_no_such_shell(self):
        got = launch("--hosts", "a", "-n", 1, "--shell", "/no/such/shell -p 1", "true")
        self.assertEqual(got.returncode, 127)
        self.assertIn("rank 0: cannot start /no/such/shell", got.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
