// SPDX-License-Identifier: BSD-3-Clause
#define HALO_ISA "baseline"
#define HALO_MOVES moves_baseline
#define HALO_VECTOR_BYTES 16
#include "move_kernels.inl"
