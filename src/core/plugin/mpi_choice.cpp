// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/mpi_choice.h"

#include <algorithm>

#include "base/error.h"

namespace halo {

namespace {

const char *display_name(const std::string &mpi) {
    return mpi == "openmpi" ? "Open MPI" : mpi == "mpich" ? "MPICH" : mpi == "abi" ? "the standard MPI ABI" : "any MPI";
}

// Whose launcher starts the ranks of this library.
const std::string &implementation_of(const LoadedMpi &loaded) { return loaded.implementation.empty() ? loaded.mpi : loaded.implementation; }

// The launcher that matters: the loaded MPI's own, else one that serves any, else the first.
Launcher nearest_launcher(const std::vector<Launcher> &launchers, const std::string &mpi) {
    const auto with = [&](const std::string &wanted) {
        return std::find_if(launchers.begin(), launchers.end(), [&](const Launcher &l) { return l.mpi == wanted; });
    };
    for (const auto found : { with(mpi), with("") })
        if (!mpi.empty() && found != launchers.end()) return *found;
    return launchers.empty() ? Launcher{} : launchers.front();
}

std::string describe(const Launcher &launcher) {
    std::string text = format("a launcher of %s started %d ranks (%s)", display_name(launcher.mpi), launcher.n_ranks, launcher.variable.c_str());
    return launcher.abi_library.empty() ? text : text + " and brings " + launcher.abi_library;
}

std::string describe(const LoadedMpi &loaded) {
    const char *with = loaded.implementation.empty() ? "" : " with the standard ABI";
    return format("this process has loaded %s%s (%s)", display_name(implementation_of(loaded)), with, loaded.path.c_str());
}

MpiChoice choose_for_communicator(const MpiFacts &facts, const std::string &mpi) {
    if (mpi != "openmpi" && mpi != "mpich" && mpi != "abi")
        fail(HALO_ERR_ARGUMENT, "a communicator of the MPI '%s': known are openmpi, mpich and abi", mpi.c_str());
    if (facts.loaded.empty())
        fail(HALO_ERR_PLUGIN, "a communicator of %s was given, but no MPI library can be seen in this process; link it as a shared library",
             display_name(mpi));
    const LoadedMpi &loaded = facts.loaded.front();
    if (loaded.mpi != mpi) fail(HALO_ERR_PLUGIN, "a communicator of %s was given, but %s", display_name(mpi), describe(loaded).c_str());
    if (!loaded.initialised) fail(HALO_ERR_PLUGIN, "a communicator was given, but %s is not initialised, or finalised already", display_name(mpi));
    return { mpi, true, 0, "the caller gave a communicator of " + std::string(display_name(mpi)) };
}

MpiChoice choose_loaded(const LoadedMpi &loaded, const Launcher &launcher) {
    const bool foreign = !launcher.mpi.empty() && launcher.mpi != implementation_of(loaded);
    if (foreign && launcher.n_ranks > 1)
        fail(HALO_ERR_PLUGIN, "%s, but %s: it would run as %d separate copies", describe(launcher).c_str(), describe(loaded).c_str(),
             launcher.n_ranks);
    return { loaded.mpi, loaded.initialised || launcher.n_ranks > 1, launcher.n_ranks,
             describe(loaded) + (loaded.initialised ? ", initialised" : "") };
}

// The standard ABI where the launcher brings it: then the library is of its own installation. Either is as good by the launcher's protocol.
MpiChoice choose_by(const Launcher &launcher) {
    const bool abi = !launcher.abi_library.empty();
    MpiChoice choice{ abi ? "abi" : launcher.mpi, launcher.n_ranks > 1, launcher.n_ranks, describe(launcher) };
    if (!launcher.mpi.empty()) choice.otherwise = abi ? launcher.mpi : "abi";
    return choice;
}

} // namespace

MpiChoice choose_mpi(const MpiFacts &facts, const std::string &setting, const char *communicator_mpi) {
    if (facts.loaded.size() > 1)
        fail(HALO_ERR_PLUGIN, "two MPI libraries are loaded in this process: %s (%s) and %s (%s)", display_name(facts.loaded[0].mpi),
             facts.loaded[0].path.c_str(), display_name(facts.loaded[1].mpi), facts.loaded[1].path.c_str());
    if (communicator_mpi) return choose_for_communicator(facts, communicator_mpi);
    const Launcher launcher = nearest_launcher(facts.launchers, facts.loaded.empty() ? "" : implementation_of(facts.loaded.front()));
    MpiChoice choice;
    if (!facts.loaded.empty())
        choice = choose_loaded(facts.loaded.front(), launcher);
    else if (launcher.n_ranks > 0)
        choice = choose_by(launcher);
    else
        choice.why = "no MPI is loaded and no launcher is seen";
    if (setting == "auto") return choice;
    if (!choice.mpi.empty() && setting != choice.mpi && setting != choice.otherwise)
        fail(HALO_ERR_PLUGIN, "setting mpi = %s, but %s", setting.c_str(), choice.why.c_str());
    choice.mpi = setting;
    choice.otherwise.clear();
    choice.why += ", setting mpi = " + setting;
    return choice;
}

std::string mpi_left_aside(const MpiFacts &facts) {
    std::string text;
    for (const LoadedMpi &loaded : facts.loaded)
        if (loaded.initialised) text += "; left aside: " + describe(loaded) + ", initialised";
    for (const Launcher &launcher : facts.launchers)
        if (launcher.n_ranks > 1) text += "; left aside: " + describe(launcher);
    return text;
}

} // namespace halo
