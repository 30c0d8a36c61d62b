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

inline constexpr int32_t long_enough = 200000; // microseconds

} // namespace late
