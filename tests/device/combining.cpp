// SPDX-License-Identifier: BSD-3-Clause
// What is combined on devices: the bits of the host, in a launch for all fields, or in many where a device has no other.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::RingExchange;
using Bytes = std::vector<unsigned char>;

// A field on the host and one like it on the device, over blocks that have others all around, whose sums depend on their order.
class Twins {
public:
    Twins(Rank &rank, halo_topology *topology, halo_type type, int32_t centring, const std::string &name) : type_(type) {
        OK(halo_topology_local_parts(topology, &gids_, &n_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = type, desc.centring = centring, desc.n_components = 2;
        for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        for (const bool on_device : { false, true }) {
            const std::string own = name + (on_device ? " there" : " here");
            desc.name = own.c_str();
            OK(halo_field_create(topology, &desc, on_device ? &there_ : &here_));
        }
        for (int64_t part = 0; part < n_; ++part) {
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(here_, gids_[part], &layout));
            values_.emplace_back(static_cast<size_t>(layout.elements) * element_bytes());
            arrays_.emplace_back(rank.context, values_.back().size());
            late::bind(here_, gids_[part], values_.back().data(), HALO_MEMORY_HOST, 0);
            late::bind(there_, gids_[part], arrays_.back().data(), HALO_MEMORY_DEVICE, 0);
        }
    }
    ~Twins() {
        halo_field_destroy(&here_);
        halo_field_destroy(&there_);
    }
    Twins(const Twins &) = delete;
    Twins &operator=(const Twins &) = delete;

    halo_field *here() const { return here_; }
    halo_field *there() const { return there_; }
    halo_device *device() const { return arrays_.front().device(); }
    void fill(int turn, halo_stream stream) {
        for (size_t part = 0; part < values_.size(); ++part) {
            std::mt19937_64 random(static_cast<uint64_t>(turn) * 1000 + static_cast<uint64_t>(gids_[part]));
            for (size_t at = 0; at < values_[part].size(); at += element_bytes()) set(values_[part].data() + at, random);
            arrays_[part].write(values_[part], stream);
        }
    }
    // Waits for the stream.
    void expect_same(halo_stream stream, const char *when) const {
        for (size_t part = 0; part < values_.size(); ++part)
            if (arrays_[part].read(stream) != values_[part])
                stop("%s: type %d, block %lld differs from the host's", when, type_, static_cast<long long>(gids_[part]));
    }

private:
    size_t element_bytes() const { return type_ == HALO_FLOAT64 ? 8 : type_ == HALO_INT16 ? 2 : 4; }
    void set(unsigned char *at, std::mt19937_64 &random) const {
        const double value = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(random() % 40));
        const auto single = static_cast<float>(value);
        const uint64_t bits = random();
        std::memcpy(at,
                    type_ == HALO_FLOAT64   ? static_cast<const void *>(&value)
                    : type_ == HALO_FLOAT32 ? static_cast<const void *>(&single)
                                            : &bits,
                    element_bytes());
    }

    halo_type type_;
    const int64_t *gids_ = nullptr;
    int64_t n_ = 0;
    halo_field *here_ = nullptr, *there_ = nullptr;
    std::deque<Bytes> values_;
    std::deque<late::Array<unsigned char>> arrays_;
};

class Blocks {
public:
    Blocks(Rank &rank, int64_t cells, int64_t along_x) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        for (int d = 0; d < 3; ++d) desc.n_cells[d] = cells, desc.n_blocks[d] = 2, desc.periodic[d] = 1;
        desc.n_cells[0] = 16 / along_x, desc.n_blocks[0] = along_x;
        OK(halo_topology_create_blocks(rank.context, &desc, &handle_));
    }
    ~Blocks() { halo_topology_destroy(&handle_); }
    Blocks(const Blocks &) = delete;
    Blocks &operator=(const Blocks &) = delete;
    operator halo_topology *() const { return handle_; }

private:
    halo_topology *handle_ = nullptr;
};

constexpr halo_type types[] = { HALO_FLOAT64, HALO_FLOAT32, HALO_INT16, HALO_INT32, HALO_FLOAT64 };

// In a run: all but those that pack, and set aside what comes from the rank itself.
int64_t launches_that_combine(const halo_exchange_stats &stats, int n_runs) {
    return stats.device_launches / n_runs - (stats.n_peers > 0 ? 1 : 0) - (stats.channels_local > 0 ? 1 : 0);
}

// How many launches have combined in each run.
int64_t expect_same(Rank &rank, int32_t kind, halo_op op, int32_t centring) {
    const Blocks blocks(rank, 4, 4);
    std::deque<Twins> twins;
    std::vector<halo_field *> here, there;
    for (const halo_type type : types) {
        const Twins &one = twins.emplace_back(rank, blocks, type, centring, std::string("u").append(std::to_string(twins.size())));
        here.push_back(one.here());
        there.push_back(one.there());
    }
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.op = op;
    const RingExchange on_host(here, &desc), on_device(there, &desc);
    const late::Stream stream(twins.front().device());
    constexpr int n_turns = 4;
    for (int turn = 0; turn < n_turns; ++turn) {
        for (Twins &one : twins) one.fill(turn, stream);
        OK(halo_exchange_start(on_host, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(on_host, HALO_STREAM_NONE));
        OK(halo_exchange_start(on_device, nullptr, stream));
        OK(halo_exchange_finish(on_device, stream));
        for (const Twins &one : twins) one.expect_same(stream, kind == HALO_KIND_REVERSE ? "reverse" : "shared");
    }
    return launches_that_combine(on_device.stats(), n_turns);
}

void expect_launches(int64_t made, int64_t wanted) {
    if (made != wanted) stop("%lld launches combine, not %lld", static_cast<long long>(made), static_cast<long long>(wanted));
}

TEST(CombiningOnDevices, AllFieldsInOneLaunch) {
    for (const int32_t n_ranks : { 1, 2, 4 })
        run(n_ranks, late::settings(), [](Rank &rank) {
            expect_launches(expect_same(rank, HALO_KIND_REVERSE, HALO_SUM, HALO_CENTRE_CELL), 1);
            expect_launches(expect_same(rank, HALO_KIND_REVERSE, HALO_MIN, HALO_CENTRE_NODE), 1);
            expect_launches(expect_same(rank, HALO_KIND_SHARED_REDUCE, HALO_SUM, HALO_CENTRE_NODE), 1);
            expect_launches(expect_same(rank, HALO_KIND_SHARED_REDUCE, HALO_PROD, HALO_CENTRE_FACES), 1);
        });
}

// A launch for each field, and for each step.
TEST(CombiningOnDevices, ModulesOfBeforeCombineTableByTable) {
    run(2, late::settings({}, "seven"), [](Rank &rank) {
        expect_launches(expect_same(rank, HALO_KIND_REVERSE, HALO_SUM, HALO_CENTRE_CELL), std::ssize(types));
        expect_launches(expect_same(rank, HALO_KIND_SHARED_REDUCE, HALO_SUM, HALO_CENTRE_NODE), 2 * std::ssize(types));
    });
}

TEST(CombiningOnDevices, TransfersThatAdd) {
    run(2, late::settings(), [](Rank &rank) {
        const Blocks from(rank, 4, 4), to(rank, 4, 2);
        Twins a(rank, from, HALO_FLOAT64, HALO_CENTRE_CELL, "a"), b(rank, from, HALO_FLOAT32, HALO_CENTRE_CELL, "b");
        Twins c(rank, to, HALO_FLOAT64, HALO_CENTRE_CELL, "c"), d(rank, to, HALO_FLOAT32, HALO_CENTRE_CELL, "d");
        const late::Stream stream(a.device());
        halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
        desc.op = HALO_TRANSFER_ADD;
        for (int32_t &layers : desc.source_ghosts) layers = 1; // so that many meet
        halo_field *const sources[] = { a.here(), b.here() }, *const sums[] = { c.here(), d.here() };
        halo_field *const sources_there[] = { a.there(), b.there() }, *const sums_there[] = { c.there(), d.there() };
        halo_exchange *on_host = nullptr, *on_device = nullptr;
        OK(halo_exchange_create_transfer(sources, sums, 2, &desc, &on_host));
        OK(halo_exchange_create_transfer(sources_there, sums_there, 2, &desc, &on_device));
        constexpr int n_turns = 4;
        for (int turn = 0; turn < n_turns; ++turn) {
            int seed = 10 * turn;
            for (Twins *one : { &a, &b, &c, &d }) one->fill(seed++, stream);
            OK(halo_exchange_start(on_host, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(on_host, HALO_STREAM_NONE));
            OK(halo_exchange_start(on_device, nullptr, stream));
            OK(halo_exchange_finish(on_device, stream));
            for (const Twins *one : { &c, &d }) one->expect_same(stream, "transfer");
        }
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(on_device, &stats));
        expect_launches(launches_that_combine(stats, n_turns), 1);
        OK(halo_exchange_destroy(&on_host));
        OK(halo_exchange_destroy(&on_device));
    });
}

} // namespace
