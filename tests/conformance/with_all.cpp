// SPDX-License-Identifier: BSD-3-Clause
// halo_context_destroy_with_all: everything alive, runs, a batch, a group and a reduction under way; ranks that destroy in other ways; and what comes
// after.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "halo_access.h"
#include "halo_channel.h"
#include "halo_mesh.h"
#include "halo_sphere.h"
#include "ranks.h"

namespace conformance {

namespace {

void want(bool good, const char *what, int line) {
    if (!good) stop("line %d: %s: %s", line, what, halo_last_error());
}
#define WANT(condition) want((condition), #condition, __LINE__)

class Texts {
public:
    static void write(void *self, int32_t, const char *text) {
        auto *texts = static_cast<Texts *>(self);
        const std::lock_guard lock(texts->mutex_);
        texts->all_ += std::string(text) + '\n';
    }
    bool have(const std::string &text) {
        const std::lock_guard lock(mutex_);
        return all_.find(text) != std::string::npos;
    }

private:
    std::mutex mutex_;
    std::string all_;
};

halo_context *make_context(halo_inproc *group, int32_t rank, Texts *texts) {
    const halo_setting patience{ "timeout", "20s" };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &patience;
    options.n_settings = 1;
    if (texts) options.log = Texts::write;
    options.log_user = texts;
    halo_context *context = nullptr;
    OK(halo_context_create_inproc(group, rank, &options, &context));
    return context;
}

// One of everything that is made from a context.
struct World {
    halo_context *context;
    int32_t rank, size;
    halo_topology *ring = nullptr, *points = nullptr;
    halo_field *u = nullptr, *v = nullptr;
    halo_exchange *ghosts = nullptr, *sums = nullptr;
    halo_reduction *reduction = nullptr;
    halo_channel *channels[4] = {};
    halo_group *group = nullptr, *aggregated = nullptr;
    halo_mesh *mesh = nullptr;
    halo_sphere *sphere = nullptr;
    halo_topology *of_mesh = nullptr;

    World(halo_context *made, int32_t number, int32_t n_ranks) : context(made), rank(number), size(n_ranks) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = n_ranks, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(context, &blocks, &ring));
        const uint64_t own = static_cast<uint64_t>(rank), next = static_cast<uint64_t>((rank + 1) % size), keys[] = { own, next };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 2, desc.keys = keys, desc.n_mine = 1;
        OK(halo_topology_create_keys(context, &desc, &points));
        u = field(ring, "u");
        v = field(ring, "v");
        OK(halo_exchange_create(&u, 1, nullptr, &ghosts));
        halo_exchange_desc reverse = HALO_EXCHANGE_DESC_INIT;
        reverse.kind = HALO_KIND_REVERSE;
        OK(halo_exchange_create(&v, 1, &reverse, &sums));
        OK(halo_reduction_create(context, 3, HALO_FLOAT64, HALO_SUM, &reduction));
        make_channels();
        halo_mesh_set set = HALO_MESH_SET_INIT;
        set.name = "points", set.n = 1, set.keys = &own;
        halo_mesh_desc entities = HALO_MESH_DESC_INIT;
        entities.n_sets = 1, entities.sets = &set;
        OK(halo_mesh_create(context, &entities, &mesh));
        OK(halo_mesh_topology(mesh, 0, &of_mesh));
        const halo_sphere_desc grid = HALO_SPHERE_DESC_INIT;
        OK(halo_sphere_create(context, &grid, &sphere));
    }

    static halo_field *field(halo_topology *topology, const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.ghost_low[0] = desc.ghost_high[0] = 1;
        halo_field *made = nullptr;
        OK(halo_field_create(topology, &desc, &made));
        OK(halo_field_allocate(made, -1));
        return made;
    }
    double *data(halo_field *of) const {
        void *storage = nullptr;
        OK(halo_field_data(of, rank, 0, &storage));
        return static_cast<double *>(storage);
    }

    // To the next rank and from the one before; one pair for each group. Alone: one channel that is both.
    void make_channels() {
        const int32_t next = (rank + 1) % size, before = (rank + size - 1) % size;
        int n = 0;
        for (const int64_t extra : { 0, 1 })
            for (const bool sends : { true, false }) {
                if (size == 1 && !sends) continue;
                const int32_t from = sends ? rank : before, to = sends ? next : rank;
                const halo_channel_key key{ from, to, 0, 14, extra };
                halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
                desc.send_rank = from, desc.receive_rank = to, desc.count = 5;
                OK(halo_channel_register(context, &key, &desc, &channels[n++]));
            }
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        OK(halo_group_create(context, channels, n / 2, &desc, &group));
        desc.messages = HALO_MESSAGES_AGGREGATE;
        OK(halo_group_create(context, channels + n / 2, n / 2, &desc, &aggregated));
    }

    void run(halo_exchange *exchange) const {
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    }

    // Each of them begun, and not ended.
    void begin_everything() {
        const double values[3] = { 1, 2, 3 };
        OK(halo_reduction_begin(reduction, values));
        OK(halo_exchange_start(ghosts, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_post(sums, nullptr));
        OK(halo_channel_allocate(channels[0]));
        OK(halo_channel_send(channels[0], HALO_STREAM_NONE));
        OK(halo_group_send(aggregated, nullptr, HALO_STREAM_NONE));
        OK(halo_access_mark_dirty(v, 0, HALO_ON_HOST));
        halo_access reads = HALO_ACCESS_INIT;
        reads.field = v, reads.mode = HALO_READ, reads.through = HALO_VIA_MAP;
        halo_batch *batch = nullptr;
        OK(halo_access_begin(context, &reads, 1, sizeof reads, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
    }

    void destroy_one_by_one() {
        OK(halo_reduction_destroy(&reduction));
        for (halo_exchange **each : { &ghosts, &sums }) OK(halo_exchange_destroy(each));
        for (halo_group **each : { &group, &aggregated }) OK(halo_group_destroy(each));
        for (halo_channel *&channel : channels)
            if (channel) OK(halo_channel_destroy(&channel));
        for (halo_field **each : { &u, &v }) OK(halo_field_destroy(each));
        for (halo_topology **each : { &ring, &points, &of_mesh }) OK(halo_topology_destroy(each));
        OK(halo_mesh_destroy(&mesh));
        OK(halo_sphere_destroy(&sphere));
        OK(halo_context_destroy(&context));
    }
};

// It works like any other.
void use(halo_inproc *group, int32_t rank, int32_t size) {
    World world(make_context(group, rank, nullptr), rank, size);
    double *const u = world.data(world.u);
    for (int i = 1; i <= 4; ++i) u[i] = 10.0 * rank + i;
    world.run(world.ghosts);
    WANT(u[0] == 10.0 * ((rank + size - 1) % size) + 4 && u[5] == 10.0 * ((rank + 1) % size) + 1);
    world.destroy_one_by_one();
}

class WithAll : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, WithAll, testing::Values(1, 2, 3, 5), testing::PrintToStringParamName());

TEST_P(WithAll, EverythingAliveAndUnderWay) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    Texts texts;
    const int32_t size = GetParam();
    run_raw(size, [&](halo_inproc *group, int32_t rank) {
        for (int time = 0; time < 2; ++time) { // a new context after one that went so
            World world(make_context(group, rank, &texts), rank, size);
            world.run(world.ghosts);
            world.begin_everything();
            OK(halo_context_barrier(world.context)); // nobody goes while others begin
            const halo_context *const known = world.context;
            OK(halo_context_destroy_with_all(&world.context));
            WANT(world.context == nullptr);
            WANT(halo_context_destroy_with_all(&world.context) == HALO_ERR_ARGUMENT && std::strstr(halo_last_error(), "the context handle is NULL"));
            auto *destroyed = const_cast<halo_context *>(known);
            WANT(halo_context_destroy_with_all(&destroyed) == HALO_ERR_HANDLE && std::strstr(halo_last_error(), "has been destroyed"));
        }
        use(group, rank, size);
    });
    for (const char *name : { "destroyed while something is in flight, which is given up: ", "a batch", " over u", " over v", "group " })
        EXPECT_TRUE(texts.have(name)) << name;
    EXPECT_EQ(texts.have(" of 3 values of "), size > 1); // a reduction of one rank is done when it has begun
    EXPECT_FALSE(texts.have("gave up"));                 // nobody waits for what is given up
}

// Nothing is said where nothing is under way.
TEST_P(WithAll, EverythingAliveAndDone) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    Texts texts;
    const int32_t size = GetParam();
    run_raw(size, [&](halo_inproc *group, int32_t rank) {
        World world(make_context(group, rank, &texts), rank, size);
        for (int time = 0; time < 3; ++time)
            for (halo_exchange *exchange : { world.ghosts, world.sums }) world.run(exchange);
        const double values[3] = { 1, 2, 3 };
        double sums[3];
        OK(halo_reduction_begin(world.reduction, values));
        OK(halo_reduction_end(world.reduction, sums));
        OK(halo_context_destroy_with_all(&world.context));
        use(group, rank, size);
    });
    EXPECT_FALSE(texts.have("in flight"));
    EXPECT_FALSE(texts.have("gave up"));
}

// Ranks may differ in how they destroy; what nobody has made is no obstacle.
TEST_P(WithAll, OthersDestroyOneByOne) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    const int32_t size = GetParam();
    run_raw(size, [&](halo_inproc *group, int32_t rank) {
        halo_context *nothing = make_context(group, rank, nullptr);
        OK(halo_context_destroy_with_all(&nothing));
        World world(make_context(group, rank, nullptr), rank, size);
        world.run(world.ghosts);
        if (rank == 0)
            OK(halo_context_destroy_with_all(&world.context));
        else
            world.destroy_one_by_one();
        use(group, rank, size);
    });
}

// Who only sends may go before its peer has taken what it has sent: what is finished still arrives.
TEST(GoingWithAll, FinishedRunsArrive) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    for (const char *shared : { "yes", "no" })
        run_raw(2, [&](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            OK(conformance::make_context(group, rank, { { "shared_memory", shared } }, &context));
            const uint64_t keys[] = { 1, 2, 3 };
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = 3, desc.keys = keys, desc.n_mine = rank == 0 ? 3 : 0;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(context, &desc, &topology));
            halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &field_desc, &field));
            double values[3] = { 7, 8, 9 };
            if (rank == 1) values[0] = values[1] = values[2] = 0;
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = values;
            OK(halo_field_bind(field, rank, &binding));
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
            if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            WANT(values[0] == 7 && values[1] == 8 && values[2] == 9);
            OK(halo_context_destroy_with_all(&context));
        });
}

// Whoever has lent his ghosts to a peer has them for himself when his context is gone.
TEST(GoingWithAll, GhostsAreNotWrittenLater) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    for (const char *path : { "message", "put", "get", "direct" }) {
        std::atomic<bool> gone = false, sent = false;
        run_raw(2, [&](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            OK(conformance::make_context(group, rank, { { "path", path }, { "timeout", "0.5s" } }, &context));
            const uint64_t keys[] = { 1, 2, 3 };
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = 3, desc.keys = keys, desc.n_mine = rank == 0 ? 3 : 0;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(context, &desc, &topology));
            const halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &field_desc, &field));
            double values[3] = { 7, 8, 9 };
            halo_binding binding = HALO_BINDING_INIT;
            binding.data = values;
            OK(halo_field_bind(field, rank, &binding));
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, nullptr, &exchange));
            for (int time = 0; time < 3; ++time) {
                OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            }
            if (rank == 1) {
                OK(halo_exchange_post(exchange, nullptr));
                OK(halo_context_destroy_with_all(&context));
                std::fill_n(values, 3, 0.5); // used for something else
                gone = true;
                while (!sent) std::this_thread::yield();
                for (const double value : values) WANT(value == 0.5);
                return;
            }
            while (!gone) std::this_thread::yield();
            static_cast<void>(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE)); // whatever comes of it
            static_cast<void>(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            sent = true;
            OK(halo_context_destroy_with_all(&context));
        });
    }
}

// Functions that are called back meanwhile are told of handles that are gone, and may not destroy.
TEST(GoingWithAll, InCallbacks) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    struct Called {
        halo_context *context = nullptr;
        halo_exchange *exchange = nullptr;
        halo_status destroying = HALO_SUCCESS, of_exchange = HALO_SUCCESS;
        bool armed = false;
        int n = 0;
    };
    run_raw(1, [&](halo_inproc *group, int32_t rank) {
        Called called;
        halo_allocator allocator{};
        allocator.memory = HALO_MEMORY_HOST;
        allocator.user = &called;
        allocator.allocate = [](void *, size_t bytes) -> void * { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); };
        allocator.release = [](void *self, void *pointer, size_t) {
            auto &one = *static_cast<Called *>(self);
            if (one.armed) {
                ++one.n;
                halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
                one.of_exchange = halo_exchange_get_stats(one.exchange, &stats);
                halo_context *context = one.context;
                one.destroying = halo_context_destroy_with_all(&context);
            }
            std::free(pointer);
        };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.allocators = &allocator;
        options.n_allocators = 1;
        OK(halo_context_create_inproc(group, rank, &options, &called.context));
        World world(called.context, rank, 1);
        world.run(world.ghosts);
        called.exchange = world.ghosts;
        called.armed = true;
        OK(halo_context_destroy_with_all(&world.context));
        WANT(called.n > 0); // when the pools give back their memory: after all else
        WANT(called.of_exchange == HALO_ERR_HANDLE);
        WANT(called.destroying == HALO_ERR_HANDLE || called.destroying == HALO_ERR_STATE);
    });
}

} // namespace

} // namespace conformance
