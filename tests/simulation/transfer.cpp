// SPDX-License-Identifier: BSD-3-Clause
// A row of cells that is cut in two ways.
#include "objects.h"

namespace programs {

using conformance::stop;

namespace {

class Transfer final : public Object {
public:
    Transfer(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made), runs_(calls, made) {}

    void create() override {
        for (int side = 0; side < 2; ++side) make_side(side);
        halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
        desc.messages = made_.desc.messages, desc.receive = made_.desc.receive, desc.timeout_seconds = made_.desc.timeout_seconds;
        calls_.together(
            "transfer", [&] { return halo_exchange_create_transfer(&fields_[0], &fields_[1], 1, &desc, &runs_.exchange); }, [&] { runs_.destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        for_cells(0, [&](int64_t cell, double &value) { value = right(cell); });
        for_cells(1, [&](int64_t, double &value) { value = -1; });
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        for (int side = 0; side < 2; ++side)
            for_cells(side, [&](int64_t cell, const double &value) {
                if (value != right(cell)) stop("cell %d is %g, not %g", static_cast<int>(cell), value, right(cell));
            });
        return true;
    }
    void destroy() override {
        runs_.destroy();
        for (int side = 0; side < 2; ++side) {
            if (fields_[side]) calls_.free("field", [&] { return halo_field_destroy(&fields_[side]); });
            if (topologies_[side]) calls_.free("topology", [&] { return halo_topology_destroy(&topologies_[side]); });
        }
    }

private:
    double right(int64_t cell) const { return static_cast<double>(100 * time_ + cell); }
    void make_side(int side) {
        const std::vector<int64_t> &cuts = made_.cuts[side];
        std::vector<halo_box> boxes;
        for (size_t i = 0; i + 1 < cuts.size(); ++i) boxes.push_back({ { cuts[i], 0, 0 }, { cuts[i + 1], 1, 1 } });
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1;
        desc.domain = { { 0, 0, 0 }, { cuts.back(), 1, 1 } };
        desc.boxes = boxes.data(), desc.n_boxes = std::ssize(boxes), desc.owner = made_.owners[side].data();
        calls_.together(
            "boxes", [&] { return halo_topology_create_boxes(calls_.context, &desc, &topologies_[side]); },
            [&] { calls_.free("topology", [&] { return halo_topology_destroy(&topologies_[side]); }); });
        halo_field_desc wanted = HALO_FIELD_DESC_INIT;
        wanted.name = side == 0 ? "from" : "to";
        calls_.together(
            "field", [&] { return halo_field_create(topologies_[side], &wanted, &fields_[side]); },
            [&] { calls_.free("field", [&] { return halo_field_destroy(&fields_[side]); }); });
        calls_.alone("allocate", [&] { return halo_field_allocate(fields_[side], -1); });
    }
    template <class Visit>
    void for_cells(int side, Visit &&visit) {
        for (size_t gid = 0; gid < made_.owners[side].size(); ++gid) {
            if (made_.owners[side][gid] != calls_.rank) continue;
            halo_layout layout = HALO_LAYOUT_INIT;
            void *data = nullptr;
            OK(halo_field_layout(fields_[side], static_cast<int64_t>(gid), &layout));
            OK(halo_field_data(fields_[side], static_cast<int64_t>(gid), 0, &data));
            for (int64_t cell = made_.cuts[side][gid]; cell < made_.cuts[side][gid + 1]; ++cell)
                visit(cell, static_cast<double *>(data)[layout.first_owned + (cell - made_.cuts[side][gid]) * layout.stride[0]]);
        }
    }

    Calls &calls_;
    const ObjectCase &made_;
    Runs runs_;
    halo_topology *topologies_[2] = {};
    halo_field *fields_[2] = {};
    int64_t time_ = 0;
};

} // namespace

std::unique_ptr<Object> make_transfer(Calls &calls, const ObjectCase &made) { return std::make_unique<Transfer>(calls, made); }

} // namespace programs
