// SPDX-License-Identifier: BSD-3-Clause
#include "wrapped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace conformance {

namespace {

template <class Function>
void load(void *module, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(module, name));
    if (!function) stop("the wrapper has no %s", name);
}

Wrapper load_wrapper() {
    void *module = dlopen(WRAP_DIRECTORY "/libhalo_transport_wrap.so", RTLD_NOW | RTLD_LOCAL);
    if (!module) stop("the wrapper cannot be loaded: %s", dlerror());
    Wrapper functions;
    load(module, "wrap_group_create", functions.group_create);
    load(module, "wrap_group_destroy", functions.group_destroy);
    load(module, "wrap_seat", functions.seat);
    load(module, "wrap_reach", functions.reach);
    load(module, "wrap_set_faults", functions.set_faults);
    load(module, "wrap_get_counts", functions.counts);
    return functions;
}

// Unless the settings say more of shared memory: what goes through it passes the wrapper by.
void one_rank(halo_inproc_group *group, int32_t number, Settings settings, const std::function<void(Rank &)> &body) {
    const auto of_shared_memory = [](const auto &setting) { return setting.first.starts_with("shared_memory"); };
    if (std::ranges::none_of(settings, of_shared_memory)) settings.emplace_back("shared_memory", "no");
    try {
        if (group) wrapper().seat(group, number);
        Rank self;
        OK(make_context(nullptr, number, settings, &self.context));
        OK(halo_context_rank(self.context, &self.rank, &self.size));
        body(self);
        OK(halo_context_destroy(&self.context));
    } catch (const Stop &reason) {
        ADD_FAILURE() << "rank " << number << ": " << reason.text;
        if (!group) std::_Exit(1);
    }
}

} // namespace

const Wrapper &wrapper() {
    static const Wrapper loaded = load_wrapper();
    return loaded;
}

void choose_wrapper() {
    setenv("HALO_PLUGIN_PATH", WRAP_DIRECTORY, 1);
    setenv("HALO_TRANSPORT", "wrap", 1);
}

void run_wrapped(int32_t n_ranks, const Settings &settings, const std::function<void(Rank &)> &body) {
    if (!threads()) return one_rank(nullptr, -1, settings, body);
    run_wrapped_each(
        n_ranks, [&](int32_t) { return settings; }, body);
}

void run_wrapped_each(int32_t n_ranks, const std::function<Settings(int32_t rank)> &settings, const std::function<void(Rank &)> &body) {
    halo_inproc_group *group = wrapper().group_create(n_ranks);
    std::vector<std::thread> ranks;
    ranks.reserve(static_cast<size_t>(n_ranks));
    for (int32_t rank = 0; rank < n_ranks; ++rank) ranks.emplace_back([&, rank] { one_rank(group, rank, settings(rank), body); });
    for (std::thread &rank : ranks) rank.join();
    if (!testing::Test::HasFailure() && wrapper().group_destroy(group) != HALO_SUCCESS) ADD_FAILURE() << "endpoints are left open";
}

} // namespace conformance
