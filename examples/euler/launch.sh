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
