// SPDX-License-Identifier: BSD-3-Clause
// libhalo and PetscSF as contenders.
#include <stdexcept>

#include "contenders.h"

namespace bench {

namespace {

class Libhalo final : public Contender {
public:
    Libhalo(const halo::Context &context, Work &work, Part part)
        : topology_(make_topology(context, work)),
          field_(make_field(topology_, work)),
          exchange_(make_exchange(field_, part)) {
        const std::span<const int64_t> gids = topology_.local_parts();
        if (std::ssize(gids) != work.n_local() || (!gids.empty() && gids.front() != work.first_local()))
            throw std::runtime_error("libhalo deals the blocks otherwise than the benchmark");
        bind(field_, work);
    }
    std::string name() const override { return "libhalo"; }
    void exchange() override { bench::exchange(exchange_); }
    std::optional<Counts> counts() override { return counts_of(exchange_); }

private:
    halo::Topology topology_;
    halo::Field field_;
    halo::Exchange exchange_;
};

// Every ghost value of the rank, by the storage that holds its source.
std::vector<Leaf> leaves_of(const Work &work) {
    const int64_t b = work.size().block, g = work.size().ghost, row = work.row();
    const auto side = [&](int64_t i) { return i < g ? -1 : i < g + b ? 0 : 1; };
    std::vector<Leaf> leaves;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for (int64_t c = 0; c < work.size().components; ++c)
            for (int64_t z = 0; z < row; ++z)
                for (int64_t y = 0; y < row; ++y)
                    for (int64_t x = 0; x < row; ++x) {
                        const Offset offset{ side(x), side(y), side(z) };
                        if (offset == Offset{ 0, 0, 0 }) continue;
                        const int64_t source = work.neighbour(gid, offset);
                        const int32_t rank = work.owner(source);
                        const int64_t from = ((c * row + z - offset[2] * b) * row + y - offset[1] * b) * row + x - offset[0] * b;
                        leaves.push_back(
                            { static_cast<int32_t>((gid - work.first_local()) * work.block_elements() + ((c * row + z) * row + y) * row + x), rank,
                              static_cast<int32_t>((source - work.first_of(rank)) * work.block_elements() + from) });
                    }
    return leaves;
}

class PetscSf final : public Contender {
public:
    PetscSf(Petsc &petsc, Work &work, const char *type)
        : work_(work),
          name_(std::string("PetscSF ") + type),
          forest_(petsc.star_forest(work.elements(), leaves_of(work), type)) {}
    std::string name() const override { return name_; }
    void exchange() override { forest_->exchange(work_.data()); }
    std::optional<Counts> counts() override { return std::nullopt; }

private:
    Work &work_;
    std::string name_;
    std::unique_ptr<StarForest> forest_;
};

} // namespace

halo::Topology make_topology(const halo::Context &context, const Work &work) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    for (int d = 0; d < 3; ++d) {
        desc.n_blocks[d] = work.size().cells / work.size().block;
        desc.n_cells[d] = work.size().block;
        desc.periodic[d] = 1;
    }
    return halo::Topology(context, desc);
}
halo::Field make_field(const halo::Topology &topology, const Work &work) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.n_components = work.size().components;
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = work.size().ghost;
    return halo::Field(topology, desc);
}
halo::Exchange make_exchange(const halo::Field &field, Part part) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.edges = part == Part::remote ? HALO_EDGES_REMOTE : HALO_EDGES_ALL;
    return halo::Exchange({ field }, desc);
}

void bind(halo::Field &field, const Work &work) {
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = work.data();
    field.bind_many(work.block_elements(), binding);
}

void exchange(halo::Exchange &exchange) {
    if (halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE) != HALO_SUCCESS || halo_exchange_finish(exchange, HALO_STREAM_NONE) != HALO_SUCCESS)
        throw std::runtime_error(halo_last_error());
}

Counts counts_of(halo::Exchange &exchange) {
    const halo_exchange_stats before = exchange.stats();
    bench::exchange(exchange);
    const halo_exchange_stats after = exchange.stats();
    return { after.n_peers, after.messages_sent - before.messages_sent, after.bytes_sent - before.bytes_sent, after.rows_compiled };
}

std::unique_ptr<Contender> make_libhalo(const halo::Context &context, Work &work, Part part) {
    return std::make_unique<Libhalo>(context, work, part);
}

std::unique_ptr<Contender> make_petsc(Petsc &petsc, Work &work, const char *type) { return std::make_unique<PetscSf>(petsc, work, type); }

} // namespace bench
