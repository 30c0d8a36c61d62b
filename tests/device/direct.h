// SPDX-License-Identifier: BSD-3-Clause
// Two ranks whose devices write into each other's memory.
#pragma once

#include <string>

#include "late/ring.h"

namespace late {

using namespace conformance;

constexpr int64_t n_blocks = 2;
constexpr int n_known = 4; // runs after which the ranks know each other

inline Settings direct(const char *path = "direct") {
    return late::settings({ { "path", path }, { "shared_memory.least", "0" }, { "check", "no" } });
}

inline int64_t landed(const RingExchange &exchange) { return exchange.stats().messages_landed; }

// One rank starts before the others do: they find its ghosts open.
inline void start_in_order(const Rank &rank, const RingExchange &exchange, const halo_run *run = nullptr, halo_stream stream = HALO_STREAM_DEFAULT,
                           int32_t first = 0) {
    if (rank.rank == first) OK(halo_exchange_start(exchange, run, stream));
    OK(halo_context_barrier(rank.context));
    if (rank.rank != first) OK(halo_exchange_start(exchange, run, stream));
}

inline void expect_described(const Rank &rank, const RingExchange &exchange, const char *words) {
    const std::string text = description_of(exchange);
    if (text.find(words) == std::string::npos) stop("rank %d does not say '%s': %s", rank.rank, words, text.c_str());
}

inline halo_exchange_desc sums(bool stable = false) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_REVERSE;
    desc.op = HALO_SUM;
    desc.source_stable = stable;
    return desc;
}

// The device of rank 1 refuses to write, after prepare(n): both hear of it, and the next runs, again(n), work the same way.
template <class Prepare, class Again>
void expect_writes_after_failures(const Rank &rank, const RingExchange &exchange, halo_device *device, Prepare &&prepare, Again &&again) {
    for (int n = 0; n < 6; ++n) {
        if (rank.rank == 1) late_fail_launch(device, 1); // behind copies within the rank
        prepare(n);
        halo_status status = HALO_SUCCESS;
        if (rank.rank == 0) OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
        OK(halo_context_barrier(rank.context));
        if (rank.rank == 1) status = halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT);
        if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, HALO_STREAM_DEFAULT);
        if (status != (rank.rank == 1 ? HALO_ERR_DEVICE : HALO_ERR_PEER))
            stop("rank %d: %s: %s", rank.rank, halo_status_name(status), halo_last_error());
        OK(halo_context_barrier(rank.context));
        const int64_t before = landed(exchange);
        for (int times = 0; times < 3; ++times) again(n);
        if (rank.rank == 1 && landed(exchange) == before) stop("nothing is put any more");
    }
}

inline constexpr int32_t long_enough = 200000; // microseconds

} // namespace late
