// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/selection.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "plugin/known_modules.h"

namespace halo {

namespace {

void rate(Rated &rated, const halo_host &host) {
    if (!rated.plugin.opened()) {
        rated.why = rated.plugin.problem;
        return;
    }
    char why[512] = "";
    const Plugin &plugin = rated.plugin;
    const auto query = plugin.transport ? plugin.transport->query : plugin.device ? plugin.device->query : plugin.bootstrap->query;
    rated.score = query(&host, why, sizeof why);
    why[sizeof why - 1] = '\0';
    rated.why = why;
}

} // namespace

Rated rate_plugin(PluginKind kind, const std::string &name, const std::vector<std::string> &directories, const halo_host &host) {
    Rated rated{ Registry::instance().find(kind, name, directories), 0, {} };
    rate(rated, host);
    if (rated.score > 0) return rated;
    const std::string more = advice(kind, name, !rated.plugin.path.empty());
    rated.why += (rated.why.empty() || more.empty() ? "" : "; ") + more;
    return rated;
}

MpiFacts look_for_mpi(const Config &config) {
    MpiFacts facts{ loaded_mpis(), launchers() };
    const auto brings = [](const Launcher &launcher) { return !launcher.abi_library.empty(); };
    if (std::none_of(facts.launchers.begin(), facts.launchers.end(), brings)) return facts;
    const std::vector<std::string> names = module_names(PluginKind::transport, module_directories(config));
    if (std::find(names.begin(), names.end(), abi_module) == names.end())
        for (Launcher &launcher : facts.launchers) launcher.abi_library.clear();
    return facts;
}

namespace {

// What "auto" may take. Opening an MPI module that nobody asked for would bring an MPI into the process; and where ranks come from
// elsewhere, the in-process transport would make each of them a run of its own.
std::vector<std::string> automatic_names(const std::vector<std::string> &directories, const MpiChoice &mpi) {
    std::vector<std::string> names;
    if (mpi.ranks && !mpi.mpi.empty()) names.push_back(mpi.module());
    for (const std::string &name : module_names(PluginKind::transport, directories))
        if (!is_mpi_module(name)) names.push_back(name);
    if (!mpi.ranks)
        for (const std::string &name : Registry::instance().built_in(PluginKind::transport)) names.push_back(name);
    return names;
}

// What the setting leaves out is not even loaded.
void leave_out(std::vector<std::string> &names, const TransportList &list, std::string &reasons) {
    std::erase_if(names, [&](const std::string &name) {
        const bool out = list.leaves_out(name);
        if (out) reasons += "; " + name + ": left out by the setting transport";
        return out;
    });
}

bool opens_over_bootstrap(const halo_transport_plugin &plugin) {
    return has_member(plugin, &halo_transport_plugin::capabilities) && (plugin.capabilities & HALO_TRANSPORT_OVER_BOOTSTRAP) != 0;
}

// The one with the highest score, and why others cannot be used. Those that `why_not` excludes are not asked: to answer, some load a library.
Rated best_of(const std::vector<std::string> &names, const std::vector<std::string> &directories, const halo_host &host, std::string &reasons,
              const std::function<const char *(const halo_transport_plugin &)> &why_not) {
    Rated best;
    for (const std::string &name : names) {
        Rated rated{ Registry::instance().find(PluginKind::transport, name, directories), 0, {} };
        const char *why = rated.plugin.opened() ? why_not(*rated.plugin.transport) : nullptr;
        if (!why) rate(rated, host);
        if (why || rated.score <= 0)
            reasons += "; " + name + ": " + (why ? why : rated.why);
        else if (rated.score > best.score)
            best = std::move(rated);
    }
    return best;
}

TransportChoice choose_best(const Config &config, const halo_host &host, const MpiChoice &mpi) {
    const std::vector<std::string> directories = module_directories(config);
    std::vector<std::string> names = automatic_names(directories, mpi);
    std::string reasons;
    leave_out(names, transport_list(config), reasons);
    const auto why_not = [](const halo_transport_plugin &plugin) {
        return opens_over_bootstrap(plugin) ? "it opens over a bootstrap, and there is none" : nullptr;
    };
    const Rated best = best_of(names, directories, host, reasons, why_not);
    if (best.score > 0) return { best.plugin.transport, best.plugin.path, transport_as_set(config) + mpi.why + "; " + best.why };
    if (mpi.ranks && mpi.mpi.empty()) reasons += "; the launcher serves any MPI: choose with the setting mpi";
    fail(HALO_ERR_PLUGIN, "no transport can connect the ranks: %s%s. For separate runs of one rank: transport = inproc", mpi.why.c_str(),
         reasons.c_str());
}

// A second MPI in the process must not be opened, even when asked for.
void check_named(const std::string &name, const MpiChoice &mpi, const halo_host &host) {
    if (is_mpi_module(name) && !mpi.allows(name)) fail(HALO_ERR_PLUGIN, "transport = %s, but %s", name.c_str(), mpi.why.c_str());
    if (name == "inproc" && mpi.launcher_ranks > 1)
        host.log(host.core, 1, format("%s, but transport = inproc: each is a run of its own", mpi.why.c_str()).c_str());
}

} // namespace

TransportChoice take_transport(const Config &config, const halo_host &host, const std::string &name) {
    const Rated rated = rate_plugin(PluginKind::transport, name, module_directories(config), host);
    if (rated.score <= 0)
        fail(HALO_ERR_PLUGIN, "transport '%s'%s%s cannot be used: %s", name.c_str(), rated.plugin.path.empty() ? "" : " ", rated.plugin.path.c_str(),
             rated.why.c_str());
    return { rated.plugin.transport, rated.plugin.path, rated.why };
}

Unasked look_for_unasked(const Config &config, const halo_host &host, const std::string &rest) {
    const std::vector<Beside> asked = transports_besides(config);
    Unasked found;
    found.is_there = rest == "inproc" || rest == unasked_transport ||
                     std::any_of(asked.begin(), asked.end(), [](const Beside &one) { return one.name == unasked_transport; });
    found.why_not = why_not_unasked(config);
    found.readers_alone = is_mpi_module(rest);
    if (found.is_wanted()) try {
            found.choice = take_transport(config, host, unasked_transport);
        } catch (const Error &error) {
            found.why_not = error.what();
        }
    return found;
}

TransportChoice choose_transport(const Config &config, const halo_host &host, const MpiChoice &mpi) {
    const std::string wanted = transport_list(config).rest;
    if (wanted == "auto") return choose_best(config, host, mpi);
    if (wanted == "mpi" && mpi.mpi.empty()) fail(HALO_ERR_PLUGIN, "transport = mpi, but %s; choose with the setting mpi", mpi.why.c_str());
    const std::string name = wanted == "mpi" ? mpi.module() : wanted;
    check_named(name, mpi, host);
    TransportChoice choice = take_transport(config, host, name);
    if (opens_over_bootstrap(*choice.plugin))
        fail(HALO_ERR_PLUGIN,
             "transport = %s, but nothing tells its ranks where the others are: MPI does with transport = %s,mpi; halo_launch, PMIx (bootstrap = "
             "pmix) and "
             "halo_context_create_over do, too",
             name.c_str(), name.c_str());
    choice.why = transport_as_set(config) + mpi.why + "; " + choice.why;
    return choice;
}

namespace {

const char *why_not_over_bootstrap(const halo_transport_plugin &plugin, int32_t n_ranks) {
    const bool alone = n_ranks == 1 && std::string(plugin.name) == "inproc";
    return alone || opens_over_bootstrap(plugin) ? nullptr : "it needs more to open than a bootstrap";
}

} // namespace

TransportChoice choose_transport_over(const halo_bootstrap &bootstrap, const Config &config, const halo_host &host, const std::string &by) {
    const TransportList list = transport_list(config);
    const std::string ranks = format("rank %d of %d by %s", bootstrap.rank, bootstrap.n_ranks, by.c_str());
    const auto why_not = [&](const halo_transport_plugin &plugin) { return why_not_over_bootstrap(plugin, bootstrap.n_ranks); };
    if (list.rest == "mpi")
        fail(HALO_ERR_PLUGIN, "transport = mpi, but %s, which no MPI has started: leave it out, or start them with mpirun", ranks.c_str());
    if (list.rest != "auto") {
        TransportChoice choice = take_transport(config, host, list.rest);
        if (const char *why = why_not_over_bootstrap(*choice.plugin, bootstrap.n_ranks))
            fail(HALO_ERR_PLUGIN, "transport = %s, but %s, and %s", list.rest.c_str(), ranks.c_str(), why);
        choice.why = transport_as_set(config) + ranks + "; " + choice.why;
        return choice;
    }
    const std::vector<std::string> directories = module_directories(config);
    std::vector<std::string> names = module_names(PluginKind::transport, directories);
    std::erase_if(names, is_mpi_module); // to open one would bring an MPI into the process
    for (const std::string &name : Registry::instance().built_in(PluginKind::transport)) names.push_back(name);
    std::string reasons;
    leave_out(names, list, reasons);
    const Rated best = best_of(names, directories, host, reasons, why_not);
    if (best.score > 0) return { best.plugin.transport, best.plugin.path, transport_as_set(config) + ranks + "; " + best.why };
    fail(HALO_ERR_PLUGIN, "no transport can connect the ranks: %s%s", ranks.c_str(), reasons.c_str());
}

namespace {

// Ranks that MPI serves: MPI is there, or can be.
bool mpi_serves(const MpiFacts &facts, const MpiChoice &mpi, const Config &config, const halo_host &host) {
    const TransportList list = transport_list(config);
    if (list.leaves_out(mpi.module())) return mpi.launcher_ranks == 1;
    if (std::any_of(facts.loaded.begin(), facts.loaded.end(), [](const LoadedMpi &loaded) { return loaded.initialised; })) return true;
    if (list.rest != "auto") {
        const Plugin named = Registry::instance().find(PluginKind::transport, list.rest, module_directories(config));
        return !named.transport || !opens_over_bootstrap(*named.transport);
    }
    if (mpi.launcher_ranks == 1) return true; // nobody is needed
    return !mpi.mpi.empty() && rate_plugin(PluginKind::transport, mpi.module(), module_directories(config), host).score > 0;
}

} // namespace

BootstrapChoice named_bootstrap(const Config &config, const halo_host &host) {
    const std::string &name = config.text("bootstrap");
    if (name == "auto") return {};
    const Rated rated = rate_plugin(PluginKind::bootstrap, name, module_directories(config), host);
    if (rated.score <= 0)
        fail(HALO_ERR_PLUGIN, "bootstrap '%s'%s%s cannot be used: %s", name.c_str(), rated.plugin.path.empty() ? "" : " ", rated.plugin.path.c_str(),
             rated.why.c_str());
    return { rated.plugin.bootstrap, rated.plugin.path, "bootstrap = " + name + " from " + *config.source("bootstrap") + "; " + rated.why };
}

BootstrapChoice bootstrap_instead_of(const MpiFacts &facts, const MpiChoice &mpi, const Config &config, const halo_host &host) {
    if (!started_by_pmix() || mpi_serves(facts, mpi, config, host)) return {};
    const Rated rated = rate_plugin(PluginKind::bootstrap, "pmix", module_directories(config), host);
    if (rated.score <= 0) return {};
    return { rated.plugin.bootstrap, rated.plugin.path, rated.why };
}

namespace {

DeviceChoice take_device(const Config &config, const halo_host &host, const std::string &name) {
    const Rated rated = rate_plugin(PluginKind::device, name, module_directories(config), host);
    if (rated.score <= 0)
        fail(HALO_ERR_PLUGIN, "device '%s'%s%s cannot be used: %s", name.c_str(), rated.plugin.path.empty() ? "" : " ", rated.plugin.path.c_str(),
             rated.why.c_str());
    return { rated.plugin.device, rated.plugin.path };
}

} // namespace

DeviceChoice choose_device(const Config &config, const halo_host &host) { return take_device(config, host, config.text("device")); }

DeviceChoice find_host_device(const Config &config, const halo_host &host) { return take_device(config, host, "host"); }

} // namespace halo
