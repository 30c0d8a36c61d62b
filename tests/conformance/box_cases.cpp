// SPDX-License-Identifier: BSD-3-Clause
// Random cases over boxes against the model. Whole buffers are compared, so that points that must not be touched are too.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "box_coverage.h"
#include "box_stores.h"
#include "ranks.h"

namespace conformance {

namespace {

// The parts that the library has cut are the model's from then on.
void adopt_parts(BoxModel &model, const halo_topology *topology) {
    for (int64_t gid = 0; gid < model.n_parts(); ++gid) {
        halo_part part = HALO_PART_INIT;
        OK(halo_topology_part(topology, gid, &part));
        model.parts[gid].cells = part.cells;
        model.parts[gid].owner = part.rank;
    }
}

class BoxCaseRun {
public:
    BoxCaseRun(const Rank &rank, const BoxCase &made) : made_(made), model_(made.model) {
        topology_ = model_.create(rank.context, rank.rank);
        if (model_.form == BoxForm::cut) adopt_parts(model_, topology_);
        std::vector<halo_field *> handles;
        for (size_t i = 0; i < made.fields.size(); ++i) {
            BoxStores &stores = fields_.emplace_back(topology_, model_, rank.rank, made.fields[i], static_cast<int64_t>(i));
            handles.push_back(stores.handle());
            for (const int32_t bits : made.fields[i].places(model_.n_dims))
                points_.push_back(shared_points(model_, { bits, made.fields[i].ghosts, made.desc.stencil, made.desc.shared }));
        }
        halo_exchange_desc desc = made.desc;
        desc.combine = combine_by_user;
        OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &desc, &exchange_));
        prepare_if_asked(exchange_);
    }

    void run(const BoxRun &narrow, int64_t time);
    void destroy() {
        OK(halo_exchange_destroy(&exchange_));
        for (BoxStores &stores : fields_) stores.destroy();
        OK(halo_topology_destroy(&topology_));
    }

private:
    void start(const halo_run &run);
    void finish();
    void expect(BoxStores &stores, const BoxRun &narrow, int64_t time);
    void expect_point(BoxStores &stores, halo_op op, int32_t place, int32_t component, const SharedPoint &point, const std::vector<Copy> &copies,
                      int64_t time);
    bool is_reached(const Copy &copy, int32_t bits, const BoxRun &narrow) const;

    const BoxCase &made_;
    BoxModel model_;
    halo_topology *topology_ = nullptr;
    std::deque<BoxStores> fields_;
    std::vector<std::vector<SharedPoint>> points_; // by field and place
    halo_exchange *exchange_ = nullptr;
};

void BoxCaseRun::start(const halo_run &run) {
    if (!made_.phases) return OK(halo_exchange_start(exchange_, &run, stream()));
    OK(halo_exchange_post(exchange_, &run));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    halo_status status;
    while ((status = halo_exchange_send(exchange_, stream())) == HALO_BUSY) {
        if (std::chrono::steady_clock::now() > end) stop("send stays busy");
        std::this_thread::yield();
    }
    OK(status);
}

void BoxCaseRun::finish() {
    if (!made_.phases) return OK(halo_exchange_finish(exchange_, finish_stream()));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int32_t done = 0; !done;) {
        OK(halo_exchange_test(exchange_, &done));
        if (std::chrono::steady_clock::now() > end) stop("nothing comes");
        std::this_thread::yield();
    }
    OK(halo_exchange_unpack(exchange_, finish_stream()));
    OK(halo_exchange_refine(exchange_, finish_stream()));
}

// Does a run go as far out into the ghosts as a copy lies?
bool BoxCaseRun::is_reached(const Copy &copy, int32_t bits, const BoxRun &narrow) const {
    const Triple n = model_.points(copy.gid, bits);
    bool reached = true;
    for (size_t d = 0; d < 3; ++d) {
        const int64_t below = -copy.at[d], above = copy.at[d] - n[d] + 1;
        if (narrow.depth > 0) reached = reached && below <= narrow.depth && above <= narrow.depth;
        if (narrow.has_ghosts) reached = reached && below <= narrow.low[d] && above <= narrow.high[d];
    }
    return reached;
}

void BoxCaseRun::expect_point(BoxStores &stores, halo_op op, int32_t place, int32_t component, const SharedPoint &point,
                              const std::vector<Copy> &copies, int64_t time) {
    const BoxField &field = stores.field();
    const auto value_of = [&](const Copy &copy, std::byte *into) {
        make_value(field, { stores.number(), copy.gid, place, component, copy.at, time }, into);
    };
    AnyValue result{};
    AnyValue other{};
    value_of(point.owner, result.data());
    const bool sorted = made_.desc.combine_order == HALO_COMBINE_CANONICAL && (op == HALO_SUM || op == HALO_PROD);
    if (made_.desc.kind != HALO_KIND_GHOSTS && sorted) {
        std::vector<AnyValue> values(copies.size() + 1, AnyValue{});
        for (size_t i = 0; i < copies.size(); ++i) value_of(copies[i], values[i].data());
        values.back() = result;
        if (!copies.empty()) result = combine_by_value(field, op, std::move(values));
    } else if (made_.desc.kind != HALO_KIND_GHOSTS)
        for (const Copy &copy : copies) {
            value_of(copy, other.data());
            combine_values(field, op, result.data(), other.data());
        }
    const auto put = [&](const Copy &copy) {
        if (stores.is_local(copy.gid)) std::copy_n(result.begin(), field.element_bytes, stores.expected(copy.gid, place, component, copy.at));
    };
    if (made_.desc.kind != HALO_KIND_GHOSTS) put(point.owner);
    if (made_.desc.kind != HALO_KIND_REVERSE)
        for (const Copy &copy : copies) put(copy);
}

void BoxCaseRun::expect(BoxStores &stores, const BoxRun &narrow, int64_t time) {
    const std::vector<int32_t> places = stores.field().places(model_.n_dims);
    size_t list = 0;
    for (int64_t field = 0; field < stores.number(); ++field) list += made_.fields[static_cast<size_t>(field)].places(model_.n_dims).size();
    const int32_t end = narrow.n_components > 0 ? narrow.first_component + narrow.n_components : stores.field().n_components;
    for (int32_t place = 0; place < std::ssize(places); ++place, ++list)
        for (const SharedPoint &point : points_[list]) {
            std::vector<Copy> copies;
            for (const Copy &copy : point.copies)
                if (is_reached(copy, places[static_cast<size_t>(place)], narrow)) copies.push_back(copy);
            for (int32_t component = narrow.first_component; component < end; ++component)
                expect_point(stores, narrow.op != 0 ? narrow.op : made_.desc.op, place, component, point, copies, time);
        }
}

void BoxCaseRun::run(const BoxRun &narrow, int64_t time) {
    halo_run run = HALO_RUN_INIT;
    run.first_component = narrow.first_component;
    run.n_components = narrow.n_components;
    run.depth = narrow.depth;
    run.has_ghosts = narrow.has_ghosts;
    std::ranges::copy(narrow.low, run.ghost_low);
    std::ranges::copy(narrow.high, run.ghost_high);
    run.op = narrow.op;
    run.n_fields = static_cast<int32_t>(narrow.mask.size()), run.field_mask = narrow.mask.empty() ? nullptr : narrow.mask.data();
    for (BoxStores &stores : fields_) stores.fill(time + stores.number());
    start(run);
    for (BoxStores &stores : fields_) {
        if (!narrow.mask.empty() && !narrow.mask[static_cast<size_t>(stores.number())]) continue;
        // what start has read may change: owned points that send, ghosts that contribute
        const bool keep = made_.desc.shared == HALO_SHARED_KEEP;
        if (keep && made_.desc.kind == HALO_KIND_GHOSTS) stores.overwrite(true, time + 1000);
        if (keep && made_.desc.kind == HALO_KIND_REVERSE) stores.overwrite(false, time + 1000);
        expect(stores, narrow, time + stores.number());
    }
    finish();
    for (BoxStores &stores : fields_)
        if (const std::string difference = stores.first_difference(); !difference.empty())
            stop("%s\nrun at time %lld of %s", difference.c_str(), static_cast<long long>(time), made_.describe().c_str());
}

bool devices_refuse(const BoxCase &made) {
    if (made.desc.kind == HALO_KIND_GHOSTS) return false;
    const auto by_user = [](const BoxRun &run) { return run.op == HALO_USER; };
    if (made.desc.op == HALO_USER || std::any_of(made.runs.begin(), made.runs.end(), by_user))
        return skips("HALO_USER: functions of programs combine on the host");
    return made.desc.combine_order == HALO_COMBINE_CANONICAL && skips("HALO_COMBINE_CANONICAL: canonical sums are the host's");
}

class BoxCases : public testing::TestWithParam<int32_t> {};

TEST_P(BoxCases, EqualTheModel) {
    const int64_t n_cases = number_from("CONFORMANCE_BOX_CASES", default_box_cases);
    const auto seed = static_cast<uint64_t>(number_from("CONFORMANCE_SEED", 20260731));
    const int64_t only = number_from("CONFORMANCE_BOX_ONLY", -1);
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (int64_t number = only >= 0 ? only : 0; number < (only >= 0 ? only + 1 : n_cases); ++number) {
            const BoxCase made = make_box_case(seed, number, rank.size);
            if (devices_refuse(made)) continue;
            begin_case(static_cast<uint64_t>(number));
            try {
                BoxCaseRun run(rank, made);
                for (size_t i = 0; i < made.runs.size(); ++i) run.run(made.runs[i], static_cast<int64_t>(10 * i));
                run.destroy();
            } catch (const Stop &reason) {
                stop("case %lld (CONFORMANCE_BOX_ONLY): %s", static_cast<long long>(number), reason.text.c_str());
            }
            if (prints(rank)) box_coverage().count(made, number);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BoxCases, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
