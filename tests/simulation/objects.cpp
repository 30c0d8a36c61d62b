// SPDX-License-Identifier: BSD-3-Clause
#include "objects.h"

#include <algorithm>

#include "halo_access.h"

namespace programs {

using conformance::stop;
using conformance::text_of;

// ---- runs

bool Runs::start() {
    if (!made_.phases) return calls_.works("start", [&] { return halo_exchange_start(exchange, &made_.run, HALO_STREAM_NONE); });
    return calls_.works("post", [&] { return halo_exchange_post(exchange, &made_.run); }) &&
           calls_.works("send", [&] { return poll([&] { return halo_exchange_send(exchange, HALO_STREAM_NONE); }); });
}

bool Runs::finish() {
    if (!made_.phases) return calls_.works("finish", [&] { return halo_exchange_finish(exchange, HALO_STREAM_NONE); });
    const auto test = [&] {
        int32_t done = 0;
        const halo_status status = halo_exchange_test(exchange, &done);
        return status == HALO_SUCCESS && !done ? HALO_BUSY : status;
    };
    bool here = false;
    if (!calls_.works("test", [&] {
            const halo_status status = poll(test);
            here = status == HALO_SUCCESS;
            return status == HALO_BUSY ? HALO_SUCCESS : status;
        }))
        return false;
    return here && calls_.works("unpack", [&] { return halo_exchange_unpack(exchange, HALO_STREAM_NONE); }) &&
           calls_.works("refine", [&] { return halo_exchange_refine(exchange, HALO_STREAM_NONE); });
}

// HALO_BUSY: not within the time that the program allows.
halo_status Runs::poll(const Call &call) const {
    constexpr int most_looks = 400;
    halo_status status = HALO_BUSY;
    for (int look = 0; look < most_looks && (status = call()) == HALO_BUSY; ++look) simulation::sleep_for(5e-3);
    return status;
}

void Runs::destroy() {
    if (!exchange) return;
    halo_exchange_abandon(exchange); // refused where none is in flight
    calls_.free("exchange", [&] { return halo_exchange_destroy(&exchange); });
}

namespace {

// ---- blocks

class Blocks : public Object {
public:
    Blocks(Calls &calls, const ObjectCase &made, uint64_t seed) : calls_(calls), made_(made), seed_(seed), runs_(calls, made) {}

    void create() override {
        make_stores();
        halo_field *field = stores_->handle();
        calls_.together(
            "exchange", [&] { return halo_exchange_create(&field, 1, &made_.desc, &runs_.exchange); }, [&] { runs_.destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        stores_->fill(0, time);
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        compare();
        if (made_.run.n_components != 0) ++calls_.features["narrowed components"];
        if (made_.run.depth != 0) ++calls_.features["narrowed depth"];
        if (made_.phases) ++calls_.features["phases"];
        if (made_.desc.pattern == HALO_PATTERN_SWEEPS) ++calls_.features["sweeps"];
        return true;
    }
    void destroy() override {
        runs_.destroy();
        drop_stores();
    }

protected:
    void make_stores() {
        const halo_blocks_desc desc = made_.grid.desc();
        calls_.together(
            "topology", [&] { return halo_topology_create_blocks(calls_.context, &desc, &topology_); },
            [&] { calls_.free("topology", [&] { return halo_topology_destroy(&topology_); }); });
        stores_ = std::make_unique<conformance::FieldStores>(topology_, made_.grid, calls_.rank, made_.field, Random(seed_));
    }
    void drop_stores() {
        if (stores_) calls_.free("field", [&] { return stores_->destroy_if_free(); });
        stores_.reset();
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
    }
    // Ghosts that the run fills; all else is as it was.
    void compare() {
        const auto layers = [&](const conformance::Triple &cell) {
            int64_t most = 0;
            for (int d = 0; d < 3; ++d) most = std::max({ most, -cell[d], cell[d] - made_.grid.cells[d] + 1 });
            return most;
        };
        stores_->expect_ghosts(0, time_, [&](int64_t, const conformance::Triple &cell, int32_t component) {
            const bool moves = made_.run.n_components == 0 || component == made_.run.first_component;
            return moves && (made_.run.depth == 0 || layers(cell) <= made_.run.depth);
        });
        if (const std::string difference = stores_->first_difference(); !difference.empty()) stop("a result is wrong: %s", difference.c_str());
    }

    Calls &calls_;
    const ObjectCase &made_;
    uint64_t seed_;
    Runs runs_;
    halo_topology *topology_ = nullptr;
    std::unique_ptr<conformance::FieldStores> stores_;
    int64_t time_ = 0;
};

// ---- a batch of accesses that reads ghosts

class Batch final : public Blocks {
public:
    using Blocks::Blocks;
    void create() override { make_stores(); }
    bool start(int64_t time) override {
        time_ = time;
        stores_->fill(0, time);
        halo_field *field = stores_->handle();
        calls_.alone("mark fresh", [&] { return halo_access_mark_fresh(field, 0, HALO_ON_HOST); });
        calls_.alone("mark dirty", [&] { return halo_access_mark_dirty(field, 0, HALO_ON_HOST); });
        halo_access access = HALO_ACCESS_INIT;
        access.field = field, access.mode = HALO_READ, access.through = HALO_VIA_MAP;
        halo_status status = HALO_SUCCESS;
        const auto begin = [&] {
            return halo_access_begin(calls_.context, &access, 1, sizeof access, HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch_);
        };
        while ((status = calls_.judge("begin", begin)) == HALO_ERR_MEMORY && !batch_) {}
        return status == HALO_SUCCESS;
    }
    bool finish() override {
        if (!calls_.works("ready", [&] { return halo_access_ready(batch_); })) return false;
        compare();
        calls_.alone("end", [&] { return halo_access_end(batch_); });
        batch_ = nullptr;
        return true;
    }
    void destroy() override {
        if (batch_) halo_access_abandon(batch_);
        batch_ = nullptr;
        drop_stores();
    }

private:
    halo_batch *batch_ = nullptr;
};

} // namespace

std::unique_ptr<Object> make_blocks(Calls &calls, const ObjectCase &made, uint64_t seed) { return std::make_unique<Blocks>(calls, made, seed); }
std::unique_ptr<Object> make_batch(Calls &calls, const ObjectCase &made, uint64_t seed) { return std::make_unique<Batch>(calls, made, seed); }

// ---- a row of cells cut in two ways

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

// ---- sums over all ranks

double brought(int32_t rank, int64_t time, int64_t i) { return static_cast<double>((rank + 1) * (time + 3) + i); }

void compare_sums(const std::vector<double> &sums, int32_t n_ranks, int64_t time) {
    for (int64_t i = 0; i < std::ssize(sums); ++i) {
        double right = 0;
        for (int32_t rank = 0; rank < n_ranks; ++rank) right += brought(rank, time, i);
        if (sums[static_cast<size_t>(i)] != right) stop("sum %d is %g, not %g", static_cast<int>(i), sums[static_cast<size_t>(i)], right);
    }
}

class Reduction final : public Object {
public:
    Reduction(Calls &calls, const ObjectCase &made, int32_t n_ranks) : calls_(calls), made_(made), n_ranks_(n_ranks) {}

    void create() override {
        calls_.together(
            "reduction", [&] { return halo_reduction_create(calls_.context, made_.n_values, HALO_FLOAT64, HALO_SUM, &reduction_); },
            [&] { destroy(); });
    }
    bool start(int64_t time) override {
        time_ = time;
        std::vector<double> values;
        for (int64_t i = 0; i < made_.n_values; ++i) values.push_back(brought(calls_.rank, time, i));
        return calls_.works("begin", [&] { return halo_reduction_begin(reduction_, values.data()); });
    }
    bool finish() override {
        std::vector<double> sums(static_cast<size_t>(made_.n_values));
        if (!calls_.works("end", [&] { return halo_reduction_end(reduction_, sums.data()); })) return false;
        compare_sums(sums, n_ranks_, time_);
        return true;
    }
    void destroy() override {
        if (reduction_) calls_.free("reduction", [&] { return halo_reduction_destroy(&reduction_); });
    }

private:
    Calls &calls_;
    const ObjectCase &made_;
    int32_t n_ranks_;
    halo_reduction *reduction_ = nullptr;
    int64_t time_ = 0;
};

class Sums final : public Object {
public:
    Sums(Calls &calls, const ObjectCase &made, int32_t n_ranks) : calls_(calls), made_(made), n_ranks_(n_ranks) {}

    void create() override {}
    bool start(int64_t time) override {
        std::vector<double> values, sums(static_cast<size_t>(made_.n_values));
        for (int64_t i = 0; i < made_.n_values; ++i) values.push_back(brought(calls_.rank, time, i));
        calls_.talk("barrier", [&] { return halo_barrier(calls_.context); });
        calls_.talk("allreduce", [&] { return halo_allreduce(calls_.context, values.data(), sums.data(), made_.n_values, HALO_FLOAT64, HALO_SUM); });
        compare_sums(sums, n_ranks_, time);
        return true;
    }
    bool finish() override { return true; }
    void destroy() override {}

private:
    Calls &calls_;
    const ObjectCase &made_;
    int32_t n_ranks_;
};

} // namespace

std::unique_ptr<Object> make_transfer(Calls &calls, const ObjectCase &made) { return std::make_unique<Transfer>(calls, made); }
std::unique_ptr<Object> make_reduction(Calls &calls, const ObjectCase &made, int32_t n_ranks) {
    return std::make_unique<Reduction>(calls, made, n_ranks);
}
std::unique_ptr<Object> make_sums(Calls &calls, const ObjectCase &made, int32_t n_ranks) { return std::make_unique<Sums>(calls, made, n_ranks); }

} // namespace programs
