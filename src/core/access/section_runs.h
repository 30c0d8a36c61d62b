// SPDX-License-Identifier: BSD-3-Clause
// Where owned values and ghosts lie in the storage of a part.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "field/field.h"

namespace halo {

// Bytes [offset, offset + bytes) of a part's storage.
struct ByteRun {
    int64_t offset;
    int64_t bytes;
    bool operator==(const ByteRun &) const = default;
};
using ByteRuns = std::vector<ByteRun>; // by offset; neighbours joined

// Gaps of the layout left out.
struct SectionRuns {
    ByteRuns owned;
    ByteRuns ghosts;
};
SectionRuns section_runs(const Field &field, int64_t local_index);

// Ghosts that exchanges fill, by the groups that they belong to, 0: none.
std::map<uint32_t, ByteRuns> filled_ghosts(const Field &field, int64_t local_index);

} // namespace halo
