// SPDX-License-Identifier: BSD-3-Clause
// Many sparse fields on blocks of three levels, of which each is where it is needed: time and bytes by the share of blocks that have storage.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "levels_work.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int64_t n_fields = 64, n_cells = 8, n_blocks = 512;

// Each field has one value on a run of blocks along the curve, each another run.
class SparseFields {
public:
    SparseFields(const Session &session, const halo::Forest &forest, int64_t percent)
        : forest_(forest),
          topology_(forest.topology(session.context())),
          n_allocated_((static_cast<int64_t>(forest.leaves().size()) * percent + 99) / 100),
          fields_(make_fields()),
          exchange_(make_exchange()) {
        for (int64_t f = 0; f < n_fields; ++f)
            for (const int64_t gid : topology_.local_parts())
                if (has(f, gid)) fill(f, gid);
    }
    void run() {
        exchange_.start();
        exchange_.finish();
    }
    halo_exchange_stats stats() const { return exchange_.stats(); }
    // Ghosts hold the field's value where all blocks around have it, and lie inside the domain.
    void verify() const {
        for (const int64_t gid : topology_.local_parts()) {
            const std::vector<halo_neighbour> others = topology_.neighbours(gid);
            for (int64_t f = 0; f < n_fields; ++f)
                if (has(f, gid) && std::ranges::all_of(others, [&](const halo_neighbour &other) { return has(f, other.gid); })) verify(f, gid);
        }
    }

private:
    int64_t n_leaves() const { return static_cast<int64_t>(forest_.leaves().size()); }
    bool has(int64_t field, int64_t gid) const { return (gid - field * n_leaves() / n_fields + n_leaves()) % n_leaves() < n_allocated_; }
    static double value(int64_t field) { return static_cast<double>(field + 1); }

    std::vector<halo::Field> make_fields() const {
        std::vector<halo::Field> fields;
        for (int64_t f = 0; f < n_fields; ++f) {
            const std::string name = std::string("u").append(std::to_string(f));
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name.c_str(), desc.sparse = 1;
            std::fill_n(desc.ghost_low, 3, n_ghosts);
            std::fill_n(desc.ghost_high, 3, n_ghosts);
            fields.emplace_back(topology_, desc);
            for (const int64_t gid : topology_.local_parts())
                if (has(f, gid)) fields.back().allocate(gid);
        }
        return fields;
    }
    static halo_status decline(void *, const halo_arrival *) { return HALO_DECLINED; }
    halo::Exchange make_exchange() const {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.arrival = decline; // storage stays as it is
        std::vector<halo_field *> all;
        for (const halo::Field &field : fields_) all.push_back(field);
        return halo::Exchange(all, desc);
    }
    template <class Visit>
    void visit(int64_t field, int64_t gid, Visit &&visit) const {
        const halo::Field &of = fields_[static_cast<size_t>(field)];
        const halo_layout at = of.layout(gid);
        double *const data = of.data(gid) + at.first_owned;
        for (int64_t z = -n_ghosts; z < n_cells + n_ghosts; ++z)
            for (int64_t y = -n_ghosts; y < n_cells + n_ghosts; ++y)
                for (int64_t x = -n_ghosts; x < n_cells + n_ghosts; ++x)
                    visit(data[x * at.stride[0] + y * at.stride[1] + z * at.stride[2]], Point{ x, y, z });
    }
    void fill(int64_t field, int64_t gid) const {
        visit(field, gid, [&](double &cell, const Point &at) {
            const bool owned = std::ranges::all_of(at, [](int64_t i) { return i >= 0 && i < n_cells; });
            cell = owned ? value(field) : -1;
        });
    }
    void verify(int64_t field, int64_t gid) const {
        const halo_part part = topology_.part(gid);
        const int64_t end = (forest_.desc().trees->n_roots[0] * n_cells) << part.level;
        visit(field, gid, [&](double &cell, const Point &at) {
            bool far = true;
            for (size_t d = 0; d < 3; ++d) far = far && part.cells.low[d] + at[d] >= 2 * n_ghosts && part.cells.low[d] + at[d] < end - 2 * n_ghosts;
            if (far && cell != value(field)) throw std::runtime_error("sparse fields on levels: a ghost has another value");
        });
    }

    const halo::Forest &forest_;
    halo::Topology topology_;
    int64_t n_allocated_; // blocks of each field
    std::vector<halo::Field> fields_;
    halo::Exchange exchange_;
};

} // namespace

void run_sparse_levels(const Session &session, const Options &options, Report &report) {
    report.begin("sparse fields on levels",
                 "64 fields on about 512 blocks of 8^3 cells on three levels, 2 ghosts; an exchange of all, by occupied blocks; medians");
    const halo::Forest forest = make_forest(n_cells, true, n_blocks, session.n_ranks());
    double full = 0;
    for (const int64_t percent : { 100, 25, 5, 0 }) {
        SparseFields fields(session, forest, percent);
        fields.run();
        const halo_exchange_stats before = fields.stats();
        std::vector<double> times;
        for (int i = 0; i < options.pairs; ++i) times.push_back(timed(session, [&] { fields.run(); }));
        const halo_exchange_stats after = fields.stats();
        fields.verify();
        std::array<int64_t, 3> counts{ after.payload_bytes + after.local_bytes - before.payload_bytes - before.local_bytes,
                                       after.sparse_sent - before.sparse_sent, after.sparse_null - before.sparse_null };
        session.sum(counts);
        const double time = median_of(times);
        if (percent == 100) full = time;
        report.row(Row()
                       .add("occupied %", percent)
                       .add("run us", time * microseconds)
                       .add("of 100 %", time / full)
                       .add("bytes moved", counts[0] / options.pairs)
                       .add("states sent", counts[1] / options.pairs)
                       .add("null", counts[2] / options.pairs));
    }
}

} // namespace bench
