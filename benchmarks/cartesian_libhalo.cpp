// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "cartesian_contenders.h"

namespace bench {

namespace {

class CartesianLibhalo final : public Contender {
public:
    CartesianLibhalo(const halo::Topology &topology, CartesianWork &work, int32_t messages)
        : name_(messages == HALO_MESSAGES_PER_CHANNEL ? "libhalo, per channel" : "libhalo"),
          fields_(make_fields(topology, work, name_)),
          exchange_(make_exchange(fields_, messages)) {
        const int64_t gid = topology.local_parts().front();
        for (size_t f = 0; f < fields_.size(); ++f) fields_[f].bind(gid, work.field(static_cast<int32_t>(f)));
    }
    std::string name() const override { return name_; }
    void exchange() override { bench::exchange(exchange_); }
    std::optional<Counts> counts() override { return counts_of(exchange_); }

private:
    static std::vector<halo::Field> make_fields(const halo::Topology &topology, const CartesianWork &work, const std::string &of) {
        std::vector<halo::Field> fields;
        for (int32_t f = 0; f < work.size().fields; ++f) {
            const std::string name = of + ", field " + std::to_string(f);
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name.c_str();
            for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = work.size().ghost;
            fields.emplace_back(topology, desc);
        }
        return fields;
    }
    static halo::Exchange make_exchange(const std::vector<halo::Field> &fields, int32_t messages) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = messages;
        const std::vector<halo_field *> handles(fields.begin(), fields.end());
        return halo::Exchange(handles, desc);
    }

    std::string name_;
    std::vector<halo::Field> fields_;
    halo::Exchange exchange_;
};

} // namespace

halo::Topology cut_domain(const Session &session, const CartesianSize &size, const Index &per_side) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_parts_per_rank = 1;
    for (size_t d = 0; d < 3; ++d) {
        desc.domain.high[d] = per_side[d] * size.cells;
        desc.periodic[d] = 1;
    }
    return halo::Topology(session.context(), desc);
}

std::vector<Index> places_of(const halo::Topology &topology, const CartesianSize &size, int32_t n_ranks) {
    std::vector<Index> places;
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        const halo_part part = topology.part(rank);
        Index &place = places.emplace_back();
        for (size_t d = 0; d < 3; ++d) {
            place[d] = part.cells.low[d] / size.cells;
            if (part.rank != rank || part.cells.low[d] % size.cells != 0 || part.cells.high[d] - part.cells.low[d] != size.cells)
                throw std::runtime_error("libhalo cuts the domain otherwise than into one cube per rank");
        }
    }
    return places;
}

std::unique_ptr<Contender> make_cartesian_libhalo(const halo::Topology &topology, CartesianWork &work, int32_t messages) {
    return std::make_unique<CartesianLibhalo>(topology, work, messages);
}

} // namespace bench
