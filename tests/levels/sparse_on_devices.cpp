// SPDX-License-Identifier: BSD-3-Clause
// Sparse fields between levels on a device against those on the host, which are compared with a model elsewhere: which parts have storage after a
// run, and all of it bit by bit. With CONFORMANCE_STORAGE=device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "twins.h"

namespace {

using namespace levels;
using conformance::Bytes;
using conformance::text_of;

// A sparse field on the host and its twin on the device, whose parts have storage or not, alike.
class SparseTwins {
public:
    SparseTwins(halo_topology *topology, halo_field_desc desc, int32_t prolongation) : bytes_per_number_(bytes_of_number(desc.type)) {
        desc.sparse = 1;
        const std::string name = desc.name;
        for (size_t side = 0; side < 2; ++side) {
            const std::string own_name = name + (side == 0 ? " of the host" : " of the device");
            desc.name = own_name.c_str();
            OK(halo_field_create(topology, &desc, &fields_[side]));
            OK(halo_field_set_prolongation(fields_[side], prolongation));
        }
        for (const int64_t gid : parts_of(topology)) {
            Part &part = parts_.emplace_back();
            part.gid = gid;
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(fields_[0], gid, &layout));
            for (Bytes &memory : part.memory) memory.resize(static_cast<size_t>(layout.elements * bytes_of(desc.type)));
        }
    }
    ~SparseTwins() {
        for (halo_field *&field : fields_) halo_field_destroy(&field);
    }
    SparseTwins(const SparseTwins &) = delete;
    SparseTwins &operator=(const SparseTwins &) = delete;

    halo_field *on(size_t side) const { return fields_[side]; }
    // Of so many of eight parts with storage, some hold numbers, others nothing but zeros.
    void begin(Random &random, uint64_t share) {
        for (Part &part : parts_) {
            part.takes = random() % 4 != 0;
            const bool has_storage = random() % 8 < share, is_null = random() % 2 == 0;
            Bytes &memory = part.memory[0];
            std::fill(memory.begin(), memory.end(), std::byte{ 0 });
            for (size_t at = 0; at < memory.size() && !is_null; at += static_cast<size_t>(bytes_per_number_))
                write_number(memory.data() + at, bytes_per_number_, random);
            part.memory[1] = memory;
            for (size_t side = 0; side < 2; ++side) bind(part, side, has_storage, conformance::stream());
        }
    }
    // What has come for parts without storage: some get it, with what happens to be there.
    void take(size_t side, int64_t gid) {
        Part &part = *std::ranges::find(parts_, gid, &Part::gid);
        if (!part.takes) return;
        std::fill(part.memory[side].begin(), part.memory[side].end(), std::byte{ 0x5a });
        bind(part, side, true, conformance::finish_stream());
        ++n_taken_;
    }
    int64_t n_taken() const { return n_taken_; }
    void compare(const std::string &what) {
        for (Part &part : parts_) {
            const auto gid = static_cast<long long>(part.gid);
            if (part.has_storage[0] != part.has_storage[1]) stop("%s: part %lld has storage on one side", what.c_str(), gid);
            if (!part.has_storage[0]) continue;
            conformance::download(part.memory[1].data(), part.memory[1].size());
            const auto differs = std::mismatch(part.memory[1].begin(), part.memory[1].end(), part.memory[0].begin()).first - part.memory[1].begin();
            if (differs < std::ssize(part.memory[1]))
                stop("%s: number %lld of part %lld differs from the host's", what.c_str(), static_cast<long long>(differs / bytes_per_number_), gid);
        }
    }

private:
    struct Part {
        int64_t gid = 0;
        std::array<Bytes, 2> memory;
        std::array<bool, 2> has_storage{};
        bool takes = false;
    };
    // What happens to be there comes in the stream in which it is used next.
    void bind(Part &part, size_t side, bool has_storage, halo_stream in) {
        part.has_storage[side] = has_storage;
        halo_binding binding = HALO_BINDING_INIT;
        if (has_storage) binding.data = part.memory[side].data();
        if (has_storage && side == 1) {
            conformance::place(binding, part.memory[1].data());
            conformance::upload(part.memory[1].data(), part.memory[1].size(), in);
        }
        OK(halo_field_bind(fields_[side], part.gid, &binding));
    }

    int64_t bytes_per_number_;
    halo_field *fields_[2] = {};
    std::vector<Part> parts_;
    int64_t n_taken_ = 0;
};

// A few runs from storage at random; none has any in the third. Of what comes for parts without storage some is taken, by phases alone.
void run_all(const Exchanges &exchanges, const std::vector<SparseTwins *> &fields, Random &random, const std::string &what) {
    for (int turn = 0; turn < 6; ++turn) {
        constexpr uint64_t shares[] = { 4, 2, 0, 6, 1, 8 };
        for (SparseTwins *field : fields) field->begin(random, shares[turn]);
        exchanges.run(HALO_RUN_INIT, random() % 3 != 0, [&](size_t side) {
            int64_t n = 0;
            OK(halo_exchange_arrivals(exchanges.on(side), nullptr, 0, &n));
            std::vector<halo_arrival> arrivals(static_cast<size_t>(n));
            OK(halo_exchange_arrivals(exchanges.on(side), arrivals.data(), n, &n));
            for (const halo_arrival &arrival : arrivals)
                for (SparseTwins *field : fields)
                    if (field->on(side) == arrival.field) field->take(side, arrival.gid);
        });
        for (SparseTwins *field : fields) field->compare(text_of("%s, run %d", what.c_str(), turn));
    }
}

class SparseLevelsOnDevices : public OnDevices {};
INSTANTIATE_TEST_SUITE_P(Ranks, SparseLevelsOnDevices, numbers_of_ranks(), testing::PrintToStringParamName());

TEST_P(SparseLevelsOnDevices, GhostsAreThoseOfTheHost) {
    std::atomic<int64_t> n_taken = 0;
    for_each_case(16, [&](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model model(shape, number, rank.size);
        const Forest forest(model, rank);
        halo_field_desc desc = desc_of(all, "u", shape.n_dims, HALO_CENTRE_CELL, 2), other = desc_of(all, "v", shape.n_dims, HALO_CENTRE_CELL, 2);
        desc.threshold = all() % 2 == 0 ? 0.01 : 0, desc.fill = 3;
        SparseTwins u(forest.topology(), desc, all() % 3 == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD),
            v(forest.topology(), other, HALO_PROLONG_MINMOD);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.messages = all() % 4 == 0 ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
        const Exchanges exchanges = exchanges_of<SparseTwins>({ &u, &v }, &how);
        run_all(exchanges, { &u, &v }, random, text_of("case %llu", static_cast<unsigned long long>(number)));
        n_taken += u.n_taken() + v.n_taken();
    });
    EXPECT_TRUE(n_taken > 0 || !conformance::threads() || HasFailure()); // whose ranks count together
}

// What is null, or has no storage, leaves the values there alone.
TEST_P(SparseLevelsOnDevices, FluxesAreThoseOfTheHost) {
    for_each_case(12, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model model(shape, number, rank.size);
        const Forest forest(model, rank);
        halo_field_desc desc = desc_of(all, "flux", shape.n_dims, HALO_CENTRE_FACES, 0);
        desc.vector = shape.turned ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        SparseTwins flux(forest.topology(), desc, HALO_PROLONG_CONSTANT);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_FLUXES;
        const Exchanges exchanges = exchanges_of<SparseTwins>({ &flux }, &how);
        run_all(exchanges, { &flux }, random, text_of("case %llu", static_cast<unsigned long long>(number)));
    });
}

// All that has storage is moved, however small.
TEST_P(SparseLevelsOnDevices, BlocksOfAnotherListAreThoseOfTheHost) {
    for_each_case(12, [](uint64_t number, Rank &rank) {
        Random all(number), random(number * 100 + static_cast<uint64_t>(rank.rank));
        const Shape shape = shape_of(all);
        const Model before(shape, number, rank.size);
        const Model after(before, adapted(before, number), number, rank.size, number % 2 == 0);
        const Forest old_blocks(before, rank), new_blocks(after, rank);
        halo_field_desc desc = desc_of(all, "u", shape.n_dims, HALO_CENTRE_CELL, 1);
        desc.threshold = 0.01, desc.fill = -2;
        SparseTwins from(old_blocks.topology(), desc, HALO_PROLONG_MINMOD);
        for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 0;
        SparseTwins to(new_blocks.topology(), desc, HALO_PROLONG_MINMOD);
        const Exchanges exchanges = transfers_of(from, to);
        run_all(exchanges, { &from, &to }, random, text_of("case %llu", static_cast<unsigned long long>(number)));
    });
}

} // namespace
