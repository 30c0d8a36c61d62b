// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads whose messages go through the wrapper.
#pragma once

#include <functional>

#include "ranks.h"
#include "wrapper/wrap.h"

namespace conformance {

// Functions of the module.
struct Wrapper {
    wrap_group_create_fn group_create;
    wrap_group_destroy_fn group_destroy;
    wrap_seat_fn seat;
    wrap_reach_fn reach;
    wrap_set_faults_fn set_faults;
    wrap_counts_fn counts;
};
// Loads it at the first call.
const Wrapper &wrapper();

// The transport is chosen as a user would: by HALO_TRANSPORT and HALO_PLUGIN_PATH, which this sets.
void choose_wrapper();

// As run, through the wrapper. Under a launcher it wraps the module that WRAP_MODULE names.
void run_wrapped(int32_t n_ranks, const Settings &settings, const std::function<void(Rank &)> &body);
// Each rank with settings of its own; as threads only.
void run_wrapped_each(int32_t n_ranks, const std::function<Settings(int32_t rank)> &settings, const std::function<void(Rank &)> &body);

} // namespace conformance
