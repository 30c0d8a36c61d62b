// SPDX-License-Identifier: BSD-3-Clause
// Transports and devices known to this process: built in, and modules opened at run time. The only mutable global; safe to use from any
// thread. A module that was opened stays until the process ends.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/config.h"
#include "halo_plugin.h"

namespace halo {

enum class PluginKind : unsigned char { transport, device };

const char *plugin_kind_name(PluginKind kind) noexcept; // "transport", "device"

// A plugin that was looked for: usable (one of the pointers is set), or not and why.
struct Plugin {
    PluginKind kind = PluginKind::transport;
    std::string name;
    std::string path;    // real path of the module; empty: built in
    std::string problem; // why it cannot be used; empty: it was opened
    const halo_transport_plugin *transport = nullptr;
    const halo_device_plugin *device = nullptr;

    bool opened() const { return transport || device; }
    const char *version() const { return transport ? transport->version : device ? device->version : ""; }
};

// Directories with modules, strongest first: those of the setting "plugin_path", then "halo" beside libhalo.so.
// HALO_ERR_CONFIG: a directory of the setting is not absolute.
std::vector<std::string> module_directories(const Config &config);

// "libhalo_transport_<name>.so"
std::string module_file(PluginKind kind, const std::string &name);

// Names of the modules of a kind that lie in the directories, sorted, each once. Opens nothing.
std::vector<std::string> module_names(PluginKind kind, const std::vector<std::string> &directories);

class Registry {
public:
    static Registry &instance();

    // A plugin by name: built in, else the first module of that name in the directories. Never throws for a plugin that is not usable:
    // see Plugin::problem. The reference lives as long as the process.
    const Plugin &find(PluginKind kind, const std::string &name, const std::vector<std::string> &directories);

    // Names of what is built in.
    std::vector<std::string> built_in(PluginKind kind) const;

private:
    Registry();
    void add(const halo_transport_plugin &plugin);
    void add(const halo_device_plugin &plugin);

    std::mutex mutex_;
    std::vector<std::unique_ptr<Plugin>> plugins_;
};

} // namespace halo
