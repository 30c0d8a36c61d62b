// SPDX-License-Identifier: BSD-3-Clause
// Records to any ranks, without anybody knowing who sends to whom: they are passed on in O(log ranks) rounds, each over half of the bits of their
// way. For set-up; all ranks call these in the same order. No memory for ranks that have nothing to say.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "comm/collective_stream.h"

namespace halo {

// Sum of the values of all ranks below, and of all.
int64_t sum_below(Context &context, int64_t value, int64_t &total);

// Record::to is the rank that shall have it. Returns those for this rank, in no particular order. `missing` returns the text of what is waited
// for from a rank; parts from `first_part` on are the collective's of this.
template <class Record, class Missing>
std::vector<Record> route(Context &context, Collective &collective, std::vector<Record> held, Missing &&missing, int32_t first_part = 0) {
    const int64_t rank = context.rank();
    const int64_t size = context.size();
    for (int64_t step = 1; step < size; step *= 2) {
        const auto further =
            std::partition(held.begin(), held.end(), [&](const Record &record) { return ((record.to - rank + size) % size & step) == 0; });
        const auto part = static_cast<int32_t>(first_part + step);
        collective.send(static_cast<int32_t>((rank + step) % size), part, to_bytes(std::vector<Record>(further, held.end())));
        held.erase(further, held.end());
        const auto from = static_cast<int32_t>((rank - step + size) % size);
        const std::vector<Record> come = from_bytes<Record>(collective.receive(from, part, [&] { return missing(from); }));
        for (const Record &record : come)
            if (record.to < 0 || record.to >= size)
                fail(HALO_ERR_WIRE, "set-up: rank %d passes on what is for rank %lld of %lld", from, static_cast<long long>(record.to),
                     static_cast<long long>(size));
        held.insert(held.end(), come.begin(), come.end());
    }
    return held;
}

template <class Record>
std::vector<Record> route(Context &context, std::vector<Record> records) {
    Collective collective(context, CollectiveKind::route, 0, std::as_bytes(std::span(records)));
    records = route(context, collective, std::move(records), [](int32_t from) { return format("set-up: message from rank %d", from); });
    collective.finish();
    return records;
}

} // namespace halo
