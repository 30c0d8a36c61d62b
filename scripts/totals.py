#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sum up ctest's JUnit files: why tests were skipped, which failed, and as the last line `N passed, N failed, N skipped`. What stands in FILE's
neighbour NAME.again.xml was run again after it had failed.

usage: totals.py FILE...      exit status 1 if a test failed or none ran
       totals.py --failed FILE   a regular expression for ctest's -R: the names of those that failed
"""
import re
import sys
import xml.etree.ElementTree as tree
from pathlib import Path


def last_line(case):
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def cases_of(file):
    """Each with its present status, and whether it had failed before."""
    again = Path(file).with_suffix(".again.xml")
    later = {case.get("name"): case for case in tree.parse(again).getroot().iter("testcase")} if again.is_file() else {}
    for case in tree.parse(file).getroot().iter("testcase"):
        had_failed = case.get("status") == "fail"
        yield (later.get(case.get("name"), case), True) if had_failed else (case, False)


def failed_in(file):
    names = [case.get("name") for case in tree.parse(file).getroot().iter("testcase") if case.get("status") == "fail"]
    return "^(" + "|".join(re.sub(r"([^A-Za-z0-9_ ])", r"\\\1", name) for name in names) + ")$"


def main():
    if sys.argv[1:2] == ["--failed"]:
        print(failed_in(sys.argv[2]))
        return 0
    counts = {"run": 0, "fail": 0, "notrun": 0}
    for file in sys.argv[1:]:
        if not Path(file).is_file():
            print(f"{file}: missing: its tests did not run to their end")
            counts["fail"] += 1
            continue
        for case, had_failed in cases_of(file):
            status = case.get("status")
            if had_failed and status == "run":
                print(f"UNSTEADY: {case.get('name')} ({Path(file).parent.name}): failed beside others, passed alone")
            if status == "disabled":
                status = "notrun"
            counts[status] += 1
            if status != "run":
                print(f"{'FAILED' if status == 'fail' else 'skipped'}: {case.get('name')} ({Path(file).parent.name}): {last_line(case)}")
    print(f"{counts['run']} passed, {counts['fail']} failed, {counts['notrun']} skipped")
    return 0 if counts["run"] and not counts["fail"] else 1


if __name__ == "__main__":
    sys.exit(main())
