// SPDX-License-Identifier: BSD-3-Clause
// Poison of ghosts in flight: kept exactly, found wherever arithmetic has handed it on, and in no other value.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <memory>
#include <vector>

#include "exchange/poison.h"
#include "inproc_context.h"
#include "topology/blocks/blocks.h"

namespace {

using namespace halo;

template <class Value>
FieldSpec spec_of(halo_type type) {
    FieldSpec spec;
    spec.type = type;
    spec.element_bytes = sizeof(Value);
    return spec;
}

template <class Value>
std::byte *bytes_of(Value &value) {
    return reinterpret_cast<std::byte *>(&value);
}

// Value `at` of 6, every second one of an array, is computed from the poison of element 70,000; the rest are what programs have.
template <class Value>
void expect_found(halo_type type, int32_t ordinal) {
    const FieldSpec spec = spec_of<Value>(type);
    const Poison poison(spec, 3, 0, 0);
    const Value nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    for (size_t at = 0; at <= 6; ++at) {
        std::vector<Value> values{ Value(0), Value(1), nan, Value(2), infinite, Value(-3), -nan, Value(4), Value(5), Value(6), Value(7), Value(8) };
        if (at < 6) {
            poison.store(70000, bytes_of(values[2 * at]), sizeof(Value));
            values[2 * at] = values[2 * at] + Value(1);
        }
        EXPECT_EQ(find_poison(spec, bytes_of(values[0]), 2 * sizeof(Value), 6), static_cast<int64_t>(at));
        if (at == 6) continue;
        const PoisonOrigin origin = poison_origin(spec, bytes_of(values[2 * at]));
        EXPECT_TRUE(origin.found);
        EXPECT_EQ(origin.ordinal, ordinal);
        EXPECT_EQ(origin.place, ordinal < 0 ? 70000 % 65536 : 70000);
    }
}

// The same in a look at all of them, of whatever number, wherever it begins.
template <class Value>
void expect_searched(halo_type type) {
    const FieldSpec spec = spec_of<Value>(type);
    const Poison poison(spec, 3, 0, 0);
    const Value nan = std::numeric_limits<double>::quiet_NaN();
    for (size_t n = 1; n <= 9; ++n)
        for (size_t at = 0; at <= n + 1; ++at) { // before them, one of them, behind them
            std::vector<Value> values(n + 2, at % 2 ? nan : Value(5));
            poison.store(70000, bytes_of(values[at]), sizeof(Value));
            PoisonSearch search(spec);
            ASSERT_TRUE(search.can());
            search.look(bytes_of(values[1]), static_cast<int64_t>(n * sizeof(Value)));
            EXPECT_EQ(search.has_found(), at >= 1 && at <= n) << at << " of " << n;
        }
}

template <class Value>
void expect_kept(halo_type type) {
    const FieldSpec spec = spec_of<Value>(type);
    const Poison poison(spec, 3, 5, 0), of_other_field(spec, 4, 6, 0);
    Value value{};
    poison.store(9, bytes_of(value), sizeof value);
    EXPECT_TRUE(poison.is_at(9, bytes_of(value), sizeof value));
    EXPECT_FALSE(poison.is_at(10, bytes_of(value), sizeof value));
    EXPECT_EQ(of_other_field.is_at(9, bytes_of(value), sizeof value), type == HALO_FLOAT32 || type == HALO_COMPLEX64); // no room to tell
    for (size_t byte = 0; byte < sizeof value; ++byte) {
        bytes_of(value)[byte] ^= std::byte{ 1 };
        EXPECT_FALSE(poison.is_at(9, bytes_of(value), sizeof value)) << byte;
        bytes_of(value)[byte] ^= std::byte{ 1 };
    }
}

TEST(Poison, IsFoundWhereArithmeticHasHandedItOn) {
    expect_found<double>(HALO_FLOAT64, 3);
    expect_searched<double>(HALO_FLOAT64);
    expect_found<float>(HALO_FLOAT32, -1);
    expect_searched<float>(HALO_FLOAT32);
    expect_found<std::complex<double>>(HALO_COMPLEX128, 3);
    expect_searched<std::complex<double>>(HALO_COMPLEX128);
    expect_found<std::complex<float>>(HALO_COMPLEX64, -1);
    expect_searched<std::complex<float>>(HALO_COMPLEX64);
}

TEST(Poison, IsKeptExactly) {
    expect_kept<double>(HALO_FLOAT64);
    expect_kept<float>(HALO_FLOAT32);
    expect_kept<std::complex<double>>(HALO_COMPLEX128);
    expect_kept<std::complex<float>>(HALO_COMPLEX64);
    expect_kept<int32_t>(HALO_INT32);
    expect_kept<uint32_t>(HALO_UINT32);
    expect_kept<int64_t>(HALO_INT64);
    expect_kept<std::array<char, 13>>(HALO_BYTES);
}

// Equal elements of a rank's parts are told apart.
TEST(Poison, IsOfOnePart) {
    const FieldSpec spec = spec_of<double>(HALO_FLOAT64);
    double value = 0;
    Poison(spec, 3, 0, 1).store(9, bytes_of(value), sizeof value);
    EXPECT_TRUE(Poison(spec, 3, 0, 1).is_at(9, bytes_of(value), sizeof value));
    for (const int64_t part : { 0, 2, 3, 100 }) EXPECT_FALSE(Poison(spec, 3, 0, part).is_at(9, bytes_of(value), sizeof value)) << part;
}

// They have no room for where it is from.
TEST(Poison, HalvesTellThatItIsPoison) {
    const uint16_t others[] = {
        0, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7fff, 0xffff
    }; // infinities and NaN of both
    for (const halo_type type : { HALO_FLOAT16, HALO_BFLOAT16 }) {
        const FieldSpec spec = spec_of<uint16_t>(type);
        const Poison poison(spec, 3, 5, 0);
        uint16_t value = 0;
        poison.store(9, bytes_of(value), sizeof value);
        EXPECT_TRUE(poison.is_at(9, bytes_of(value), sizeof value));
        EXPECT_TRUE(can_be_poison(spec));
        EXPECT_GT(value & 0x7fff, type == HALO_FLOAT16 ? 0x7e00 : 0x7fc0) << "a quiet NaN";
        uint16_t values[] = { 0, 0, value, 0 };
        EXPECT_EQ(find_poison(spec, bytes_of(values[0]), 2, 4), 2);
        const PoisonOrigin origin = poison_origin(spec, bytes_of(value));
        EXPECT_TRUE(origin.found);
        EXPECT_EQ(origin.ordinal, -1);
        EXPECT_EQ(origin.place, -1);
        for (uint16_t other : others) {
            EXPECT_FALSE(poison.is_at(9, bytes_of(other), sizeof other)) << other;
            EXPECT_FALSE(poison_origin(spec, bytes_of(other)).found) << other;
            EXPECT_EQ(find_poison(spec, bytes_of(other), 2, 1), 1) << other;
        }
    }
}

// A NaN keeps the first bits of what it says.
TEST(Poison, IsFoundInHalvesMadeOfFloats) {
    uint32_t number = 0;
    Poison(spec_of<float>(HALO_FLOAT32), 3, 0, 0).store(70000, bytes_of(number), sizeof number);
    auto bfloat = static_cast<uint16_t>(number >> 16);
    auto half = static_cast<uint16_t>((number >> 16 & 0x8000u) | 0x7c00u | (number >> 13 & 0x3ffu));
    EXPECT_TRUE(poison_origin(spec_of<uint16_t>(HALO_BFLOAT16), bytes_of(bfloat)).found);
    EXPECT_TRUE(poison_origin(spec_of<uint16_t>(HALO_FLOAT16), bytes_of(half)).found);
}

TEST(Poison, IntegersCannotTell) {
    const FieldSpec spec = spec_of<int64_t>(HALO_INT64);
    int64_t value = 0;
    Poison(spec, 0, 0, 0).store(1, bytes_of(value), sizeof value);
    EXPECT_FALSE(can_be_poison(spec));
    EXPECT_EQ(find_poison(spec, bytes_of(value), sizeof value, 1), 1);
    EXPECT_FALSE(poison_origin(spec, bytes_of(value)).found);
}

// Where more than one field or ghost may be meant, only what they have in common is told.
TEST(Poison, IsNamedAsFarAsItTells) {
    const halo_setting check{ "check", "yes" };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &check;
    options.n_settings = 1;
    halo_inproc *const group = create_inproc_group(1);
    {
        const auto context = open_context(group, 0, options);
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 2, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
        BlocksTopology topology(*context, blocks);
        const auto make = [&](const char *name, halo_type type) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name, desc.type = type;
            desc.ghost_low[0] = desc.ghost_high[0] = 1;
            return std::make_unique<Field>(topology, desc);
        };
        const auto u = make("u", HALO_FLOAT64), f = make("f", HALO_FLOAT32), h = make("h", HALO_FLOAT16);
        const std::string ghost = ", part 0, cell (-1, 0, 0), in all (-1, 0, 0), component 0, which part 1 on rank 0 fills";
        EXPECT_EQ(name_origin(*context, { true, u->ordinal(), 0 }), "field u" + ghost);
        EXPECT_EQ(name_origin(*context, { true, -1, 0 }), "field f" + ghost);
        EXPECT_EQ(name_origin(*context, { true, -1, -1 }), "a ghost of field h");
        EXPECT_EQ(name_origin(*context, { true, 77, 0 }), "a ghost of a field that is no more (number 77)");
        EXPECT_EQ(name_origin(*context, { true, u->ordinal(), 1000 }), "a ghost of field u"); // of a layout that it had
        const auto g = make("g", HALO_FLOAT32), k = make("k", HALO_BFLOAT16);
        EXPECT_EQ(name_origin(*context, { true, -1, 0 }), "a ghost");
        EXPECT_EQ(name_origin(*context, { true, -1, -1 }), "a ghost");
    }
    destroy_inproc_group(group);
}

} // namespace
