// SPDX-License-Identifier: BSD-3-Clause
// One endpoint of a transport, with errors as exceptions. Owns the module's instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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
    // Does a message between this rank and that one, either way, go on only while its sender makes calls?
    bool sends_by_calls(int32_t peer) const { return ops_.sends_by_calls && ops_.sends_by_calls(instance_, peer) != 0; }
    // May its messages with this rank be sent from and received in the own memory of devices of the module of this name? `why`, in words, may stay
    // empty.
    bool takes_memory_of(const char *device, int32_t peer, std::string &why) const;
    // Else the memory of operations that are in flight when it goes may be used until the process ends.
    bool ends_all_when_closed() const { return ops_.ends_all_when_closed && ops_.ends_all_when_closed(instance_) != 0; }
    // May it be used by the thread that opened it alone?
    bool for_this_thread_only() const { return ops_.threads && ops_.threads(instance_) == HALO_THREADS_OPENER; }

    void send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request &request);
    void receive(int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request &request);
    // True when the operation is complete; `bytes` is then what a receive got. `peer` goes into the error text.
    bool test(halo_request &request, int32_t peer, size_t *bytes = nullptr);
    bool cancel(halo_request &request, int32_t peer);
    bool probe(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, halo_matched &message);
    void receive_matched(halo_matched &message, int32_t peer, void *data, size_t capacity, halo_request &request);
    void progress();

    // What it does beyond the plain, in words; mostly nothing.
    std::string describe() const;

    bool has_neighbourhoods() const { return ops_.neighbourhood_create && ops_.neighbourhood_destroy && ops_.neighbourhood_start; }
    // Collective, and blocks until all are in it.
    halo_neighbourhood *create_neighbourhood(std::span<const halo_neighbour_message> sends, std::span<const halo_neighbour_message> receives);
    void destroy(halo_neighbourhood *neighbourhood) { ops_.neighbourhood_destroy(instance_, neighbourhood); }
    void start(halo_neighbourhood *neighbourhood, const void *const *sent, void *const *received, halo_request &request);

    // Collective over the transport's ranks. False: not all of them are here yet; to be called again.
    bool open_lanes(int32_t n_lanes);
    int32_t lanes() const { return lanes_; }

private:
    void check(halo_status status, const char *what, int32_t peer) const;
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
