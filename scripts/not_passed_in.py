#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tests of one build that have not passed in another, as ctest's -I takes them.

usage: not_passed_in.py BUILD RESULT.xml      RESULT.xml: ctest's JUnit file of the other build; all tests where it is missing
"""
import json
import subprocess
import sys
from pathlib import Path

import totals


def main():
    build, result = sys.argv[1:]
    passed = {case.get("name") for case, _ in totals.cases_of(result) if case.get("status") == "run"} if Path(result).is_file() else set()
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout
    numbers = [str(number) for number, test in enumerate(json.loads(listed)["tests"], 1) if test["name"] not in passed]
    print(",".join(["0", "0", "0", *numbers]))  # no range


if __name__ == "__main__":
    main()
