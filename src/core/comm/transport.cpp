// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport.h"

#include <algorithm>
#include <cstring>

#include "comm/tags.h"

namespace halo {

Transport::Transport(const halo_transport_plugin &plugin, const halo_host &host, const halo_transport_params &params, const std::string &report)
    : name_(plugin.name),
      report_(report) {
    std::memcpy(&ops_, plugin.ops, std::min(sizeof ops_, plugin.ops->struct_size)); // older modules have fewer
    const halo_status status = ops_.open(&host, &params, &instance_);
    if (status != HALO_SUCCESS) fail(status, "transport %s cannot be opened: %s", name_, report_.c_str());
    ops_.identify(instance_, &rank_, &size_, &max_tag_);
    if (rank_ < 0 || rank_ >= size_ || max_tag_ < first_run_tag) {
        ops_.close(instance_);
        fail(HALO_ERR_PLUGIN, "transport %s tells of rank %d of %d and tags up to %d; ranks are counted from 0, and tags must reach %d", name_, rank_,
             size_, max_tag_, first_run_tag);
    }
    max_tag_ = max_tag_ < 32767 ? max_tag_ : 32767;
}

Transport::~Transport() {
    if (instance_) ops_.close(instance_);
}

bool Transport::open_lanes(int32_t n_lanes) {
    if (n_lanes <= lanes_) return true;
    const halo_status status = ops_.open_lanes(instance_, n_lanes);
    if (status == HALO_BUSY) return false;
    check(status, "open lanes", -1);
    lanes_ = n_lanes;
    return true;
}

void Transport::raise(halo_status status, const char *what, int32_t peer) const {
    if (peer < 0) fail(status, "transport %s, rank %d: %s: %s", name_, rank_, what, report_.c_str());
    fail(status, "transport %s, rank %d: %s rank %d: %s", name_, rank_, what, peer, report_.c_str());
}

} // namespace halo
