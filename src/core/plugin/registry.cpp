// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/registry.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <link.h>

#include "base/error.h"
#include "plugin/mpi_choice.h"
#include "plugin/transport_list.h"

extern "C" const halo_transport_plugin halo_transport_inproc;
extern "C" const halo_device_plugin halo_device_host;

namespace halo {

namespace {

std::string entry_symbol(PluginKind kind) { return std::string("halo_") + plugin_kind_name(kind) + "_plugin_v1"; }

bool proper_name(const std::string &name) {
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string loader_error() {
    const char *text = dlerror();
    return text ? text : "the loader gives no reason";
}

// The symbol, if the object itself defines it; a dependency's does not count.
const void *own_symbol(void *object, const char *name) {
    const void *symbol = dlsym(object, name);
    Dl_info info;
    void *holder = nullptr;
    link_map *own = nullptr;
    const bool known = symbol && dladdr1(symbol, &info, &holder, RTLD_DL_LINKMAP) && dlinfo(object, RTLD_DI_LINKMAP, &own) == 0;
    return known && holder == own ? symbol : nullptr;
}

template <class Description>
std::string accept(const void *symbol, const std::string &name, const Description *&accepted) {
    const auto *description = static_cast<const Description *>(symbol);
    std::string problem = problem_of(*description, name);
    if (problem.empty()) accepted = description;
    return problem;
}

// Null: the loader's reason is in `problem`.
void *load(const std::string &path, std::string &problem) {
    void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) problem = loader_error();
    return object;
}

// The module of an MPI, which must not bring another library than the process has. Null: `problem` says why.
void *load_with_mpi(const std::string &name, const std::string &path, std::string &problem) {
    if (name == abi_module) problem = load_abi_library();
    if (!problem.empty()) return nullptr;
    const std::vector<LoadedMpi> before = loaded_mpis();
    void *object = load(path, problem);
    if (!object || before.size() != 1) return object;
    for (const LoadedMpi &loaded : loaded_mpis())
        if (loaded.path != before.front().path)
            problem = format("it brings a second MPI into this process, %s, beside %s", loaded.path.c_str(), before.front().path.c_str());
    if (!problem.empty()) dlclose(object);
    return problem.empty() ? object : nullptr;
}

// Fills `plugin` from the module at its path. A refused module is closed again, an accepted one never.
void open_module(Plugin &plugin) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(plugin.path, none)) { // a FIFO would be waited for
        plugin.problem = "it is no file";
        return;
    }
    const bool of_mpi = plugin.kind == PluginKind::transport && is_mpi_module(plugin.name);
    void *object = of_mpi ? load_with_mpi(plugin.name, plugin.path, plugin.problem) : load(plugin.path, plugin.problem);
    if (!object) return;
    const std::string entry = entry_symbol(plugin.kind);
    const void *symbol = own_symbol(object, entry.c_str());
    if (!symbol)
        plugin.problem = "it does not define the symbol " + entry;
    else if (plugin.kind == PluginKind::transport)
        plugin.problem = accept(symbol, plugin.name, plugin.transport);
    else if (plugin.kind == PluginKind::device)
        plugin.problem = accept(symbol, plugin.name, plugin.device);
    else
        plugin.problem = accept(symbol, plugin.name, plugin.bootstrap);
    if (!plugin.opened()) dlclose(object);
}

} // namespace

Registry &Registry::instance() {
    static Registry registry;
    return registry;
}

Registry::Registry() {
    Plugin inproc{ PluginKind::transport, halo_transport_inproc.name, {}, {}, &halo_transport_inproc, nullptr, nullptr };
    Plugin host{ PluginKind::device, halo_device_host.name, {}, {}, nullptr, &halo_device_host, nullptr };
    opened_ = { std::move(inproc), std::move(host) };
}

std::vector<std::string> Registry::built_in(PluginKind kind) const {
    if (kind == PluginKind::bootstrap) return {};
    return { kind == PluginKind::transport ? halo_transport_inproc.name : halo_device_host.name };
}

Plugin Registry::find(PluginKind kind, const std::string &name, const std::vector<std::string> &directories) {
    Plugin missing{ kind, name, {}, {}, nullptr, nullptr, nullptr };
    if (!proper_name(name)) {
        missing.problem = "names of modules are made of a-z, 0-9 and _";
        return missing;
    }
    const auto built_in_names = built_in(kind);
    if (std::find(built_in_names.begin(), built_in_names.end(), name) != built_in_names.end()) return open_once(kind, name, {});
    std::string searched;
    for (const std::string &directory : directories) {
        char real_path[PATH_MAX];
        if (realpath((directory + "/" + module_file(kind, name)).c_str(), real_path)) return open_once(kind, name, real_path);
        searched += (searched.empty() ? "" : ", ") + directory;
    }
    missing.problem = "there is no " + module_file(kind, name) + " in " + searched;
    return missing;
}

Plugin Registry::open_once(PluginKind kind, const std::string &name, const std::string &path) {
    const std::lock_guard lock(mutex_);
    for (const Plugin &plugin : opened_)
        if (plugin.kind == kind && plugin.name == name && plugin.path == path) return plugin;
    Plugin plugin{ kind, name, path, {}, nullptr, nullptr, nullptr };
    open_module(plugin);
    if (plugin.opened()) opened_.push_back(plugin);
    return plugin;
}

} // namespace halo
