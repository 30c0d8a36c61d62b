// SPDX-License-Identifier: BSD-3-Clause
// Refluxing: a finer level of boxes makes several steps in one of the coarser; with the sums of its fluxes on the border (HALO_LEVELS_FLUXES) in
// place of the coarser level's own, what leaves one level arrives in the other. All amounts are whole numbers, so totals stay to the last bit.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "box_levels.h"
#include "ranks.h"

namespace {

using namespace levels;
using conformance::Rank;
using conformance::stop;

constexpr int64_t n_coarse = 24; // cells per direction of a periodic square

// A level, with what its cells hold and what goes through their faces.
class Level {
public:
    Level(const Rank &rank, const halo_boxes_desc &desc) : n_(desc.domain.high[0]) {
        OK(halo_topology_create_boxes(rank.context, &desc, &topology_));
        amounts_ = field("amounts", HALO_CENTRE_CELL);
        fluxes_ = field("fluxes", HALO_CENTRE_FACES);
        for_each_part([&](int64_t gid, const halo_box &box) {
            for_each_cell(box, [&](const Cell &cell) { at(amounts_, gid, box, cell, 0) = number(cell, 0, 0); });
        });
    }
    ~Level() {
        OK(halo_field_destroy(&amounts_));
        OK(halo_field_destroy(&fluxes_));
        OK(halo_topology_destroy(&topology_));
    }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;

    halo_field *fluxes() const { return fluxes_; }

    // What goes upwards through each face in a step, is added to what went through before.
    void flow(int32_t step) {
        for_each_face([&](double &flux, const Cell &face, int32_t direction) { flux += number(face, 1 + direction, step); });
    }
    // Each face stands for `width` such fluxes.
    void update(double width) {
        for_each_part([&](int64_t gid, const halo_box &box) {
            for_each_cell(box, [&](const Cell &cell) {
                for (int32_t d = 0; d < 2; ++d) {
                    Cell above = cell;
                    ++above[static_cast<size_t>(d)];
                    at(amounts_, gid, box, cell, 0) -= width * (at(fluxes_, gid, box, above, d) - at(fluxes_, gid, box, cell, d));
                }
            });
        });
    }
    // Of this rank's cells that no cell of the finer level covers.
    double total(const Level *finer) const {
        double all = 0;
        for_each_part([&](int64_t gid, const halo_box &) {
            std::array<halo_level_box, 256> rows;
            int64_t n = 0;
            OK(halo_field_level_boxes(amounts_, finer ? finer->topology_ : nullptr, gid, sizeof(halo_level_box), rows.data(), std::ssize(rows), &n));
            for (const halo_level_box &row : std::span(rows).first(static_cast<size_t>(n))) {
                if (row.kind != HALO_LEVEL_UNCOVERED && row.kind != HALO_LEVEL_BESIDE) continue;
                for_each_cell(row.cells, [&](const Cell &cell) { all += at(amounts_, gid, {}, cell, 0); });
            }
        });
        return all;
    }

private:
    halo_field *field(const char *name, int32_t centring) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.centring = centring;
        halo_field *made = nullptr;
        OK(halo_field_create(topology_, &desc, &made));
        OK(halo_field_allocate(made, -1));
        return made;
    }
    template <class Visit>
    void for_each_part(Visit &&visit) const {
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        for (int64_t i = 0; i < n; ++i) {
            halo_part part = HALO_PART_INIT;
            OK(halo_topology_part(topology_, gids[i], &part));
            visit(gids[i], part.cells);
        }
    }
    template <class Visit>
    void for_each_face(Visit &&visit) const {
        for_each_part([&](int64_t gid, const halo_box &box) {
            for (int32_t direction = 0; direction < 2; ++direction) {
                halo_box faces = box;
                ++faces.high[direction];
                for_each_cell(faces, [&](const Cell &face) { visit(at(fluxes_, gid, box, face, direction), face, direction); });
            }
        });
    }
    static double &at(const halo_field *field, int64_t gid, const halo_box &box, const Cell &point, int32_t place) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field, gid, &layout));
        OK(halo_field_data(field, gid, 0, &data));
        return static_cast<double *>(data)[layout.first_owned + (point[0] - box.low[0]) * layout.stride[0] +
                                           (point[1] - box.low[1]) * layout.stride[1] + place * layout.place_stride];
    }
    // The same wherever a point is met, so that copies of a face have one flux; a multiple of the finest ratio, so that means are whole.
    double number(const Cell &point, int32_t of, int32_t step) const {
        Random random(static_cast<uint64_t>(((point[0] % n_ * n_ + point[1] % n_) * 3 + of) * 100 + step));
        return 4 * (static_cast<double>(random() % 64) - 32);
    }

    int64_t n_;
    halo_topology *topology_ = nullptr;
    halo_field *amounts_ = nullptr;
    halo_field *fluxes_ = nullptr;
};

double total(const Rank &rank, const Level &coarse, const Level &fine) {
    const double here = coarse.total(&fine) + fine.total(nullptr);
    double all = 0;
    OK(halo_context_allreduce(rank.context, &here, &all, 1, HALO_FLOAT64, HALO_SUM));
    return all;
}

// By how much a step of the coarser level, and `ratio` of the finer one, change the total.
double change(const Rank &rank, int64_t ratio, bool refluxes) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.periodic[0] = desc.periodic[1] = 1;
    desc.domain.high[0] = desc.domain.high[1] = n_coarse, desc.n_parts_per_rank = 2;
    Level coarse(rank, desc);
    std::vector<halo_box> boxes{
        { { 8, 8, 0 }, { 12, 16, 1 } }, { { 12, 8, 0 }, { 18, 14, 1 } }, { { 22, 0, 0 }, { 24, 5, 1 } }, { { 0, 3, 0 }, { 4, 8, 1 } }
    };
    for (halo_box &box : boxes)
        for (int d = 0; d < 2; ++d) box.low[d] *= ratio, box.high[d] *= ratio;
    desc.domain.high[0] = desc.domain.high[1] = ratio * n_coarse, desc.boxes = boxes.data(), desc.n_boxes = std::ssize(boxes);
    Level fine(rank, desc);
    const double before = total(rank, coarse, fine);
    coarse.flow(0);
    for (int32_t step = 0; step < ratio; ++step) fine.flow(1 + step);
    fine.update(1);
    if (refluxes) {
        halo_levels_desc levels = HALO_LEVELS_DESC_INIT;
        levels.what = HALO_LEVELS_FLUXES;
        halo_field *const from = fine.fluxes(), *const to = coarse.fluxes();
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create_levels(&to, nullptr, &from, 1, &levels, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&exchange));
    }
    coarse.update(static_cast<double>(ratio));
    return total(rank, coarse, fine) - before;
}

class Refluxed : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Refluxed, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(Refluxed, TotalsStay) {
    for (const int64_t ratio : { 2, 4 })
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            if (const double changed = change(rank, ratio, true); changed != 0)
                stop("rank %d: the total has changed by %g at ratio %lld", rank.rank, changed, static_cast<long long>(ratio));
            if (change(rank, ratio, false) == 0) stop("the total stays without refluxing, too: what does this test?");
        });
}

} // namespace
