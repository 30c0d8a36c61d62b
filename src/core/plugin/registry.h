// SPDX-License-Identifier: BSD-3-Clause
// Transports, devices and bootstraps known to this process: built in, and modules opened at run time. The only mutable global; safe to use from any
// thread. A module that was opened stays until the process ends.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "base/config.h"
#include "halo_plugin.h"

namespace halo {

enum class PluginKind : unsigned char { transport, device, bootstrap };

const char *plugin_kind_name(PluginKind kind) noexcept; // "transport", "device", "bootstrap"

// A plugin that was looked for: usable (one of the pointers is set), or not and why.
struct Plugin {
    PluginKind kind = PluginKind::transport;
    std::string name;
    std::string path;    // real path of the module; empty: built in
    std::string problem; // why it cannot be used; empty: it was opened
    const halo_transport_plugin *transport = nullptr;
    const halo_device_plugin *device = nullptr;
    const halo_bootstrap_plugin *bootstrap = nullptr;

    bool opened() const { return transport || device || bootstrap; }
    const char *version() const { return transport ? transport->version : device ? device->version : bootstrap ? bootstrap->version : ""; }
};

// Where modules were installed; libhalo.a alone defines it.
extern const char installed_module_directory[] __attribute__((weak, visibility("hidden")));

// Directories with modules, strongest first: those of the setting "plugin_path", then "halo" beside libhalo.so, or beside the program that holds
// libhalo.a, and then the one where its modules were installed. HALO_ERR_CONFIG: a directory of the setting is not absolute.
std::vector<std::string> module_directories(const Config &config);

// "libhalo_transport_<name>.so"
std::string module_file(PluginKind kind, const std::string &name);

// Names of the modules of a kind that lie in the directories, sorted, each once. Opens nothing.
std::vector<std::string> module_names(PluginKind kind, const std::vector<std::string> &directories);

class Registry {
public:
    static Registry &instance();

    // A plugin by name: built in, else the first module of that name in the directories. One that cannot be used is no failure of the call:
    // see Plugin::problem.
    Plugin find(PluginKind kind, const std::string &name, const std::vector<std::string> &directories);

    // Names of what is built in.
    std::vector<std::string> built_in(PluginKind kind) const;

private:
    Registry();
    Plugin open_once(PluginKind kind, const std::string &name, const std::string &path);

    std::mutex mutex_;
    std::vector<Plugin> opened_;
};

// Does a description of a module, or a table of it, which may be of an older version, reach to the end of this member?
template <class Struct, class Member>
bool has_member(const Struct &one, Member Struct::*member) {
    const std::ptrdiff_t end = reinterpret_cast<const char *>(&(one.*member) + 1) - reinterpret_cast<const char *>(&one);
    return one.struct_size >= static_cast<size_t>(end);
}

// Reason to refuse a plugin's description: its ABI, its size, its name, its operations. Empty: none.
std::string problem_of(const halo_transport_plugin &plugin, const std::string &name);
std::string problem_of(const halo_device_plugin &plugin, const std::string &name);
std::string problem_of(const halo_bootstrap_plugin &plugin, const std::string &name);
// Can other ranks reach the memory of its devices?
bool has_ipc(const halo_device_plugin &plugin);

} // namespace halo
