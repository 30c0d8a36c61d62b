// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/poison.h"

#include <algorithm>
#include <cstring>

#include "base/digest.h"

namespace halo {

namespace {

// Bits of a double, from above: sign 1, exponent all ones, quiet 1, mark (11), field (8), element (32).
constexpr uint64_t quiet64 = 0xfff8000000000000u;
constexpr uint64_t mark64 = uint64_t{ 0x5a7 } << 40;
constexpr uint64_t tell64 = quiet64 | uint64_t{ 0x7ff } << 40;
// Of a float: sign, exponent, quiet, mark (6), element (16).
constexpr uint32_t quiet32 = 0xffc00000u;
constexpr uint32_t mark32 = 0x2bu << 16;
constexpr uint32_t tell32 = quiet32 | 0x3fu << 16;

bool is_double(const FieldSpec &spec) { return spec.type == HALO_FLOAT64 || spec.type == HALO_COMPLEX128; }
bool is_float(const FieldSpec &spec) { return spec.type == HALO_FLOAT32 || spec.type == HALO_COMPLEX64; }

uint64_t word_of(const FieldSpec &spec, const Poison &poison) {
    const auto place = static_cast<uint64_t>(poison.element);
    if (is_double(spec)) return quiet64 | mark64 | static_cast<uint64_t>(poison.ordinal & 0xff) << 32 | (place & 0xffffffffu);
    if (is_float(spec)) {
        const uint64_t value = quiet32 | mark32 | (place & 0xffffu);
        return value << 32 | value;
    }
    // Integers and bytes: any pattern that a program is unlikely to write.
    return Digest::mix(Digest::mix(static_cast<uint64_t>(poison.seed)) + place + 1);
}

} // namespace

bool can_be_poison(const FieldSpec &spec) { return is_double(spec) || is_float(spec); }

void store_poison(const FieldSpec &spec, const Poison &poison, std::byte *at) {
    const uint64_t word = word_of(spec, poison);
    for (int64_t done = 0; done < spec.element_bytes; done += 8)
        std::memcpy(at + done, &word, static_cast<size_t>(std::min<int64_t>(8, spec.element_bytes - done)));
}

bool holds_poison(const FieldSpec &spec, const Poison &poison, const std::byte *at) {
    const uint64_t word = word_of(spec, poison);
    for (int64_t done = 0; done < spec.element_bytes; done += 8)
        if (std::memcmp(at + done, &word, static_cast<size_t>(std::min<int64_t>(8, spec.element_bytes - done))) != 0) return false;
    return true;
}

PoisonOrigin poison_origin(const FieldSpec &spec, const std::byte *at) {
    if (is_double(spec))
        for (int64_t done = 0; done < spec.element_bytes; done += 8) {
            uint64_t word;
            std::memcpy(&word, at + done, sizeof word);
            if ((word & tell64) == (quiet64 | mark64))
                return { true, static_cast<int32_t>(word >> 32 & 0xff), static_cast<int64_t>(word & 0xffffffffu) };
        }
    if (is_float(spec))
        for (int64_t done = 0; done < spec.element_bytes; done += 4) {
            uint32_t word;
            std::memcpy(&word, at + done, sizeof word);
            if ((word & tell32) == (quiet32 | mark32)) return { true, -1, static_cast<int64_t>(word & 0xffffu) };
        }
    return {};
}

} // namespace halo
