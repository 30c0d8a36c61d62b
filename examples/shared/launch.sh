# SPDX-License-Identifier: BSD-3-Clause
# To be sourced: the ways to run one program.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# can_launch WAY: is there what it takes?
can_launch() {
    case "$1" in
    openmpi:*) command -v mpirun.openmpi >/dev/null ;;
    mpich:*) command -v mpirun.mpich >/dev/null ;;
    esac
}

# launch WAY PROGRAM ARGUMENT...: alone, inproc:N (threads of one process), openmpi:N or mpich:N.
launch() {
    local way="$1" ranks="${1#*:}"
    shift
    case "$way" in
    alone) timeout 900 "$@" ;;
    inproc:*) timeout 900 "$@" --inproc "$ranks" ;;
    openmpi:*) timeout 900 mpirun.openmpi --oversubscribe --bind-to none -n "$ranks" "$@" </dev/null ;;
    mpich:*) timeout 900 mpirun.mpich -n "$ranks" "$@" </dev/null ;;
    *) echo "unknown way to run: $way" >&2 && return 2 ;;
    esac
}

# compare_ways PROGRAM WAY... -- ARGUMENT...: run it in each of the ways that are there; what the caller's function `results_of` finds in the outputs
# must be the same, and something; what EXPECTED is, if that is set. Prints the last line of it.
compare_ways() {
    local program="$1" ways=() way output results expected="${EXPECTED:-}" verdict failed=0
    shift
    while [ "$1" != -- ]; do ways+=("$1") && shift; done
    shift
    for way in "${ways[@]}"; do
        if ! can_launch "$way"; then
            printf '  %-10s left out: not installed\n' "$way"
            continue
        fi
        if ! output=$(launch "$way" "$program" "$@" 2>&1); then
            printf '  %-10s FAIL\n%s\n' "$way" "$output"
            failed=1
            continue
        fi
        results=$(results_of <<<"$output")
        : "${expected:=$results}"
        verdict=same
        if [ -z "$results" ] || [ "$results" != "$expected" ]; then verdict=DIFFERENT failed=1; fi
        printf '  %-10s %s   %s\n' "$way" "$(tail -1 <<<"${results:-(no result)}")" "$verdict"
    done
    return "$failed"
}
