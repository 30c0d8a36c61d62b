// SPDX-License-Identifier: BSD-3-Clause
// What halo_info says about transports and devices.
#include <algorithm>

#include "base/error.h"
#include "plugin/known_modules.h"
#include "plugin/own_device.h"
#include "plugin/rendezvous.h"
#include "plugin/selection.h"
#include "plugin/started_ranks.h"

namespace halo {

namespace {

// Services for modules that are asked outside any context.
halo_host outside_host(const Config &config) {
    halo_host host{};
    host.struct_size = sizeof host;
    host.core = const_cast<Config *>(&config);
    host.report = [](void *, const char *) {};
    host.log = [](void *, int32_t, const char *) {};
    host.setting = [](void *core, const char *key) { return static_cast<const Config *>(core)->told(key); };
    return host;
}

std::string describe(PluginKind kind, const std::string &name, const std::vector<std::string> &directories, const halo_host &host) {
    const Rated rated = rate_plugin(kind, name, directories, host);
    const Plugin &plugin = rated.plugin;
    std::string text = format("%s %s", plugin_kind_name(kind), name.c_str());
    if (plugin.opened())
        text += format(" %s, %s, score %d", plugin.version(), plugin.path.empty() ? "built in" : plugin.path.c_str(), rated.score);
    else if (!plugin.path.empty())
        text += ", " + plugin.path;
    return text + (rated.score > 0 ? "" : ", not usable") + (rated.why.empty() ? "" : ": " + rated.why) + "\n";
}

TransportChoice choose_for_started(const BootstrapChoice &choice, const Config &config, const halo_host &host) {
    const std::string unheard;
    const StartedRanks ranks(choice, host, unheard, 0, 0, [](const std::string &) {});
    return choose_transport_over(ranks.given(), config, host, ranks.text());
}

// As a context does, but for the way to a rendezvous, or among ranks that others have started.
TransportChoice choose_now(const Config &config, const halo_host &host, MpiChoice &mpi) {
    const MpiFacts facts = look_for_mpi(config);
    if (const BootstrapChoice named = named_bootstrap(config, host); named.plugin) return choose_for_started(named, config, host);
    const RendezvousPlace place = rendezvous_place(config);
    if (place.address.empty()) {
        mpi = choose_mpi(facts, config.word("mpi"), nullptr);
        const BootstrapChoice instead = bootstrap_instead_of(facts, mpi, config, host);
        return instead.plugin ? choose_for_started(instead, config, host) : choose_transport(config, host, mpi);
    }
    halo_bootstrap over = HALO_BOOTSTRAP_INIT;
    over.rank = place.rank;
    over.n_ranks = place.n_ranks;
    return choose_transport_over(over, config, host, place.text() + mpi_left_aside(facts));
}

std::string named_besides(const TransportChoice &choice, const Config &config, const halo_host &host) {
    std::vector<Beside> besides = transports_besides(config);
    if (const Unasked unasked = look_for_unasked(config, host, choice.plugin->name); unasked.is_wanted())
        besides.push_back({ unasked_transport, std::string("unasked, where all ranks can open it") +
                                                   (unasked.readers_alone ? " and read each other's memory; " : "; ") + unasked.choice.why });
    std::string text;
    for (const Beside &beside : besides)
        if (beside.name != choice.plugin->name) text += "\nbeside it, to the ranks that it reaches, " + beside.name + ": " + beside.why;
    return text;
}

std::string render_transports(const Config &config, const std::vector<std::string> &directories, const halo_host &host) {
    MpiChoice mpi;
    std::string text, chosen, of_mpi;
    try {
        const TransportChoice choice = choose_now(config, host, mpi);
        of_mpi = is_mpi_module(choice.plugin->name) ? choice.plugin->name : mpi.module();
        chosen = std::string(choice.plugin->name) + ": " + choice.why + named_besides(choice, config, host);
    } catch (const Error &error) {
        chosen = std::string("none: ") + error.what();
        of_mpi = mpi.module();
    }
    for (const std::string &name : Registry::instance().built_in(PluginKind::transport))
        text += describe(PluginKind::transport, name, directories, host);
    for (const std::string &name : module_names(PluginKind::transport, directories))
        if (is_mpi_module(name) && name != of_mpi)
            text += "transport " + name + ", not opened: it would bring an MPI into this process; to try it: mpi = " + name.substr(4) + "\n";
        else
            text += describe(PluginKind::transport, name, directories, host);
    return text + "a context now would take " + chosen + "\n";
}

// Those that come with the library and are not there.
std::string render_missing(PluginKind kind, const std::vector<std::string> &directories) {
    const std::vector<std::string> there = module_names(kind, directories);
    std::string text;
    for (const KnownModule &known : known_modules())
        if (known.kind == kind && std::find(there.begin(), there.end(), known.name) == there.end())
            text += format("%s %s is not there: %s\n", plugin_kind_name(kind), known.name, advice(kind, known.name, false).c_str());
    return text;
}

// As a context of this process does.
std::string render_own_device(const Config &config, const halo_host &host) {
    try {
        const halo_device_plugin *const plugin = choose_device(config, host).plugin;
        if ((plugin->memory_kinds >> HALO_MEMORY_DEVICE & 1u) == 0) return format("a context now would take device %s\n", plugin->name);
        const OwnDevice own = choose_own_device(*plugin, config, host, local_rank_by_launcher());
        return format("a context now would take %s\n", own.text(plugin->name).c_str());
    } catch (const Error &error) {
        return format("a context now would take no device: %s\n", error.what());
    }
}

} // namespace

std::string render_modules(const Config &config) {
    const std::vector<std::string> directories = module_directories(config);
    const halo_host host = outside_host(config);
    std::string text = render_transports(config, directories, host) + render_missing(PluginKind::transport, directories);
    std::vector<std::string> devices = Registry::instance().built_in(PluginKind::device);
    for (const std::string &name : module_names(PluginKind::device, directories)) devices.push_back(name);
    for (const std::string &name : devices) text += describe(PluginKind::device, name, directories, host);
    text += render_own_device(config, host) + render_missing(PluginKind::device, directories);
    for (const std::string &name : module_names(PluginKind::bootstrap, directories)) text += describe(PluginKind::bootstrap, name, directories, host);
    text += render_missing(PluginKind::bootstrap, directories);
    for (const std::string &directory : directories) text += "modules are looked for in " + directory + "\n";
    return text;
}

} // namespace halo
