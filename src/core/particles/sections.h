// SPDX-License-Identifier: BSD-3-Clause
// A message's payload: how many sections, the sections, then the particles of each, column by column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "particles/leavers.h"

namespace halo {

// Bytes that lie anywhere in the payload, of one section.
struct ArrivedSection {
    int64_t part; // place of the target among the local parts
    int64_t source;
    int64_t n;
    const std::byte *data;
};

// Places the sections in the payload; returns its bytes. HALO_ERR_LIMIT.
size_t place_sections(std::span<const uint32_t> order, std::vector<ParticleSection> &sections, size_t record_bytes);
// Their particles are to be written where their data are then.
void write_sections(std::span<const uint32_t> order, std::vector<ParticleSection> &sections, std::byte *payload);
// Appends what a payload has for this rank. What is wrong with it, or nullptr.
const char *read_sections(std::span<const std::byte> payload, const Topology &topology, size_t record_bytes, std::vector<ArrivedSection> &arrived);

} // namespace halo
