// SPDX-License-Identifier: BSD-3-Clause
// Which transport, which device and which bootstrap a context takes.
#pragma once

#include <string>

#include "base/config.h"
#include "plugin/mpi_choice.h"
#include "plugin/registry.h"
#include "plugin/transport_list.h"

namespace halo {

struct TransportChoice {
    const halo_transport_plugin *plugin = nullptr;
    std::string path; // of the module; empty: built in
    std::string why;  // one line
};

// For a context without a given group: the last name of the setting "transport" ("auto": the usable one with the highest score, but for what the
// setting leaves out).
// HALO_ERR_PLUGIN: a named one is not usable, or a launcher started several ranks and nothing can connect them; the text has the reasons.
TransportChoice choose_transport(const Config &config, const halo_host &host, const MpiChoice &mpi);

// Over ranks that can exchange addresses, for the text: `by` what. The same, among those that need no more to open.
TransportChoice choose_transport_over(const halo_bootstrap &bootstrap, const Config &config, const halo_host &host,
                                      const std::string &by = "a bootstrap");

// For a communicator: the module of its MPI, whatever "transport" says. For an in-process group: "inproc".
TransportChoice take_transport(const Config &config, const halo_host &host, const std::string &name);

// The transport that goes beside the others without being asked for, where all ranks want it; as this one sees it.
struct Unasked {
    TransportChoice choice;
    bool is_there = false;      // it is asked for, or is the one that reaches all; or ranks are threads, which need none
    bool readers_alone = false; // it reaches (HALO_OPEN_FOR_READERS): beside an MPI, in which the program may wait
    std::string why_not;

    bool is_wanted() const { return !is_there && why_not.empty(); }
};
// `rest`: the one that reaches all.
Unasked look_for_unasked(const Config &config, const halo_host &host, const std::string &rest);

struct DeviceChoice {
    const halo_device_plugin *plugin = nullptr;
    std::string path;
};

// The device of the setting "device".
DeviceChoice choose_device(const Config &config, const halo_host &host);
// The host's, which is built in.
DeviceChoice find_host_device(const Config &config, const halo_host &host);

struct BootstrapChoice {
    const halo_bootstrap_plugin *plugin = nullptr; // null: none
    std::string path;
    std::string why; // one line
};

// That of the setting "bootstrap"; none: it is "auto".
BootstrapChoice named_bootstrap(const Config &config, const halo_host &host);
// "auto", without a rendezvous: one for ranks that MPI cannot serve, or not with the transport that the setting names.
BootstrapChoice bootstrap_instead_of(const MpiFacts &facts, const MpiChoice &mpi, const Config &config, const halo_host &host);

// A plugin and what it says of itself in this process.
struct Rated {
    Plugin plugin;
    int32_t score = 0; // 0: not usable
    std::string why;   // what the plugin says, or what is wrong with it
};

// One that cannot be used says what it wants, or how to come by it, where that is known.
Rated rate_plugin(PluginKind kind, const std::string &name, const std::vector<std::string> &directories, const halo_host &host);

// What the process tells about MPI; of what a launcher brings, that for which there is a module.
MpiFacts look_for_mpi(const Config &config);

// What is there, what would be used, and why the others not. Opens what may be opened safely.
std::string render_modules(const Config &config);

} // namespace halo
