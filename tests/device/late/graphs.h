// SPDX-License-Identifier: BSD-3-Clause
// Which launches go together on the late device, and have come before.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "halo_plugin.h"

namespace late {

// Steps that were seen, by all that they say but where their bases and flags lie.
class Graphs {
public:
    // HALO_STEPS_...: launched at first, recorded when they come for the second time, replayed from then on.
    int32_t come(const halo_device_step *steps, int64_t n);

private:
    using Range = std::tuple<int32_t, const halo_copy_table *, int64_t, int64_t, int32_t>;
    std::map<std::vector<Range>, int64_t> times_;
};

inline Graphs &graphs_of(halo_graphs *graphs) { return *reinterpret_cast<Graphs *>(graphs); }

bool graphs_are_refused();

// Each by the operation that it stands for. HALO_ERR_ARGUMENT: by none.
halo_status run_steps(halo_device *device, const halo_device_step *steps, int64_t n, halo_stream stream);

} // namespace late
