// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of blocks, of several fields at once, and of a batch of accesses that reads them.
#include <algorithm>

#include "halo_access.h"
#include "objects.h"

namespace programs {

using conformance::stop;

namespace {

class Blocks : public Object {
public:
    Blocks(Calls &calls, const ObjectCase &made, uint64_t seed) : calls_(calls), made_(made), seed_(seed), runs_(calls, made) {}

    void create() override {
        make_stores();
        std::vector<halo_field *> fields;
        for (const auto &stores : stores_) fields.push_back(stores->handle());
        const auto n = static_cast<int32_t>(fields.size());
        calls_.together(
            "exchange", [&] { return halo_exchange_create(fields.data(), n, &made_.desc, &runs_.exchange); }, [&] { runs_.destroy(); });
        check_given_back();
    }
    bool start(int64_t time) override {
        time_ = time;
        for (const auto &stores : stores_) stores->fill(0, time);
        return runs_.start();
    }
    bool finish() override {
        if (!runs_.finish()) return false;
        compare();
        if (made_.run.n_components != 0) ++calls_.features["narrowed components"];
        if (made_.run.depth != 0) ++calls_.features["narrowed depth"];
        if (made_.phases) ++calls_.features["phases"];
        if (made_.fields.size() > 1) ++calls_.features["several fields"];
        if (!made_.mask.empty()) ++calls_.features["field mask"];
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
        for (const FieldCase &field : made_.fields)
            stores_.push_back(std::make_unique<conformance::FieldStores>(topology_, made_.grid, calls_.rank, field, Random(seed_)));
    }
    void drop_stores() {
        for (auto &stores : stores_) {
            calls_.free("field", [&] { return stores->destroy_if_free(); });
            if (stores->field().bind == conformance::BindKind::allocate) continue;
            for (int32_t set = 0; set < stores->n_sets(); ++set) stores->fill(set, -1 - set);
            given_back_.push_back(std::move(stores));
        }
        stores_.clear();
        if (topology_) calls_.free("topology", [&] { return halo_topology_destroy(&topology_); });
    }
    // Storage of fields that have been destroyed is the program's: nothing is written there.
    void check_given_back() {
        for (const auto &stores : given_back_)
            if (const std::string difference = stores->first_difference(); !difference.empty())
                stop("written when it was the program's again: %s", difference.c_str());
        given_back_.clear();
    }
    // Ghosts that the run fills; all else is as it was.
    void compare() {
        const auto layers = [&](const conformance::Triple &cell) {
            int64_t most = 0;
            for (int d = 0; d < 3; ++d) most = std::max({ most, -cell[d], cell[d] - made_.grid.cells[d] + 1 });
            return most;
        };
        for (size_t i = 0; i < stores_.size(); ++i) {
            const bool takes_part = made_.mask.empty() || made_.mask[i] != 0;
            stores_[i]->expect_ghosts(0, time_, [&](int64_t, const conformance::Triple &cell, int32_t component) {
                const bool moves = made_.run.n_components == 0 || component == made_.run.first_component;
                return takes_part && moves && (made_.run.depth == 0 || layers(cell) <= made_.run.depth);
            });
            if (const std::string difference = stores_[i]->first_difference(); !difference.empty()) stop("a result is wrong: %s", difference.c_str());
        }
    }

    Calls &calls_;
    const ObjectCase &made_;
    uint64_t seed_;
    Runs runs_;
    halo_topology *topology_ = nullptr;
    std::vector<std::unique_ptr<conformance::FieldStores>> stores_; // of each field
    std::vector<std::unique_ptr<conformance::FieldStores>> given_back_;
    int64_t time_ = 0;
};

// A batch of accesses that reads ghosts.

class Batch final : public Blocks {
public:
    using Blocks::Blocks;
    void create() override {
        make_stores();
        check_given_back();
    }
    bool start(int64_t time) override {
        time_ = time;
        stores_[0]->fill(0, time);
        halo_field *field = stores_[0]->handle();
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

} // namespace programs
