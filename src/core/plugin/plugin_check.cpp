// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.h"
#include "base/first_version.h"
#include "plugin/registry.h"

namespace halo {

namespace {

// Operation tables are a size and then function pointers. Those of minor version 0 are needed, but for the last few.
template <Growing Ops>
std::string problem_of_operations(const Ops *ops, size_t optional_at_end) {
    constexpr size_t needed = first_version<Ops>.bytes;
    constexpr size_t n = (needed - sizeof(size_t)) / sizeof(void (*)());
    if (!ops) return "it has no operations";
    if (ops->struct_size < needed) return format("its operations have %zu bytes, at least %zu are needed", ops->struct_size, needed);
    for (size_t i = 0; i + optional_at_end < n; ++i) {
        void (*operation)();
        std::memcpy(&operation, reinterpret_cast<const char *>(ops) + sizeof(size_t) + i * sizeof operation, sizeof operation);
        if (!operation) return format("operation %zu of %zu is NULL", i + 1, n);
    }
    return {};
}

// All kinds begin alike. Nothing behind struct_size may be read before the sizes have been checked.
template <Growing Description>
std::string problem_of_head(const Description &plugin, const std::string &name) {
    constexpr size_t needed = first_version<Description>.bytes;
    if (plugin.abi_major != HALO_PLUGIN_ABI_MAJOR)
        return format("it was built for plugin ABI %u.%u, this library has %d.%d", plugin.abi_major, plugin.abi_minor, HALO_PLUGIN_ABI_MAJOR,
                      HALO_PLUGIN_ABI_MINOR);
    if (plugin.struct_size < needed) return format("its description has %zu bytes, at least %zu are needed", plugin.struct_size, needed);
    if (!plugin.name || !plugin.version || !plugin.query) return "its name, version or query is NULL";
    if (plugin.name != name) return format("it calls itself '%s', its file name says '%s'", plugin.name, name.c_str());
    return {};
}

// Memory that the host cannot touch is packed and unpacked by these alone.
std::string problem_of_ranges(const halo_device_plugin &plugin) {
    if ((plugin.memory_kinds >> HALO_MEMORY_DEVICE & 1u) == 0) return {};
    halo_device_ops ops{};
    std::memcpy(&ops, plugin.ops, std::min(sizeof ops, plugin.ops->struct_size));
    std::string missing = ops.ranges_run ? "" : "ranges_run";
    if (!ops.ranges_test) missing += missing.empty() ? "ranges_test" : " and ranges_test";
    return missing.empty() ? "" : "it has memory of its own, which needs " + missing + " (plugin ABI 1.4); it lacks that";
}

std::string problem_of_ipc(const halo_device_plugin &plugin) {
    if (!has_ipc(plugin)) return {};
    const std::string problem = problem_of_operations(plugin.ipc, 0);
    return problem.empty() ? "" : "what it offers other ranks: " + problem;
}

} // namespace

bool has_ipc(const halo_device_plugin &plugin) { return has_member(plugin, &halo_device_plugin::ipc) && plugin.ipc != nullptr; }

std::string problem_of(const halo_transport_plugin &plugin, const std::string &name) {
    std::string problem = problem_of_head(plugin, name);
    return problem.empty() ? problem_of_operations(plugin.ops, 0) : problem;
}

std::string problem_of(const halo_device_plugin &plugin, const std::string &name) {
    std::string problem = problem_of_head(plugin, name);
    if (problem.empty() && plugin.copy_layout != HALO_COPY_LAYOUT)
        return format("it was built for copy tables of layout %u, this library has %d", plugin.copy_layout, HALO_COPY_LAYOUT);
    if (problem.empty()) problem = problem_of_operations(plugin.ops, 1);
    if (problem.empty()) problem = problem_of_ranges(plugin);
    return problem.empty() ? problem_of_ipc(plugin) : problem;
}

std::string problem_of(const halo_bootstrap_plugin &plugin, const std::string &name) {
    std::string problem = problem_of_head(plugin, name);
    return problem.empty() ? problem_of_operations(plugin.ops, 0) : problem;
}

} // namespace halo
