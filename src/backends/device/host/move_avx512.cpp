// SPDX-License-Identifier: BSD-3-Clause
#define HALO_ISA "avx512"
#define HALO_MOVES moves_avx512
#define HALO_VECTOR_BYTES 64
#include "move_kernels.inl"
