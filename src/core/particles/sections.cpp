// SPDX-License-Identifier: BSD-3-Clause
#include "particles/sections.h"

#include <cstring>

#include "base/checked.h"
#include "base/limits.h"

namespace halo {

namespace {

struct WireSection {
    int64_t target;
    int64_t source;
    int64_t n;
};
static_assert(sizeof(WireSection) == 24, "it is part of the wire format");

constexpr size_t head_bytes(size_t n_sections) { return sizeof(uint64_t) + n_sections * sizeof(WireSection); }

} // namespace

size_t place_sections(std::span<const uint32_t> order, std::vector<ParticleSection> &sections, size_t record_bytes) {
    Checked end = static_cast<int64_t>(head_bytes(order.size()));
    for (const uint32_t s : order) {
        sections[s].begins = static_cast<size_t>(end.value("particles: the bytes of a message", limits::exchanged_bytes));
        end = end + Checked(sections[s].n) * static_cast<int64_t>(record_bytes);
    }
    return static_cast<size_t>(end.value("particles: the bytes of a message", limits::exchanged_bytes));
}

void write_sections(std::span<const uint32_t> order, std::vector<ParticleSection> &sections, std::byte *payload) {
    const uint64_t n = order.size();
    std::memcpy(payload, &n, sizeof n);
    std::byte *at = payload + sizeof n;
    for (const uint32_t s : order) {
        const WireSection one{ sections[s].target, sections[s].source, sections[s].n };
        std::memcpy(at, &one, sizeof one);
        at += sizeof one;
        sections[s].data = payload + sections[s].begins;
    }
}

const char *read_sections(std::span<const std::byte> payload, const Topology &topology, size_t record_bytes, std::vector<ArrivedSection> &arrived) {
    uint64_t n_sections;
    if (payload.size() < sizeof n_sections) return "it is shorter than a count";
    std::memcpy(&n_sections, payload.data(), sizeof n_sections);
    if (n_sections > (payload.size() - sizeof n_sections) / sizeof(WireSection)) return "it is shorter than its sections";
    size_t begins = head_bytes(n_sections);
    for (size_t s = 0; s < n_sections; ++s) {
        WireSection one;
        std::memcpy(&one, payload.data() + head_bytes(s), sizeof one);
        const int64_t part = topology.local_index(one.target);
        if (part < 0) return "it is for a part that is not here";
        if (one.n < 1 || static_cast<uint64_t>(one.n) > (payload.size() - begins) / record_bytes) return "it is shorter than its particles";
        arrived.push_back({ part, one.source, one.n, payload.data() + begins });
        begins += static_cast<size_t>(one.n) * record_bytes;
    }
    return begins == payload.size() ? nullptr : "it is longer than its particles";
}

} // namespace halo
