// SPDX-License-Identifier: BSD-3-Clause
// Records to any ranks, without anybody knowing who sends to whom: they are passed on in O(log ranks) rounds, each over half of the bits of their
// way. For set-up; all ranks call these in the same order. No memory for ranks that have nothing to say.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "comm/context.h"

namespace halo {

// Sends bytes to the rank `step` above, in the circle of ranks, and returns those of the rank `step` below.
std::vector<std::byte> pass_up(Context &context, int64_t step, const std::vector<std::byte> &bytes);

// Sum of the values of all ranks below, and of all.
int64_t sum_below(Context &context, int64_t value, int64_t &total);

// Record::to is the rank that shall have it. Returns those for this rank, in no particular order.
template <class Record>
std::vector<Record> route(Context &context, std::vector<Record> records) {
    static_assert(std::is_trivially_copyable_v<Record>);
    const int64_t size = context.size();
    for (int64_t step = 1; step < size; step *= 2) {
        std::vector<Record> stay;
        std::vector<std::byte> leave;
        for (const Record &record : records) {
            const int64_t way = (record.to - context.rank() + size) % size;
            if ((way & step) == 0) {
                stay.push_back(record);
                continue;
            }
            leave.resize(leave.size() + sizeof record);
            std::memcpy(leave.data() + leave.size() - sizeof record, &record, sizeof record);
        }
        const std::vector<std::byte> come = pass_up(context, step, leave);
        const size_t n = stay.size();
        stay.resize(n + come.size() / sizeof(Record));
        if (!come.empty()) std::memcpy(static_cast<void *>(stay.data() + n), come.data(), come.size());
        records = std::move(stay);
    }
    return records;
}

} // namespace halo
