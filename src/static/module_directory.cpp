// SPDX-License-Identifier: BSD-3-Clause
// Part of libhalo.a alone: a program that holds the library lies anywhere, its modules where they were installed (core/plugin/registry.h).
namespace halo {
extern const char installed_module_directory[] __attribute__((visibility("hidden")));
const char installed_module_directory[] = HALO_MODULE_DIRECTORY;
} // namespace halo
