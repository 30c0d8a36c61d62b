// SPDX-License-Identifier: BSD-3-Clause
// Which parts of sparse fields have storage, run by run, when it is released by age and follows a controller: against a model of the whole grid, for
// every number of ranks and policy. And what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "ranks.h"

namespace conformance {

namespace {

constexpr int64_t n_x = 6, n_y = 5, n_blocks = n_x * n_y, n_cells = 3, n_runs = 40;
constexpr double threshold = 1, release_below = 0.25, fill = -3;

uint64_t drawn(std::initializer_list<int64_t> numbers) {
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (const int64_t n : numbers) h = (h ^ static_cast<uint64_t>(n)) * 0xBF58476D1CE4E5B9u, h ^= h >> 29;
    return h >> 8;
}

struct Case {
    int64_t release_after;
    bool per_channel, probed, calls_back, by_phases;
    halo_type type;
};

enum Which : int64_t { controller, controlled };

// Which fields take part in a run: both, or one alone.
std::array<int32_t, 2> mask_of(int64_t time) {
    if (time % 5 == 3) return { 0, 1 };
    return { 1, time % 4 == 1 ? 0 : 1 };
}

// All of a block holds one value at a time, most of them small ones: blocks fall silent for a while. What is controlled has more to say where it is
// alone.
double value_of(Which which, int64_t gid, int64_t time) {
    if (which == controlled && mask_of(time)[controller] == 0 && drawn({ gid, time, 6 }) % 5 == 0) return 2;
    constexpr double values[] = { 0, 0.125, 0.125, 0, 0.5, 2 };
    const bool is_loud = drawn({ which, gid, time / 7 }) % 8 == 0;
    return values[drawn({ which, gid, time, 1 }) % (is_loud ? 6 : 4)];
}

// Blocks that are given storage before a run, if they have none.
bool is_given(int64_t gid, int64_t time) { return drawn({ gid, time, 4 }) % 40 == 0; }

bool declines(int64_t gid, int64_t time) { return drawn({ gid, time, 2 }) % 11 == 0; }

// Serially. Both fields have storage in the same blocks.
struct Model {
    explicit Model(int64_t release_after) : n(release_after) {
        for (int64_t gid = 0; gid < n_blocks; ++gid) has[static_cast<size_t>(gid)] = drawn({ gid, 3 }) % 3 == 0;
    }
    bool is_data(Which which, int64_t gid, int64_t time) const {
        return mask_of(time)[which] != 0 && has[static_cast<size_t>(gid)] && value_of(which, gid, time) >= threshold;
    }
    bool is_small(int64_t gid, int64_t time) const { return has[static_cast<size_t>(gid)] && value_of(controller, gid, time) < release_below; }
    void give(int64_t gid) {
        const auto b = static_cast<size_t>(gid);
        if (!has[b]) has[b] = true, age[b] = 0, has_heard[b] = false;
    }
    // Those that lose their storage as the run starts.
    void start(int64_t time) {
        small.fill(false);
        for (int64_t gid = 0; gid < n_blocks; ++gid) {
            const auto b = static_cast<size_t>(gid);
            if (mask_of(time)[controller] == 0 || !is_small(gid, time)) continue;
            if (age[b] >= n && !has_heard[b])
                has[b] = false, age[b] = 0, ++n_released;
            else
                small[b] = true;
        }
    }
    void finish(int64_t time) {
        std::array<bool, n_blocks> hears{};
        for (int64_t gid = 0; gid < n_blocks; ++gid)
            for (int64_t dy = -1; dy <= 1; ++dy)
                for (int64_t dx = -1; dx <= 1; ++dx) {
                    if (dx == 0 && dy == 0) continue;
                    const int64_t other = (gid % n_x + dx + n_x) % n_x + n_x * ((gid / n_x + dy + n_y) % n_y);
                    if (is_data(controller, other, time) || is_data(controlled, other, time)) hears[static_cast<size_t>(gid)] = true;
                }
        for (int64_t gid = 0; gid < n_blocks; ++gid) {
            const auto b = static_cast<size_t>(gid);
            if (has[b]) {
                has_heard[b] = has_heard[b] || hears[b]; // in runs without the controller too
                if (mask_of(time)[controller] != 0) age[b] = small[b] && !has_heard[b] ? age[b] + 1 : 0, has_heard[b] = false;
            } else if (hears[b]) {
                ++n_arrivals;
                has[b] = !declines(gid, time), age[b] = 0;
                is_new[b] = has[b];
            }
        }
    }
    int64_t n;
    std::array<bool, n_blocks> has{}, has_heard{}, small{}, is_new{};
    std::array<int64_t, n_blocks> age{};
    int64_t n_released = 0, n_arrivals = 0;
};

class World {
public:
    World(const Rank &rank, const Case &of) : of_(of), model_(of.release_after == 0 ? n_runs + 1 : of.release_after) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2, blocks.n_blocks[0] = n_x, blocks.n_blocks[1] = n_y, blocks.order = HALO_ORDER_ROWS;
        for (int d = 0; d < 2; ++d) blocks.n_cells[d] = n_cells, blocks.periodic[d] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u", desc.type = of.type, desc.n_sets = 2, desc.sparse = 1, desc.threshold = threshold, desc.fill = fill;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
        desc.release_after = of.release_after, desc.release_below = release_below;
        OK(halo_field_create(topology_, &desc, &fields_[controller]));
        desc.name = "w", desc.release_after = 0, desc.n_sets = 1, desc.controller = "u";
        OK(halo_field_create(topology_, &desc, &fields_[controlled]));
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AGGREGATE;
        how.receive = of.probed ? HALO_RECEIVE_PROBED : HALO_RECEIVE_POSTED;
        if (of.calls_back) how.arrival = arrives, how.arrival_user = this;
        OK(halo_exchange_create(fields_, 2, &how, &exchange_));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        gids_.assign(gids, gids + n);
        for (const int64_t gid : gids_)
            if (model_.has[static_cast<size_t>(gid)]) OK(halo_field_allocate(fields_[controller], gid));
    }
    ~World() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&fields_[controlled]), halo_field_destroy(&fields_[controller]);
        halo_topology_destroy(&topology_);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    void step(int64_t time) {
        time_ = time, told_.clear();
        for (int64_t gid = 0; gid < n_blocks; ++gid) {
            const bool is_here = std::find(gids_.begin(), gids_.end(), gid) != gids_.end();
            if (!is_given(gid, time)) continue;
            if (is_here && !model_.has[static_cast<size_t>(gid)]) OK(halo_field_allocate(fields_[controller], gid));
            model_.give(gid);
        }
        for (const int64_t gid : gids_)
            for (const Which which : { controller, controlled })
                for (int32_t set = 0; set < (which == controller ? 2 : 1); ++set) store(which, gid, set, value_of(which, gid, time));
        const std::array<int32_t, 2> mask = mask_of(time);
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 2, run.field_mask = mask.data();
        model_.start(time), model_.is_new.fill(false);
        if (of_.by_phases) {
            OK(halo_exchange_post(exchange_, &run));
            compare("post");
            for (halo_status sent = HALO_BUSY; sent == HALO_BUSY;)
                if ((sent = halo_exchange_send(exchange_, HALO_STREAM_NONE)) != HALO_BUSY) OK(sent);
        } else {
            OK(halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
            compare("start");
        }
        model_.finish(time);
        if (!of_.calls_back) take_listed();
        if (of_.by_phases) {
            for (int32_t done = 0; done == 0;) OK(halo_exchange_test(exchange_, &done));
            OK(halo_exchange_unpack(exchange_, HALO_STREAM_NONE));
            OK(halo_exchange_refine(exchange_, HALO_STREAM_NONE));
        } else {
            OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        }
        compare("the run");
        for (const int64_t gid : gids_)
            if (model_.is_new[static_cast<size_t>(gid)])
                for (const Which which : { controller, controlled })
                    if (is_stored(which, gid, 0, fill) == 0)
                        stop("run %lld, part %lld: new storage is not filled", at(), static_cast<long long>(gid));
    }
    const Model &model() const { return model_; }

private:
    long long at() const { return static_cast<long long>(time_); }
    void *data(Which which, int64_t gid, int32_t set) const {
        void *data = nullptr;
        OK(halo_field_data(fields_[which], gid, set, &data));
        return data;
    }
    template <class Visit>
    void owned(Which which, int64_t gid, Visit &&visit) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(fields_[which], gid, &layout));
        for (int64_t y = 0; y < n_cells; ++y)
            for (int64_t x = 0; x < n_cells; ++x) visit(layout.first_owned + x * layout.stride[0] + y * layout.stride[1]);
    }
    void store(Which which, int64_t gid, int32_t set, double value) const {
        void *const to = data(which, gid, set);
        if (to)
            owned(which, gid, [&](int64_t i) {
                if (of_.type == HALO_FLOAT32)
                    static_cast<float *>(to)[i] = static_cast<float>(value);
                else if (of_.type == HALO_BFLOAT16)
                    static_cast<uint16_t *>(to)[i] = bfloat(value);
                else
                    static_cast<double *>(to)[i] = value;
            });
    }
    static uint16_t bfloat(double value) { // exactly, as values here are
        const auto single = static_cast<float>(value);
        uint32_t bits = 0;
        std::memcpy(&bits, &single, sizeof bits);
        return static_cast<uint16_t>(bits >> 16);
    }
    int is_stored(Which which, int64_t gid, int32_t set, double value) const {
        const void *const from = data(which, gid, set);
        bool all = from != nullptr;
        if (from)
            owned(which, gid, [&](int64_t i) {
                all = all && (of_.type == HALO_FLOAT32    ? static_cast<const float *>(from)[i] == static_cast<float>(value)
                              : of_.type == HALO_BFLOAT16 ? static_cast<const uint16_t *>(from)[i] == bfloat(value)
                                                          : static_cast<const double *>(from)[i] == value);
            });
        return all;
    }
    void compare(const char *after) const {
        for (const int64_t gid : gids_)
            for (const Which which : { controller, controlled })
                for (int32_t set = 0; set < (which == controller ? 2 : 1); ++set)
                    if ((data(which, gid, set) != nullptr) != model_.has[static_cast<size_t>(gid)])
                        stop("release_after %lld, run %lld, after %s, part %lld of %s, set %d: storage is %p",
                             static_cast<long long>(of_.release_after), at(), after, static_cast<long long>(gid), which == controller ? "u" : "w",
                             set, data(which, gid, set));
    }
    halo_status take(const halo_arrival &arrival) {
        if (arrival.field != fields_[controller]) return HALO_ERR_ARGUMENT; // all of them are told by its name
        if (std::find(told_.begin(), told_.end(), arrival.gid) != told_.end()) return HALO_ERR_EXISTS;
        told_.push_back(arrival.gid);
        return declines(arrival.gid, time_) ? HALO_DECLINED : halo_field_allocate(arrival.field, arrival.gid);
    }
    void take_listed() {
        for (int32_t done = 0; done == 0;) OK(halo_exchange_test(exchange_, &done));
        std::vector<halo_arrival> arrivals(n_blocks);
        int64_t n = 0;
        OK(halo_exchange_arrivals(exchange_, arrivals.data(), n_blocks, &n));
        arrivals.resize(static_cast<size_t>(n));
        for (const halo_arrival &arrival : arrivals)
            if (const halo_status status = take(arrival); status != HALO_DECLINED) OK(status);
    }
    static halo_status arrives(void *world, const halo_arrival *arrival) { return static_cast<World *>(world)->take(*arrival); }

    Case of_;
    Model model_;
    halo_topology *topology_ = nullptr;
    halo_field *fields_[2] = {};
    halo_exchange *exchange_ = nullptr;
    std::vector<int64_t> gids_, told_;
    int64_t time_ = 0;
};

class SparseStorage : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, SparseStorage, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

TEST_P(SparseStorage, IsReleasedByAgeAndFollowsItsController) {
    constexpr Case cases[] = {
        { 1, false, false, true, false, HALO_FLOAT64 }, { 2, true, true, false, false, HALO_FLOAT32 },  { 3, false, true, true, true, HALO_BFLOAT16 },
        { 1, true, false, false, true, HALO_FLOAT64 },  { 0, false, false, true, false, HALO_FLOAT64 },
    };
    for (const Case &of : cases)
        run(GetParam(), {}, [&](Rank &rank) {
            World world(rank, of);
            for (int64_t time = 0; time < n_runs; ++time) world.step(time);
            if (world.model().n_arrivals == 0 || (world.model().n_released > 0) != (of.release_after > 0))
                stop("release_after %lld: %lld arrivals, %lld are released", static_cast<long long>(of.release_after),
                     static_cast<long long>(world.model().n_arrivals), static_cast<long long>(world.model().n_released));
        });
}

// ---- what is refused

halo_topology *ring(const Rank &rank) {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = 8, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
    return topology;
}

void want(halo_status status, halo_status wanted, const char *text) {
    if (status != wanted || !std::strstr(halo_last_error(), text))
        stop("%s in place of %s: %s", halo_status_name(status), halo_status_name(wanted), halo_last_error());
}

halo_field_desc sparse_desc(const char *name, const char *by = nullptr) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.sparse = 1, desc.controller = by, desc.ghost_low[0] = 1;
    return desc;
}

// A start that is illegal takes nothing from the run in flight, and one that cannot be read releases nothing.
TEST_P(SparseStorage, RunsThatAreRefusedLeaveAgesAlone) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = ring(rank);
        halo_field_desc desc = sparse_desc("u");
        desc.release_after = 1, desc.release_below = release_below;
        halo_field *u = nullptr;
        halo_exchange *exchange = nullptr;
        OK(halo_field_create(topology, &desc, &u));
        OK(halo_exchange_create(&u, 1, nullptr, &exchange));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        const auto expect_storage = [&](bool is_there, const char *after) {
            for (int64_t part = 0; part < n; ++part) {
                void *data = nullptr;
                OK(halo_field_data(u, gids[part], 0, &data));
                if ((data != nullptr) != is_there) stop("after %s, part %lld: storage is %p", after, static_cast<long long>(gids[part]), data);
            }
        };
        for (int64_t part = 0; part < n; ++part) OK(halo_field_allocate(u, gids[part]));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        want(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE), HALO_ERR_STATE, "is illegal");
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        expect_storage(true, "a run");
        const int32_t set = 1;
        halo_run other = HALO_RUN_INIT;
        other.n_fields = 1, other.sets = &set;
        want(halo_exchange_start(exchange, &other, HALO_STREAM_NONE), HALO_ERR_ARGUMENT, "binding set 1 does not exist");
        expect_storage(true, "a run that was refused");
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        expect_storage(false, "the next run");
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&u));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(SparseStorage, RefusesWhatDoesNotGoTogether) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = ring(rank);
        halo_field *u = nullptr, *w = nullptr, *dense = nullptr, *none = nullptr;
        const auto refused = [&](const halo_field_desc &desc, halo_status status, const char *text) {
            want(halo_field_create(topology, &desc, &none), status, text);
        };
        halo_field_desc desc = sparse_desc("dense");
        desc.sparse = 0, desc.release_after = 1;
        refused(desc, HALO_ERR_ARGUMENT, "release_after is for sparse fields");
        desc.release_after = 0, desc.controller = "u";
        refused(desc, HALO_ERR_ARGUMENT, "a controller is for sparse fields");
        desc.controller = nullptr;
        OK(halo_field_create(topology, &desc, &dense));
        desc = sparse_desc("u");
        desc.release_after = -1;
        refused(desc, HALO_ERR_ARGUMENT, "release_after is -1");
        desc.release_after = 1, desc.release_below = -0.5;
        refused(desc, HALO_ERR_ARGUMENT, "release_below -0.5");
        desc.release_below = 0;
        OK(halo_field_create(topology, &desc, &u));
        refused(sparse_desc("w", "v"), HALO_ERR_NOT_FOUND, "no field v to be its controller");
        refused(sparse_desc("w", "dense"), HALO_ERR_ARGUMENT, "its controller dense is not sparse");
        desc = sparse_desc("w", "u");
        desc.release_after = 1;
        refused(desc, HALO_ERR_ARGUMENT, "goes back with that of its controller u");
        desc = sparse_desc("w", "u");
        OK(halo_field_create(topology, &desc, &w));
        refused(sparse_desc("x", "w"), HALO_ERR_ARGUMENT, "its controller w has itself a controller, u");
        want(halo_field_allocate(w, -1), HALO_ERR_STATE, "it has storage where its controller u has");
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        if (n > 0) {
            const halo_binding nothing = HALO_BINDING_INIT;
            want(halo_field_bind(w, gids[0], &nothing), HALO_ERR_STATE, "its controller u");
            double memory[8] = {};
            halo_binding own = HALO_BINDING_INIT;
            own.data = memory;
            void *data = nullptr;
            OK(halo_field_bind(u, gids[0], &own)); // of the program's: what it controls has some of the library's
            OK(halo_field_data(w, gids[0], 0, &data));
            if (!data) stop("what is controlled has no storage");
            halo_field *late = nullptr;
            const halo_field_desc joins = sparse_desc("x", "u");
            OK(halo_field_create(topology, &joins, &late));
            for (int64_t i = 0; i < n; ++i) {
                OK(halo_field_data(late, gids[i], 0, &data));
                if ((data != nullptr) != (i == 0)) stop("part %lld of a field whose controller has storage: %p", static_cast<long long>(i), data);
            }
            OK(halo_field_destroy(&late));
            OK(halo_field_bind(u, gids[0], &nothing));
            OK(halo_field_data(w, gids[0], 0, &data));
            if (data) stop("what is controlled keeps its storage");
        }
        want(halo_field_destroy(&u), HALO_BUSY, "it controls fields that still exist: w");
        halo_field_desc got = HALO_FIELD_DESC_INIT;
        OK(halo_field_get_desc(w, &got));
        if (!got.controller || std::string(got.controller) != "u") stop("the description has no controller");
        for (halo_field **each : { &w, &u, &dense }) OK(halo_field_destroy(each));
        OK(halo_topology_destroy(&topology));
    });
}

// What a controller could not have in the end, its controlled fields do not keep, in the middle of a run over them too.
TEST_P(SparseStorage, FollowsAControllerWhoseBindingFails) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = ring(rank);
        halo_field *fields[2] = {};
        halo_field_desc desc = sparse_desc("u");
        OK(halo_field_create(topology, &desc, &fields[controller]));
        desc = sparse_desc("w", "u");
        desc.fill = fill;
        OK(halo_field_create(topology, &desc, &fields[controlled]));
        struct Callback {
            halo_field *controlled;
            bool changes_layout = true;
            int64_t n = 0;
            std::string wrong{};
            double memory[8] = {};
            halo_status operator()(const halo_arrival &arrival) {
                ++n;
                halo_layout layout = HALO_LAYOUT_INIT;
                halo_field_layout(arrival.field, arrival.gid, &layout);
                if (changes_layout) layout.elements += 1;
                halo_binding binding = HALO_BINDING_INIT;
                binding.data = memory, binding.layout = &layout;
                const halo_status status = halo_field_bind(arrival.field, arrival.gid, &binding);
                if (!changes_layout) return status;
                if (status != HALO_BUSY || !std::strstr(halo_last_error(), "the layout cannot change")) wrong = halo_last_error();
                void *data = nullptr;
                halo_field_data(controlled, arrival.gid, 0, &data);
                if (data) wrong += " what is controlled has storage";
                return HALO_DECLINED;
            }
        } callback{ fields[controlled] };
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.arrival = [](void *user, const halo_arrival *arrival) { return (*static_cast<Callback *>(user))(*arrival); };
        how.arrival_user = &callback;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(fields, 2, &how, &exchange));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        const auto is_here = [&](int64_t gid) { return std::find(gids, gids + n, gid) != gids + n; };
        if (is_here(0)) {
            OK(halo_field_allocate(fields[controller], 0));
            void *data = nullptr;
            OK(halo_field_data(fields[controller], 0, 0, &data));
            static_cast<double *>(data)[4] = 1; // the last of its cells, behind a ghost: data for part 1
        }
        for (const bool changes : { true, false }) {
            callback.changes_layout = changes;
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            if (!callback.wrong.empty()) stop("%s", callback.wrong.c_str());
        }
        if (is_here(1)) {
            void *data = nullptr;
            OK(halo_field_data(fields[controlled], 1, 0, &data));
            const auto *const values = static_cast<const double *>(data);
            if (callback.n != 2 || !values || std::any_of(values, values + 5, [](double value) { return value != fill; }))
                stop("%lld arrivals, or new storage is not filled", static_cast<long long>(callback.n));
        }
        OK(halo_exchange_destroy(&exchange));
        for (const Which each : { controlled, controller }) OK(halo_field_destroy(&fields[each]));
        OK(halo_topology_destroy(&topology));
    });
}

// A run over another exchange is in flight: nothing is looked at, and nothing goes.
TEST_P(SparseStorage, StaysWhileAnotherRunIsInFlight) {
    run(GetParam(), {}, [](Rank &rank) {
        halo_topology *topology = ring(rank);
        halo_field_desc desc = sparse_desc("u");
        desc.release_after = 1, desc.n_sets = 2;
        halo_field *u = nullptr;
        OK(halo_field_create(topology, &desc, &u));
        OK(halo_field_allocate(u, -1));
        halo_exchange *first = nullptr, *second = nullptr;
        OK(halo_exchange_create(&u, 1, nullptr, &first));
        OK(halo_exchange_create(&u, 1, nullptr, &second));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        const auto stored = [&] {
            int64_t count = 0;
            for (int64_t i = 0; i < n; ++i) {
                void *data = nullptr;
                OK(halo_field_data(u, gids[i], 1, &data));
                count += data != nullptr;
            }
            return count;
        };
        const int32_t set = 1;
        halo_run other = HALO_RUN_INIT;
        other.n_fields = 1, other.sets = &set;
        OK(halo_exchange_start(first, nullptr, HALO_STREAM_NONE)); // looks: all is zero
        OK(halo_exchange_finish(first, HALO_STREAM_NONE));
        for (int64_t i = 0; i < n; ++i) { // of the other set: all sets are looked at
            void *data = nullptr;
            OK(halo_field_data(u, gids[i], 1, &data));
            static_cast<double *>(data)[1] = 1;
        }
        OK(halo_exchange_start(first, nullptr, HALO_STREAM_NONE)); // which begins anew
        OK(halo_exchange_start(second, &other, HALO_STREAM_NONE));
        if (stored() != n) stop("%lld of %lld parts have storage", static_cast<long long>(stored()), static_cast<long long>(n));
        OK(halo_exchange_finish(second, HALO_STREAM_NONE));
        OK(halo_exchange_finish(first, HALO_STREAM_NONE));
        for (int64_t i = 0; i < n; ++i) {
            void *data = nullptr;
            OK(halo_field_data(u, gids[i], 1, &data));
            static_cast<double *>(data)[1] = 0;
        }
        for (int time = 0; time < 2; ++time) {
            if (stored() != n) stop("time %d: %lld of %lld parts have storage", time, static_cast<long long>(stored()), static_cast<long long>(n));
            OK(halo_exchange_start(first, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(first, HALO_STREAM_NONE));
        }
        if (stored() != 0) stop("%lld of %lld parts have storage", static_cast<long long>(stored()), static_cast<long long>(n));
        for (halo_exchange **each : { &second, &first }) OK(halo_exchange_destroy(each));
        OK(halo_field_destroy(&u));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace

} // namespace conformance
