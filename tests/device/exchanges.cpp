// SPDX-License-Identifier: BSD-3-Clause
// Exchanges over fields on devices: what waits for what, on one stream and on several.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "late/on_device.h"

namespace {

using namespace conformance;

// A ring of blocks along x, one each rank, of `n` cells with `ghosts` on both sides.
class Ring {
public:
    Ring(Rank &rank, int64_t n, int32_t ghosts) : rank_(rank), n_(n), ghosts_(ghosts) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1;
        desc.n_blocks[0] = rank.size;
        desc.n_cells[0] = n;
        desc.periodic[0] = 1;
        OK(halo_topology_create_blocks(rank.context, &desc, &topology_));
    }
    ~Ring() { halo_topology_destroy(&topology_); }

    halo_field *field(const char *name, bool sparse = false) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_FLOAT64;
        desc.ghost_low[0] = desc.ghost_high[0] = ghosts_;
        desc.sparse = sparse;
        desc.fill = -7;
        halo_field *made = nullptr;
        OK(halo_field_create(topology_, &desc, &made));
        return made;
    }
    size_t size() const { return static_cast<size_t>(n_ + 2 * ghosts_); }
    // Owned cells of this rank; ghosts hold -1.
    std::vector<double> values(double shift = 0) const {
        std::vector<double> values(size(), -1);
        for (int64_t i = 0; i < n_; ++i) values[static_cast<size_t>(ghosts_ + i)] = shift + static_cast<double>(rank_.rank * n_ + i);
        return values;
    }
    std::vector<double> exchanged(double shift = 0) const {
        std::vector<double> values(size());
        for (int64_t i = 0; i < std::ssize(values); ++i)
            values[static_cast<size_t>(i)] = shift + static_cast<double>((rank_.rank * n_ + i - ghosts_ + n_ * rank_.size) % (n_ * rank_.size));
        return values;
    }

private:
    Rank &rank_;
    int64_t n_;
    int32_t ghosts_;
    halo_topology *topology_ = nullptr;
};

void bind(halo_field *field, int64_t gid, void *data, int32_t memory = HALO_MEMORY_DEVICE, int32_t device = 0) {
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = data;
    binding.memory = memory;
    binding.device = device;
    OK(halo_field_bind(field, gid, &binding));
}

TEST(Exchanges, OneStream) {
    run(2, late::settings(), [](Rank &rank) {
        Ring ring(rank, 16, 2);
        halo_field *field = ring.field("u");
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        const late::Array<double> u(rank.context, ring.size());
        const late::Stream stream(u.device());
        bind(field, rank.rank, u.data());
        for (int turn = 0; turn < 20; ++turn) {
            u.write(ring.values(turn), stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            if (u.read(stream) != ring.exchanged(turn)) stop("turn %d differs", turn);
        }
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
    });
}

} // namespace
