// SPDX-License-Identifier: BSD-3-Clause
#define HALO_ISA "avx2"
#define HALO_MOVES moves_avx2
#define HALO_VECTOR_BYTES 32
#include "move_kernels.inl"
