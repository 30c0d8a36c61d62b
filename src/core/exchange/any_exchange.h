// SPDX-License-Identifier: BSD-3-Clause
// What a caller can do with an exchange, however it is carried out.
#pragma once

#include <functional>
#include <vector>

#include "exchange/sparse.h"

namespace halo {

class AnyExchange {
public:
    AnyExchange() = default;
    virtual ~AnyExchange() = default;
    AnyExchange(const AnyExchange &) = delete;
    AnyExchange &operator=(const AnyExchange &) = delete;

    virtual bool in_flight() const = 0;

    virtual void start(const halo_run &run, halo_stream stream) = 0;
    virtual void finish(halo_stream stream) = 0;

    virtual void post(const halo_run &run) = 0;
    virtual bool send(halo_stream stream) = 0; // false: a peer is two runs behind
    virtual bool test() = 0;
    virtual void unpack(halo_stream stream) = 0;
    virtual void refine() = 0;
    virtual void abandon() = 0;

    // Parts with data and no storage, once everything is here.
    virtual std::vector<Arrivals::Part> arrivals() = 0;
    virtual Field *field(int32_t index) const = 0;
    // Called for each arrival in unpack; the capi layer turns it into the caller's function.
    std::function<void(const Arrivals::Part &)> on_arrival;

    // Adds to counters; figures of one plan are set.
    virtual void count(halo_exchange_stats &stats) const = 0;
};

} // namespace halo
