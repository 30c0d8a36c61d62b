// SPDX-License-Identifier: BSD-3-Clause
// Sparse fields against a model of the whole grid: what is sent, what is null, what arrives without storage, what ghosts hold then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "placed.h"
#include "ranks.h"
#include "sparse_model.h"

namespace conformance {

namespace {

enum class Arrive : uint8_t { bind_in_callback, allocate_in_callback, decline_some, bind_from_list, drop_from_list };
constexpr int n_arrivals = 5;

constexpr size_t guard_bytes = 64;

// A sparse field on one rank.
class SparseStores {
public:
    SparseStores(halo_topology *topology, const SparseModel &model, int32_t rank, Random random) : model_(model), gids_(model.grid->local(rank)) {
        halo_field_desc desc = model.field.desc();
        desc.sparse = 1;
        desc.threshold = model.threshold;
        desc.fill = model.fill;
        OK(halo_field_create(topology, &desc, &handle_));
        const halo_layout shared = make_layout(model.field.layout, *model.grid, model.field, random);
        halo_binding layout_only = HALO_BINDING_INIT;
        layout_only.layout = &shared;
        for (const int64_t gid : gids_) {
            parts_[gid].layout = shared;
            OK(halo_field_bind(handle_, gid, &layout_only));
        }
    }
    void destroy() { OK(halo_field_destroy(&handle_)); }

    halo_field *handle() const { return handle_; }
    const SparseModel &model() const { return model_; }
    const std::vector<int64_t> &gids() const { return gids_; }

    void begin(int64_t time);
    // What a device writes into new storage comes by the stream.
    void bind(int64_t gid, halo_stream in);
    void allocate(int64_t gid, halo_stream in);
    void take(int64_t gid, halo_stream in) { gid % 2 == 0 ? bind(gid, in) : allocate(gid, in); }
    bool bound(int64_t gid) { return parts_[gid].data != nullptr; }
    // All owned cells get something else.
    void overwrite();
    // What the run must leave; `taken`: does an unallocated part to which data came get storage?
    template <class Taken>
    void expect(int64_t time, int32_t stencil, Taken &&taken);
    void compare();
    int64_t arrivals = 0; // expected in this run

private:
    struct Part {
        halo_layout layout;
        OwnMemory<std::byte> memory;
        std::byte *begin = nullptr; // of what is compared
        size_t bytes = 0;
        std::byte *data = nullptr;
        std::vector<std::byte> expected; // empty: no storage
    };
    std::byte *cell(Part &part, std::byte *base, const Triple &at, int64_t component) const {
        return base + element_at(part.layout, at, component) * model_.field.element_bytes;
    }
    std::byte *expected_base(Part &part) const { return part.expected.data() + (part.data ? part.data - part.begin : 0); }
    void fill_whole(Part &part) const;
    void give_region(Part &part, int64_t gid, const Triple &offset, int64_t time, bool null) const;

    const SparseModel &model_;
    halo_field *handle_ = nullptr;
    std::vector<int64_t> gids_;
    std::map<int64_t, Part> parts_;
};

void SparseStores::bind(int64_t gid, halo_stream in) {
    Part &part = parts_[gid];
    const auto bytes = static_cast<size_t>(part.layout.elements * model_.field.element_bytes);
    part.memory.assign(bytes + 2 * guard_bytes, std::byte{ 0x5a });
    part.begin = part.memory.data();
    part.bytes = part.memory.size();
    part.data = part.begin + guard_bytes;
    halo_binding binding = HALO_BINDING_INIT;
    place(binding, part.data);
    binding.layout = &part.layout;
    OK(halo_field_bind(handle_, gid, &binding));
    upload(part.begin, part.bytes, in);
}

void SparseStores::allocate(int64_t gid, halo_stream in) {
    if (skips("halo_field_allocate owns storage of the host: twins are bound")) return bind(gid, in);
    OK(halo_field_allocate(handle_, gid));
    Part &part = parts_[gid];
    void *data = nullptr;
    OK(halo_field_data(handle_, gid, 0, &data));
    part.layout = HALO_LAYOUT_INIT;
    OK(halo_field_layout(handle_, gid, &part.layout));
    part.begin = part.data = static_cast<std::byte *>(data);
    part.bytes = static_cast<size_t>(part.layout.elements * model_.field.element_bytes);
}

// Storage as the model has it at this time, owned cells with its values, the rest with a sentinel.
void SparseStores::begin(int64_t time) {
    Copies copies;
    for (const int64_t gid : gids_) {
        Part &part = parts_[gid];
        halo_binding nothing = HALO_BINDING_INIT;
        OK(halo_field_bind(handle_, gid, &nothing));
        part.data = nullptr;
        part.expected.clear();
        if (!model_.allocated(gid, time)) continue;
        take(gid, stream());
        std::fill_n(part.begin, part.bytes, std::byte{ 0x5a });
        for_each_cell(*model_.grid, model_.field.ghosts, [&](const Triple &at) {
            Triple global;
            if (side_of(*model_.grid, at) != Triple{} || !model_.grid->global_cell(gid, at, global)) return;
            for (int32_t component = 0; component < model_.field.n_components; ++component)
                model_.value(global, component, time, cell(part, part.data, at, component));
        });
        part.expected.assign(part.begin, part.begin + part.bytes);
        copies.up(part.begin, part.bytes);
    }
    copies.go();
}

void SparseStores::overwrite() {
    Copies copies;
    for (const int64_t gid : gids_) {
        Part &part = parts_[gid];
        if (part.expected.empty() || !model_.allocated(gid, -1)) continue;
        for_each_cell(*model_.grid, model_.field.ghosts, [&](const Triple &at) {
            if (side_of(*model_.grid, at) == Triple{})
                for (std::byte *base : { part.data, expected_base(part) })
                    std::memset(cell(part, base, at, 0), 0x33, static_cast<size_t>(model_.field.element_bytes));
            if (side_of(*model_.grid, at) == Triple{}) copies.up(cell(part, part.data, at, 0), static_cast<size_t>(model_.field.element_bytes));
        });
    }
    copies.go();
}

void SparseStores::fill_whole(Part &part) const {
    std::byte value[16];
    model_.fill_value(value);
    const size_t n = static_cast<size_t>(part.layout.elements);
    const auto size = static_cast<size_t>(model_.field.element_bytes);
    const bool guarded = part.data != part.begin;
    part.expected.assign(part.bytes, std::byte{ 0x5a });
    for (size_t i = 0; i < n; ++i) std::memcpy(part.expected.data() + (guarded ? guard_bytes : 0) + i * size, value, size);
}

void SparseStores::give_region(Part &part, int64_t gid, const Triple &offset, int64_t time, bool null) const {
    Triple low;
    Triple high;
    if (!model_.region(offset, low, high)) return;
    for (int64_t z = low[2]; z < high[2]; ++z)
        for (int64_t y = low[1]; y < high[1]; ++y)
            for (int64_t x = low[0]; x < high[0]; ++x)
                for (int32_t component = model_.first_component; component < model_.end_component(); ++component) {
                    Triple global;
                    model_.grid->global_cell(gid, { x, y, z }, global);
                    std::byte *into = cell(part, expected_base(part), { x, y, z }, component);
                    null ? model_.fill_value(into) : model_.value(global, component, time, into);
                }
}

template <class Taken>
void SparseStores::expect(int64_t time, int32_t stencil, Taken &&taken) {
    arrivals = 0;
    for (const int64_t gid : gids_) {
        Part &part = parts_[gid];
        std::vector<std::pair<Triple, bool>> regions; // offset, null
        bool data = false;
        for_each_offset(model_.grid->n_dims, [&](const Triple &offset) {
            if (!in_stencil(offset, stencil) || model_.grid->neighbour(gid, offset) < 0) return;
            regions.emplace_back(offset, model_.null_region(gid, offset, time));
            data = data || !regions.back().second;
        });
        const bool had_storage = model_.allocated(gid, time);
        arrivals += data && !had_storage;
        if (!had_storage && (!data || !taken(gid))) continue;
        if (!had_storage && !bound(gid)) stop("part %lld has no storage, but data came to it", static_cast<long long>(gid));
        if (!had_storage) fill_whole(part);
        for (const auto &[offset, null] : regions) give_region(part, gid, offset, time, null);
    }
}

void SparseStores::compare() {
    Copies copies;
    for (auto &[gid, part] : parts_)
        if (part.data) copies.down(part.begin, part.bytes);
    copies.go();
    for (const int64_t gid : gids_) {
        Part &part = parts_[gid];
        if (part.expected.empty() != (part.data == nullptr))
            stop("field %s, part %lld: %s", model_.field.name.c_str(), static_cast<long long>(gid),
                 part.data ? "it got storage and should not" : "it has no storage");
        if (!part.data || std::memcmp(part.begin, part.expected.data(), part.bytes) == 0) continue;
        size_t byte = 0;
        while (part.begin[byte] == part.expected[byte]) ++byte;
        stop("field %s (%s, threshold %g, fill %g), part %lld, %s: byte %zu of %zu is %02x, should be %02x", model_.field.name.c_str(),
             name_of(model_.field.type), model_.threshold, model_.fill, static_cast<long long>(gid), layout_name(model_.field.layout), byte,
             part.bytes, static_cast<unsigned>(part.begin[byte]), static_cast<unsigned>(part.expected[byte]));
    }
}

// So that a test that meets nothing is noticed.
struct Met {
    int64_t arrivals = 0;
    int64_t states = 0;
    int64_t nulls = 0;
};

struct SparseCase {
    Met met;
    uint64_t seed = 0;
    Grid grid;
    std::deque<SparseModel> models;
    bool with_dense = false;
    FieldCase dense;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    Arrive arrive = Arrive::bind_in_callback;
};

void make_sparse_case(SparseCase &made, uint64_t seed, int64_t number, int32_t n_ranks) {
    made.seed = seed + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
    Random random(made.seed);
    Grid &grid = made.grid;
    grid.n_dims = static_cast<int32_t>(number % 3 + 1);
    for (int d = 0; d < grid.n_dims; ++d) {
        grid.blocks[d] = pick(random, 1, grid.n_dims == 3 ? 3 : 4);
        grid.cells[d] = pick(random, 1, 4);
        grid.periodic[d] = chance(random, 0.6);
    }
    grid.number();
    if (chance(random, 0.5))
        grid.place_by_curve(n_ranks);
    else
        grid.place_at_random(n_ranks, random);
    const int64_t n_fields = pick(random, 1, 2);
    for (int64_t i = 0; i < n_fields; ++i) { // all types but HALO_BYTES
        const auto type = static_cast<halo_type>(HALO_FLOAT32 + (number + i * 5) % (HALO_BFLOAT16 - 1));
        made.models.push_back(make_sparse_model(grid, static_cast<size_t>(i), type < HALO_BYTES ? type : type + 1, random));
    }
    made.desc.messages = number / 2 % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL;
    made.desc.receive = number / 4 % 2 == 0 ? HALO_RECEIVE_POSTED : HALO_RECEIVE_PROBED;
    made.desc.stencil = static_cast<int32_t>(pick(random, 0, 2));
    made.arrive = static_cast<Arrive>(number % n_arrivals);
    made.with_dense = chance(random, 0.5);
    made.dense.name = "dense";
    made.dense.type = HALO_FLOAT32;
    made.dense.element_bytes = 4;
    for (int d = 0; d < grid.n_dims; ++d) made.dense.ghosts.low[d] = made.dense.ghosts.high[d] = 1;
}

class SparseRun {
public:
    SparseRun(const Rank &rank, SparseCase &made);
    void step(int64_t time);
    void destroy();

private:
    static halo_status on_arrival(void *user, const halo_arrival *arrival);
    bool takes(int64_t gid) const;
    halo_run narrow(int64_t time);
    void take_listed();
    void finish();
    void check_counters(int64_t time);
    SparseStores &stores_of(const halo_field *field);

    const Rank &rank_;
    SparseCase &made_;
    halo_topology *topology_ = nullptr;
    std::deque<SparseStores> sparse_;
    std::deque<FieldStores> dense_;
    halo_exchange *exchange_ = nullptr;
    int64_t told_ = 0;
    halo_exchange_stats last_ = HALO_EXCHANGE_STATS_INIT;
};

SparseRun::SparseRun(const Rank &rank, SparseCase &made) : rank_(rank), made_(made) {
    const halo_blocks_desc desc = made.grid.desc();
    OK(halo_topology_create_blocks(rank.context, &desc, &topology_));
    std::vector<halo_field *> handles;
    for (const SparseModel &model : made.models) {
        sparse_.emplace_back(topology_, model, rank.rank, Random(model.seed));
        handles.push_back(sparse_.back().handle());
    }
    if (made.with_dense) {
        dense_.emplace_back(topology_, made.grid, rank.rank, made.dense, Random(made.seed));
        handles.insert(handles.begin(), dense_[0].handle());
    }
    halo_exchange_desc exchange_desc = made.desc;
    if (made.arrive <= Arrive::decline_some) {
        exchange_desc.arrival = on_arrival;
        exchange_desc.arrival_user = this;
    }
    OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &exchange_desc, &exchange_));
    prepare_if_asked(exchange_);
}

SparseStores &SparseRun::stores_of(const halo_field *field) {
    for (SparseStores &stores : sparse_)
        if (stores.handle() == field) return stores;
    stop("an arrival for a field that is not sparse");
}

bool SparseRun::takes(int64_t gid) const {
    return made_.arrive == Arrive::drop_from_list ? false : made_.arrive == Arrive::decline_some ? gid % 3 != 0 : true;
}

halo_status SparseRun::on_arrival(void *user, const halo_arrival *arrival) {
    auto &self = *static_cast<SparseRun *>(user);
    ++self.told_;
    try {
        SparseStores &stores = self.stores_of(arrival->field);
        if (!self.takes(arrival->gid)) return HALO_DECLINED;
        self.made_.arrive == Arrive::allocate_in_callback ? stores.allocate(arrival->gid, finish_stream())
                                                          : stores.bind(arrival->gid, finish_stream());
        return HALO_SUCCESS;
    } catch (const Stop &reason) {
        ADD_FAILURE() << "in the callback: " << reason.text;
        return HALO_ERR_STATE;
    }
}

// In two calls: how many, then which.
void SparseRun::take_listed() {
    int64_t n = 0;
    OK(halo_exchange_arrivals(exchange_, nullptr, 0, &n));
    std::vector<halo_arrival> list(static_cast<size_t>(n));
    OK(halo_exchange_arrivals(exchange_, list.data(), n, &n));
    told_ += n;
    for (const halo_arrival &arrival : list)
        if (takes(arrival.gid)) stores_of(arrival.field).take(arrival.gid, finish_stream());
}

void SparseRun::finish() {
    if (made_.arrive <= Arrive::decline_some) return OK(halo_exchange_finish(exchange_, finish_stream()));
    int32_t done = 0;
    for (int64_t turns = 0; !done; ++turns) {
        OK(halo_exchange_test(exchange_, &done));
        std::this_thread::yield();
        if (turns > 200000000) stop("the run is never here");
    }
    take_listed();
    OK(halo_exchange_unpack(exchange_, finish_stream()));
    OK(halo_exchange_refine(exchange_, finish_stream()));
}

// Every other run is a narrowed one. A dense field has one component, which then stays with the run.
halo_run SparseRun::narrow(int64_t time) {
    Random random(made_.seed + static_cast<uint64_t>(time));
    halo_run run = HALO_RUN_INIT;
    if (time % 2 == 1) {
        int32_t fewest = made_.with_dense ? 1 : 8;
        for (const SparseModel &model : made_.models) fewest = std::min(fewest, model.field.n_components);
        run.depth = static_cast<int32_t>(pick(random, 0, 2));
        run.first_component = static_cast<int32_t>(pick(random, 0, fewest - 1));
        run.n_components = static_cast<int32_t>(pick(random, 0, fewest - run.first_component));
    }
    for (SparseModel &model : made_.models) {
        model.depth = run.depth;
        model.first_component = run.first_component;
        model.n_components = run.n_components;
    }
    return run;
}

void SparseRun::step(int64_t time) {
    const halo_run run = narrow(time);
    for (SparseStores &stores : sparse_) stores.begin(time);
    for (FieldStores &stores : dense_) stores.fill(0, time);
    told_ = 0;
    OK(halo_exchange_start(exchange_, &run, stream()));
    for (SparseStores &stores : sparse_) stores.overwrite();
    for (FieldStores &stores : dense_) stores.overwrite_owned(0);
    finish();
    int64_t arrivals = 0;
    for (SparseStores &stores : sparse_) {
        stores.expect(time, made_.desc.stencil, [&](int64_t gid) { return takes(gid); });
        arrivals += stores.arrivals;
        stores.compare();
    }
    for (FieldStores &stores : dense_) {
        stores.expect_ghosts(0, time,
                             [&](int64_t, const Triple &cell, int32_t) { return in_stencil(side_of(made_.grid, cell), made_.desc.stencil); });
        if (const std::string difference = stores.first_difference(); !difference.empty()) stop("%s", difference.c_str());
    }
    if (told_ != arrivals) stop("%lld arrivals were told, %lld expected", static_cast<long long>(told_), static_cast<long long>(arrivals));
    check_counters(time);
}

// Nothing but data travels: payload as the regions that are not null, besides alignment.
void SparseRun::check_counters(int64_t time) {
    int64_t states = 0;
    int64_t nulls = 0;
    int64_t least = 0;
    int64_t gaps = 0;
    const Grid &grid = made_.grid;
    const auto count = [&](const SparseModel &model, bool sparse) {
        for (int64_t receiver = 0; receiver < grid.n_blocks(); ++receiver)
            for_each_offset(grid.n_dims, [&](const Triple &offset) {
                const int64_t sender = in_stencil(offset, made_.desc.stencil) ? grid.neighbour(receiver, offset) : -1;
                const int64_t bytes = model.region_bytes(offset);
                if (sender < 0 || bytes == 0 || grid.owner[sender] != rank_.rank) return;
                const bool null = sparse && model.null_region(receiver, offset, time);
                states += sparse;
                nulls += null;
                if (!null && grid.owner[receiver] != rank_.rank) {
                    least += bytes;
                    gaps += made_.desc.messages == HALO_MESSAGES_AGGREGATE ? 15 : 0;
                }
            });
    };
    for (const SparseModel &model : made_.models) count(model, true);
    if (made_.with_dense) count({ &grid, made_.dense }, false);
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange_, &stats));
    const int64_t payload = stats.payload_bytes - last_.payload_bytes;
    if (stats.sparse_sent - last_.sparse_sent != states || stats.sparse_null - last_.sparse_null != nulls || payload < least ||
        payload > least + gaps)
        stop("%lld sparse states (%lld null) and %lld bytes of payload were sent, expected %lld (%lld) and %lld to %lld",
             static_cast<long long>(stats.sparse_sent - last_.sparse_sent), static_cast<long long>(stats.sparse_null - last_.sparse_null),
             static_cast<long long>(payload), static_cast<long long>(states), static_cast<long long>(nulls), static_cast<long long>(least),
             static_cast<long long>(least + gaps));
    last_ = stats;
    made_.met.arrivals += told_;
    made_.met.states += states;
    made_.met.nulls += nulls;
}

void SparseRun::destroy() {
    OK(halo_exchange_destroy(&exchange_));
    for (SparseStores &stores : sparse_) stores.destroy();
    for (FieldStores &stores : dense_) stores.destroy();
    OK(halo_topology_destroy(&topology_));
}

class Sparse : public testing::TestWithParam<int32_t> {};

TEST_P(Sparse, EqualsAModelOfTheWholeGrid) {
    const auto first_seed = static_cast<uint64_t>(number_from("CONFORMANCE_SEED", 20240301));
    const int64_t n_cases = number_from("CONFORMANCE_CASES", 150);
    std::mutex mutex;
    Met met;
    run(GetParam(), {}, [&](Rank &rank) {
        for (int64_t number = 0; number < n_cases; ++number) {
            SparseCase made;
            make_sparse_case(made, first_seed, number, rank.size);
            begin_case(made.seed);
            try {
                SparseRun one(rank, made);
                for (int64_t time = 0; time < 4; ++time) one.step(time);
                one.destroy();
                const std::lock_guard lock(mutex);
                met.arrivals += made.met.arrivals;
                met.states += made.met.states;
                met.nulls += made.met.nulls;
            } catch (const Stop &reason) {
                stop("sparse case %lld, seed %llu: %s, arrivals %d, messages %d, receive %d: %s", static_cast<long long>(number),
                     static_cast<unsigned long long>(made.seed), made.grid.describe().c_str(), static_cast<int>(made.arrive), made.desc.messages,
                     made.desc.receive, reason.text.c_str());
            }
        }
    });
    std::printf("%lld cases: %lld states, %lld of them null, %lld arrivals\n", static_cast<long long>(n_cases), static_cast<long long>(met.states),
                static_cast<long long>(met.nulls), static_cast<long long>(met.arrivals));
    EXPECT_GT(met.nulls, 0);
    EXPECT_GT(met.states - met.nulls, 0);
    EXPECT_GT(met.arrivals, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sparse, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
