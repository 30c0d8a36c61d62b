#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a program under the launcher of an MPI that scripts/fetch_mpis.sh has fetched. Its library comes before the system's of the same name, so that
# modules that were built with the system's get it. Status 77: it is not there. usage: under.sh FOLDER openmpi|mpich RANKS PROGRAM [argument...]
set -euo pipefail
mpi="$1/$2"
if [ ! -x "$mpi/bin/mpiexec" ]; then
    echo "no $2 in $1: scripts/fetch_mpis.sh fetches it"
    exit 77
fi
options=()
if [ "$2" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--map-by :OVERSUBSCRIBE --bind-to none)
else # it keeps the processor while it waits, unless it is told otherwise
    export MPIR_CVAR_POLLS_BEFORE_YIELD=1 MPIR_CVAR_ENABLE_HEAVY_YIELD=1
fi
exec "$mpi/bin/mpiexec" "${options[@]}" -n "$3" env LD_LIBRARY_PATH="$mpi/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "${@:4}"
