/* SPDX-License-Identifier: BSD-3-Clause */
/* A module without an entry symbol. */
int halo_test_nothing = 0;
