#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang-format over all sources; without an argument it only checks, with -i it changes them. The two headers that are also
# the manual are set by hand: clang-format breaks their initialiser macros into blocks.
cd "$(dirname "$0")/.." || exit 1
mode=("$@")
[ ${#mode[@]} -gt 0 ] || mode=(--dry-run -Werror)
git ls-files -- '*.h' '*.hpp' '*.c' '*.cpp' | grep -vxE 'include/halo(_plugin)?\.h|tests/abi/.*/include/.*' | xargs -r clang-format "${mode[@]}" 2>&1 | grep -E 'error:|^No such' | cut -d: -f1 | uniq -c
exit "${PIPESTATUS[2]}"
