#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All that is to be known of libhalo on one machine's device, by one command and into one file: what copies, launches and recorded launches cost; packing, unpacking
# and copies within a rank against what one would write by hand; whole exchanges of one rank, of two threads and of two processes on the one device; all tests over
# it; programs under compute-sanitizer. A section that fails, or has no figures, does not keep the others from running; then this one fails.
# usage: measure_gpu.sh BUILD [cuda|hip|opencl]
# MEASURE_SECTIONS: which of "figures tests tools". MEASURE_CASES: options of `halo_bench devices` (--suite). MEASURE_PAIRS: alternating pairs (11).
# MEASURE_FILE: where it goes (BUILD/measure-DEVICE.txt). Those of check_gpu.sh.
set -uo pipefail
build="$(realpath "$1")"
device="${2:-cuda}"
cd "$(dirname "$0")/.." || exit 1
file="$(realpath -m "${MEASURE_FILE:-$build/measure-$device.txt}")"
read -ra cases <<<"${MEASURE_CASES:---suite}"
sections=" ${MEASURE_SECTIONS:-figures tests tools} "
bench=("$build/bin/halo_bench" --free --pairs "${MEASURE_PAIRS:-11}" devices --device "$device")
failed=()
part="$(mktemp)"
trap 'rm -f "$part"' EXIT
exec > >(tee "$file") 2>&1
tee=$!
end() { # STATUS, when all is in the file
    echo "in $file"
    exec >&- 2>&-
    wait "$tee"
    exit "$1"
}

section() { # TITLE COMMAND...
    local title="$1" begin=$SECONDS status=0
    shift
    local shown="${*//$PWD\//}"
    printf '\n== %s\n$ %s\n' "$title" "${shown#figures }"
    "$@" || status=$?
    if [ $status -eq 0 ]; then
        echo "-- $title: ok, $((SECONDS - begin)) s"
    else
        echo "-- $title: FAILED ($status), $((SECONDS - begin)) s"
        failed+=("$title")
    fi
    return $status
}

figures() { # COMMAND...: each table that it prints must have a row
    local status=0
    "$@" >"$part" || status=$?
    cat "$part"
    [ $status -eq 0 ] || return $status
    awk '
        /^$/ { is_title = 1; next }
        is_title { title = $0; is_title = 0; rows[title] = 0; n++; next }
        /^  / && /[0-9]\.[0-9]/ && !/ left out: / { rows[title]++ }
        END {
            for (title in rows) if (rows[title] == 0) { print "no figures: " title; bad = 1 }
            if (n == 0) print "no figures"
            exit bad || n == 0
        }' "$part"
}

machine() {
    date -u +%Y-%m-%d
    git describe --always --dirty 2>/dev/null
    uname -srm
    lscpu | grep -E '^(Model name|CPU\(s\)):'
    grep MemTotal /proc/meminfo
    case "$device" in
        cuda) nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv ;;
        hip) rocm-smi --showproductname --showdriverversion ;;
    esac
    "$build/bin/halo_info" --modules
}

section "machine" machine
if ! section "copies and launches" figures "${bench[@]}" --cells 8 --block 8 --points 0; then
    echo "nothing else is measured: device $device does not do this"
    end 1
fi
if [[ $sections == *" figures "* ]]; then
    section "one rank" figures "${bench[@]}" "${cases[@]}"
    section "two ranks, threads" figures "${bench[@]}" "${cases[@]}" --threads 2
    section "two ranks, processes" figures "$build/bin/halo_launch" --no-prefix -n 2 "${bench[@]}" "${cases[@]}"
fi
[[ $sections == *" tests "* ]] && section "tests" scripts/check_gpu.sh "$build" "$device" tests
[[ $sections == *" tools "* ]] && section "tools" scripts/check_gpu.sh "$build" "$device" tools

echo
if [ ${#failed[@]} -eq 0 ]; then
    echo "all sections: ok"
    end 0
fi
printf 'FAILED: %s\n' "${failed[@]}"
end 1
