// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/schedule_point.h"
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

void Transport::send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request &request) {
    schedule_point();
    request = {};
    check(ops_.send(instance_, peer, lane, tag, data, bytes, &request), "send to", peer);
    network_takes(tag);
}

void Transport::receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request &request) {
    schedule_point();
    request = {};
    check(ops_.receive(instance_, peer, lane, tag, data, capacity, &request), "receive from", peer);
}

bool Transport::test(halo_request &request, int32_t peer, size_t *bytes) {
    schedule_point();
    if (network_holds_back(&request)) return false;
    int32_t done = 0;
    size_t size = 0;
    check(ops_.test(instance_, &request, &done, &size), "message with", peer);
    if (done && bytes) *bytes = size;
    return network_delivers(done != 0, &request);
}

bool Transport::cancel(halo_request &request, int32_t peer) {
    schedule_point();
    int32_t done = 0;
    check(ops_.cancel(instance_, &request, &done), "cancel a receive from", peer);
    return network_delivers(done != 0, &request);
}

bool Transport::probe(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, halo_matched &message) {
    schedule_point();
    if (network_holds_back(peer, lane, tag)) return false;
    int32_t found = 0;
    check(ops_.probe(instance_, peer, lane, tag, &found, &bytes, &message), "probe for", peer);
    return network_delivers(found != 0);
}

void Transport::receive_matched(halo_matched &message, int32_t peer, void *data, size_t capacity, halo_request &request) {
    schedule_point();
    request = {};
    check(ops_.receive_matched(instance_, &message, data, capacity, &request), "receive from", peer);
}

void Transport::progress() {
    schedule_point();
    check(ops_.progress(instance_), "progress", -1);
}

std::string Transport::describe() const {
    char text[256] = "";
    if (ops_.describe) ops_.describe(instance_, text, sizeof text);
    return text;
}

bool Transport::takes_memory_of(const char *device, int32_t peer, std::string &why) const {
    char text[256] = "";
    const bool takes = ops_.takes_device_memory && ops_.takes_device_memory(instance_, peer, device, text, sizeof text) != 0;
    why = text;
    return takes;
}

halo_neighbourhood *Transport::create_neighbourhood(std::span<const halo_neighbour_message> sends, std::span<const halo_neighbour_message> receives) {
    halo_neighbourhood *neighbourhood = nullptr;
    check(ops_.neighbourhood_create(instance_, sends.data(), static_cast<int32_t>(sends.size()), receives.data(),
                                    static_cast<int32_t>(receives.size()), &neighbourhood),
          "make a neighbourhood", -1);
    return neighbourhood;
}

void Transport::start(halo_neighbourhood *neighbourhood, const void *const *sent, void *const *received, halo_request &request) {
    schedule_point();
    request = {};
    check(ops_.neighbourhood_start(instance_, neighbourhood, sent, received, &request), "start the messages of a run", -1);
}

bool Transport::open_lanes(int32_t n_lanes) {
    if (n_lanes <= lanes_) return true;
    const halo_status status = ops_.open_lanes(instance_, n_lanes);
    if (status == HALO_BUSY) return false;
    check(status, "open lanes", -1);
    lanes_ = n_lanes;
    return true;
}

void Transport::check(halo_status status, const char *what, int32_t peer) const {
    if (status != HALO_SUCCESS) [[unlikely]]
        raise(status, what, peer);
}

void Transport::raise(halo_status status, const char *what, int32_t peer) const {
    if (peer < 0) fail(status, "transport %s, rank %d: %s: %s", name_, rank_, what, report_.c_str());
    fail(status, "transport %s, rank %d: %s rank %d: %s", name_, rank_, what, peer, report_.c_str());
}

} // namespace halo
