// SPDX-License-Identifier: BSD-3-Clause
// Part of libhalo.a alone: a program that holds the library lies anywhere, its modules where they were installed.
#include "plugin/registry.h"

namespace halo {
const char installed_module_directory[] = HALO_MODULE_DIRECTORY;
}
