// SPDX-License-Identifier: BSD-3-Clause
// One endpoint of a transport, with errors as exceptions. Owns the module's instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/schedule_point.h"
#include "halo_plugin.h"

namespace halo {

class Transport {
public:
    // `report` is where the module's halo_host puts its error text; it outlives the transport.
    Transport(const halo_transport_plugin &plugin, const halo_host &host, const halo_transport_params &params, const std::string &report);
    ~Transport();
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;

    const char *name() const { return name_; }
    int32_t rank() const { return rank_; }
    int32_t size() const { return size_; }
    int32_t max_tag() const { return max_tag_; }
    bool reaches(int32_t peer) const { return !ops_.reaches || ops_.reaches(instance_, peer) != 0; }
    // Else the memory of operations that are in flight when it goes may be used until the process ends.
    bool ends_all_when_closed() const { return ops_.ends_all_when_closed && ops_.ends_all_when_closed(instance_) != 0; }
    // May it be used by the thread that opened it alone?
    bool for_this_thread_only() const { return ops_.threads && ops_.threads(instance_) == HALO_THREADS_OPENER; }

    void send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request &request) {
        schedule_point();
        request = {};
        check(ops_.send(instance_, peer, lane, tag, data, bytes, &request), "send to", peer);
        network_takes(tag);
    }
    void receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request &request) {
        schedule_point();
        request = {};
        check(ops_.receive(instance_, peer, lane, tag, data, capacity, &request), "receive from", peer);
    }
    // True when the operation is complete; `bytes` is then what a receive got. `peer` goes into the error text.
    bool test(halo_request &request, int32_t peer, size_t *bytes = nullptr) {
        schedule_point();
        if (network_holds_back(&request)) return false;
        int32_t done = 0;
        size_t size = 0;
        check(ops_.test(instance_, &request, &done, &size), "message with", peer);
        if (done && bytes) *bytes = size;
        return network_delivers(done != 0, &request);
    }
    bool cancel(halo_request &request, int32_t peer) {
        schedule_point();
        int32_t done = 0;
        check(ops_.cancel(instance_, &request, &done), "cancel a receive from", peer);
        return network_delivers(done != 0, &request);
    }
    bool probe(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, halo_matched &message) {
        schedule_point();
        if (network_holds_back(peer, lane, tag)) return false;
        int32_t found = 0;
        check(ops_.probe(instance_, peer, lane, tag, &found, &bytes, &message), "probe for", peer);
        return network_delivers(found != 0);
    }
    void receive_matched(halo_matched &message, int32_t peer, void *data, size_t capacity, halo_request &request) {
        schedule_point();
        request = {};
        check(ops_.receive_matched(instance_, &message, data, capacity, &request), "receive from", peer);
    }
    void progress() {
        schedule_point();
        check(ops_.progress(instance_), "progress", -1);
    }

    // Collective over the transport's ranks. False: not all of them are here yet; to be called again.
    bool open_lanes(int32_t n_lanes);
    int32_t lanes() const { return lanes_; }

private:
    void check(halo_status status, const char *what, int32_t peer) const {
        if (status != HALO_SUCCESS) [[unlikely]]
            raise(status, what, peer);
    }
    [[noreturn]] void raise(halo_status status, const char *what, int32_t peer) const;

    halo_transport_ops ops_{};
    halo_transport *instance_ = nullptr;
    const char *name_;
    const std::string &report_;
    int32_t rank_ = 0;
    int32_t size_ = 1;
    int32_t max_tag_ = 0;
    int32_t lanes_ = 1;
};

} // namespace halo
