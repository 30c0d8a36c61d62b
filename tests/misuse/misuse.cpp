// SPDX-License-Identifier: BSD-3-Clause
// Wrong use and bad input. Every case names the status and what the text must contain; afterwards the same objects must still exchange
// ghosts correctly.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo_channel.h"

namespace {

constexpr int cells = 4;
constexpr int blocks = 3;

// One rank, a ring of three blocks, a dense field, a sparse one, and an exchange over the dense one.
struct World {
    halo_context *context = nullptr;
    halo_topology *ring = nullptr;
    halo_field *u = nullptr;
    halo_field *s = nullptr;
    halo_exchange *x = nullptr;

    World() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
        const halo_blocks_desc desc = ring_desc();
        EXPECT_EQ(halo_topology_create_blocks(context, &desc, &ring), HALO_SUCCESS);
        halo_field_desc field = field_desc("u");
        EXPECT_EQ(halo_field_create(ring, &field, &u), HALO_SUCCESS);
        field = field_desc("s");
        field.sparse = 1;
        EXPECT_EQ(halo_field_create(ring, &field, &s), HALO_SUCCESS);
        EXPECT_EQ(halo_field_allocate(u, -1), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_create(&u, 1, nullptr, &x), HALO_SUCCESS);
    }
    ~World() {
        if (x) {
            EXPECT_EQ(halo_exchange_destroy(&x), HALO_SUCCESS);
        }
        if (u) {
            EXPECT_EQ(halo_field_destroy(&u), HALO_SUCCESS);
        }
        if (s) {
            EXPECT_EQ(halo_field_destroy(&s), HALO_SUCCESS);
        }
        if (ring) {
            EXPECT_EQ(halo_topology_destroy(&ring), HALO_SUCCESS);
        }
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }

    static halo_blocks_desc ring_desc() {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1;
        desc.n_blocks[0] = blocks;
        desc.n_cells[0] = cells;
        desc.periodic[0] = 1;
        return desc;
    }
    static halo_field_desc field_desc(const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.n_components = 2;
        desc.ghost_low[0] = desc.ghost_high[0] = 2;
        return desc;
    }
    double *data(int64_t gid) const {
        void *pointer = nullptr;
        EXPECT_EQ(halo_field_data(u, gid, 0, &pointer), HALO_SUCCESS);
        return static_cast<double *>(pointer);
    }
    // A whole exchange with fresh values ends as it should.
    void expect_works() const {
        static int round = 0;
        ++round;
        const auto value = [&](int64_t cell, int c) {
            return 1000.0 * round + static_cast<double>((cell + int64_t{ blocks } * cells) % (int64_t{ blocks } * cells)) + 0.5 * c;
        };
        for (int64_t gid = 0; gid < blocks; ++gid)
            for (int c = 0; c < 2; ++c)
                for (int i = -2; i < cells + 2; ++i) data(gid)[c * (cells + 4) + i + 2] = i >= 0 && i < cells ? value(gid * cells + i, c) : -1.0;
        ASSERT_EQ(halo_exchange_start(x, nullptr, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        ASSERT_EQ(halo_exchange_finish(x, HALO_STREAM_NONE), HALO_SUCCESS) << halo_last_error();
        for (int64_t gid = 0; gid < blocks; ++gid)
            for (int c = 0; c < 2; ++c)
                for (int i = -2; i < cells + 2; ++i) ASSERT_EQ(data(gid)[c * (cells + 4) + i + 2], value(gid * cells + i, c)) << gid << " " << i;
    }
};

struct Misuse {
    const char *name;
    halo_status status;
    std::vector<const char *> parts;
    std::function<halo_status(World &)> call;
};

// After a case that left a run in flight.
halo_status finish_after(World &w, halo_status status) {
    const std::string text = halo_last_error();
    EXPECT_EQ(halo_exchange_finish(w.x, HALO_STREAM_NONE), HALO_SUCCESS);
    EXPECT_EQ(halo_last_error(), text); // successes leave the text alone
    return status;
}

halo_status with_run(World &w, const std::function<void(halo_run &)> &change) {
    halo_run run = HALO_RUN_INIT;
    change(run);
    return halo_exchange_start(w.x, &run, HALO_STREAM_NONE);
}

halo_status create_blocks(World &w, const std::function<void(halo_blocks_desc &)> &change) {
    halo_blocks_desc desc = World::ring_desc();
    change(desc);
    halo_topology *topology = nullptr;
    const halo_status status = halo_topology_create_blocks(w.context, &desc, &topology);
    EXPECT_EQ(topology, nullptr);
    return status;
}

halo_status create_field(World &w, const std::function<void(halo_field_desc &)> &change) {
    halo_field_desc desc = World::field_desc("wrong");
    change(desc);
    halo_field *field = nullptr;
    const halo_status status = halo_field_create(w.ring, &desc, &field);
    EXPECT_EQ(field, nullptr);
    return status;
}

halo_status create_exchange(const std::vector<halo_field *> &fields, const std::function<void(halo_exchange_desc &)> &change) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    change(desc);
    halo_exchange *exchange = nullptr;
    const halo_status status = halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &desc, &exchange);
    EXPECT_EQ(exchange, nullptr);
    return status;
}

halo_status bind_with(World &w, int64_t gid, const std::function<void(halo_binding &, halo_layout &)> &change) {
    static double storage[64];
    halo_layout layout = HALO_LAYOUT_INIT;
    EXPECT_EQ(halo_field_layout(w.u, 0, &layout), HALO_SUCCESS);
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = storage;
    binding.layout = &layout;
    change(binding, layout);
    return halo_field_bind(w.u, gid, &binding);
}

halo_status set_layout(World &w, const std::function<void(halo_layout_desc &)> &change) {
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    change(desc);
    return halo_field_set_layout(w.u, &desc);
}

halo_status fill_layout(const std::array<int64_t, 3> &points, int64_t element_bytes, int32_t n_components, int32_t n_places) {
    const halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    halo_layout layout = HALO_LAYOUT_INIT;
    return halo_layout_fill(&desc, points.data(), element_bytes, n_components, n_places, &layout);
}

halo_status register_channel(World &w, const std::function<void(halo_channel_key &, halo_channel_desc &)> &change) {
    halo_channel_key key{ 3, 7, 2, 14, 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.count = 8;
    change(key, desc);
    halo_channel *channel = nullptr;
    const halo_status status = halo_channel_register(w.context, &key, &desc, &channel);
    EXPECT_EQ(channel, nullptr);
    return status;
}

halo_status on_channel(World &w, const std::function<halo_status(halo_channel *)> &call) {
    const halo_channel_key key{ 3, 7, 2, 14, 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.count = 8;
    halo_channel *channel = nullptr;
    EXPECT_EQ(halo_channel_register(w.context, &key, &desc, &channel), HALO_SUCCESS);
    halo_group_desc group_desc = HALO_GROUP_DESC_INIT;
    group_desc.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group = nullptr;
    EXPECT_EQ(halo_group_create(w.context, &channel, 1, &group_desc, &group), HALO_SUCCESS);
    const halo_status status = call(channel);
    int32_t done = 0;
    if (halo_channel_try_receive(channel, &done, nullptr) == HALO_SUCCESS && done) {
        EXPECT_EQ(halo_channel_stale(channel, HALO_STREAM_NONE), HALO_SUCCESS);
    }
    EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
    EXPECT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS);
    return status;
}

template <class H>
halo_status after_destroy(H *handle, halo_status (*destroy)(H **), const std::function<halo_status(H *)> &use) {
    H *copy = handle;
    EXPECT_EQ(destroy(&handle), HALO_SUCCESS);
    EXPECT_EQ(handle, nullptr);
    return use(copy);
}

const std::vector<Misuse> &cases() { // NOLINT(readability-function-size): a table
    static const std::vector<Misuse> all{
        { "null_out_parameter", HALO_ERR_ARGUMENT, { "exchange" }, [](World &w) { return halo_exchange_create(&w.u, 1, nullptr, nullptr); } },
        { "null_handle", HALO_ERR_ARGUMENT, { "exchange handle is NULL" }, [](World &) { return halo_exchange_start(nullptr, nullptr, nullptr); } },
        { "description_for_nobody", HALO_ERR_ARGUMENT, { "'desc' is NULL" }, [](World &w) { return halo_field_get_desc(w.u, nullptr); } },
        { "no_exchange_desc", HALO_ERR_ARGUMENT, { "'desc' is NULL" }, [](World &w) { return halo_exchange_get_desc(w.x, nullptr); } },
        { "owner_mask_of_no_part",
          HALO_ERR_NOT_FOUND,
          { "part 9 does not exist" },
          [](World &w) {
              int64_t n = 0;
              return halo_field_owner_mask(w.u, 9, nullptr, 0, &n);
          } },
        { "owner_mask_that_is_too_short",
          HALO_ERR_LIMIT,
          { "mask: the array has room for 1, there are 4" },
          [](World &w) {
              uint8_t one = 0;
              int64_t n = 0;
              return halo_field_owner_mask(w.u, 0, &one, 1, &n);
          } },
        { "peers_in_rows_of_nothing",
          HALO_ERR_VERSION,
          { "halo_peer_row: row_bytes is 0" },
          [](World &w) {
              int64_t n = 0;
              return halo_exchange_peers(w.x, 0, nullptr, 0, &n);
          } },
        { "no_fields", HALO_ERR_ARGUMENT, { "0 fields" }, [](World &w) { return halo_exchange_create(&w.u, 0, nullptr, &w.x); } },
        { "four_dimensions", HALO_ERR_ARGUMENT, { "n_dims is 4" }, [](World &w) { return create_blocks(w, [](auto &d) { d.n_dims = 4; }); } },
        { "blocks_without_cells",
          HALO_ERR_ARGUMENT,
          { "direction 0", "3 blocks of 0 cells" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.n_cells[0] = 0; }); } },
        { "blocks_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "direction 1 has 2 blocks of 1 cells", "n_dims 1" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.n_blocks[1] = 2; }); } },
        { "cells_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "direction 2 has 1 blocks of 8 cells", "n_dims 2" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.n_dims = 2, d.n_cells[2] = 8; }); } },
        { "periodic_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "direction 2 has 1 blocks of 1 cells, and is periodic", "n_dims 1" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.periodic[2] = 1; }); } },
        { "too_many_blocks",
          HALO_ERR_LIMIT,
          { "blocks" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.n_dims = 3, d.n_blocks[0] = d.n_blocks[1] = d.n_blocks[2] = 1 << 20; }); } },
        { "owners_of_other_blocks",
          HALO_ERR_ARGUMENT,
          { "2 owners", "3 blocks" },
          [](World &w) {
              return create_blocks(w, [](auto &d) {
                  static const int32_t owner[2] = {};
                  d.owner = owner, d.n_owner = 2;
              });
          } },
        { "owner_outside_the_ranks",
          HALO_ERR_ARGUMENT,
          { "part 1", "rank 5", "0 to 0" },
          [](World &w) {
              return create_blocks(w, [](auto &d) {
                  static const int32_t owner[3] = { 0, 5, 0 };
                  d.owner = owner, d.n_owner = 3;
              });
          } },
        { "struct_without_size",
          HALO_ERR_VERSION,
          { "halo_blocks_desc" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.struct_size = 0; }); } },
        { "struct_of_another_version",
          HALO_ERR_VERSION,
          { "halo_blocks_desc", "struct_version" },
          [](World &w) { return create_blocks(w, [](auto &d) { d.struct_version = 9; }); } },
        { "ghosts_wider_than_64_periods",
          HALO_ERR_ARGUMENT,
          { "field wrong", "direction 0", "0 to 768" },
          [](World &w) { return create_field(w, [](auto &d) { d.ghost_high[0] = 769; }); } },
        { "ghosts_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "field wrong", "ghost widths 1 and 0 of direction 2", "directions 0 to 0" },
          [](World &w) { return create_field(w, [](auto &d) { d.ghost_low[2] = 1; }); } },
        { "field_of_a_name_that_lives",
          HALO_ERR_EXISTS,
          { "field u", "(3 blocks of 4 cells, periodic along x)" },
          [](World &w) { return create_field(w, [](auto &d) { d.name = "u"; }); } },
        { "unknown_type", HALO_ERR_ARGUMENT, { "77" }, [](World &w) { return create_field(w, [](auto &d) { d.type = 77; }); } },
        { "bytes_without_a_size",
          HALO_ERR_ARGUMENT,
          { "element_bytes is 0" },
          [](World &w) { return create_field(w, [](auto &d) { d.type = HALO_BYTES; }); } },
        { "negative_threshold",
          HALO_ERR_ARGUMENT,
          { "threshold -1" },
          [](World &w) { return create_field(w, [](auto &d) { d.sparse = 1, d.threshold = -1; }); } },
        { "bind_a_part_that_is_not", HALO_ERR_NOT_FOUND, { "part 17", "0 to 2" }, [](World &w) { return bind_with(w, 17, [](auto &, auto &) {}); } },
        { "storage_too_small",
          HALO_ERR_BOUNDS,
          { "field u, part 1", "to 15", "0 to 9" },
          [](World &w) { return bind_with(w, 1, [](auto &, auto &l) { l.elements = 10; }); } },
        { "layout_below_the_storage",
          HALO_ERR_BOUNDS,
          { "part 1", "-2" },
          [](World &w) { return bind_with(w, 1, [](auto &, auto &l) { l.first_owned = 0; }); } },
        { "set_that_is_not",
          HALO_ERR_ARGUMENT,
          { "field u", "set 3", "0 to 0" },
          [](World &w) { return bind_with(w, 1, [](auto &b, auto &) { b.set = 3; }); } },
        { "memory_nobody_can_reach",
          HALO_ERR_DEVICE,
          { "device 1", "has no memory of its own" },
          [](World &w) { return bind_with(w, 1, [](auto &b, auto &) { b.memory = HALO_MEMORY_DEVICE, b.device = 1; }); } },
        { "memory_of_no_bytes",
          HALO_ERR_ARGUMENT,
          { "-3 bytes" },
          [](World &w) {
              void *memory = nullptr;
              return halo_memory_allocate(w.context, HALO_MEMORY_SHARED, -3, &memory);
          } },
        { "memory_of_another_allocator",
          HALO_ERR_NOT_FOUND,
          { "halo_memory_allocate" },
          [](World &w) {
              static double own[8];
              void *memory = own;
              return halo_memory_release(w.context, &memory);
          } },
        { "parts_that_overlap",
          HALO_ERR_BOUNDS,
          { "part 0", "part_stride is 5", "overlap" },
          [](World &w) {
              static double storage[64];
              halo_binding binding = HALO_BINDING_INIT;
              binding.data = storage;
              return halo_field_bind_many(w.u, 5, &binding);
          } },
        { "one_field_twice",
          HALO_ERR_ARGUMENT,
          { "field u", "twice" },
          [](World &w) {
              return create_exchange({ w.u, w.u }, [](auto &) {});
          } },
        { "unknown_stencil", HALO_ERR_ARGUMENT, { "stencil 9" }, [](World &w) { return create_exchange({ w.u }, [](auto &d) { d.stencil = 9; }); } },
        { "handle_of_another_kind",
          HALO_ERR_HANDLE,
          { "not a field" },
          [](World &w) { return create_exchange({ reinterpret_cast<halo_field *>(w.ring) }, [](auto &) {}); } },
        { "start_twice",
          HALO_ERR_STATE,
          { "exchange", "over u", "start", "sent" },
          [](World &w) {
              EXPECT_EQ(halo_exchange_start(w.x, nullptr, nullptr), HALO_SUCCESS);
              return finish_after(w, halo_exchange_start(w.x, nullptr, nullptr));
          } },
        { "finish_without_start", HALO_ERR_STATE, { "finish", "idle" }, [](World &w) { return halo_exchange_finish(w.x, nullptr); } },
        { "send_without_post", HALO_ERR_STATE, { "send", "idle" }, [](World &w) { return halo_exchange_send(w.x, nullptr); } },
        { "abandon_nothing", HALO_ERR_STATE, { "nothing is in flight" }, [](World &w) { return halo_exchange_abandon(w.x); } },
        { "destroy_in_flight",
          HALO_BUSY,
          { "in flight" },
          [](World &w) {
              EXPECT_EQ(halo_exchange_start(w.x, nullptr, nullptr), HALO_SUCCESS);
              return finish_after(w, halo_exchange_destroy(&w.x));
          } },
        { "bind_in_flight",
          HALO_BUSY,
          { "field u, part 1", "in flight" },
          [](World &w) {
              EXPECT_EQ(halo_exchange_start(w.x, nullptr, nullptr), HALO_SUCCESS);
              return finish_after(w, bind_with(w, 1, [](auto &, auto &) {}));
          } },
        { "layout_of_bound_storage",
          HALO_BUSY,
          { "field u, part 0: storage is bound already" },
          [](World &w) { return set_layout(w, [](auto &) {}); } },
        { "layout_with_ghosts_where_there_is_no_direction",
          HALO_ERR_ARGUMENT,
          { "field u", "0 and 2 in direction 1, where its topology has none" },
          [](World &w) { return set_layout(w, [](auto &d) { d.ghost_high[1] = 2; }); } },
        { "layout_without_a_dimension",
          HALO_ERR_ARGUMENT,
          { "order { 0, 1, 2, 3, 3 }" },
          [](World &w) { return set_layout(w, [](auto &d) { d.order[4] = 3; }); } },
        { "layout_of_negative_points",
          HALO_ERR_ARGUMENT,
          { "-1 points in direction 1" },
          [](World &) {
              return fill_layout({ 4, -1, 1 }, 8, 1, 1);
          } },
        { "layout_of_elements_without_bytes",
          HALO_ERR_ARGUMENT,
          { "element_bytes is 0" },
          [](World &) {
              return fill_layout({ 4, 1, 1 }, 0, 1, 1);
          } },
        { "layout_without_components",
          HALO_ERR_ARGUMENT,
          { "n_components 0" },
          [](World &) {
              return fill_layout({ 4, 1, 1 }, 8, 0, 1);
          } },
        { "layout_of_too_much",
          HALO_ERR_LIMIT,
          { "4611686018427387904 x 1 x 1 points" },
          [](World &) {
              return fill_layout({ int64_t{ 1 } << 62, 1, 1 }, 1, 1, 1);
          } },
        { "unbound_part",
          HALO_ERR_UNBOUND,
          { "field u, part 1 on rank 0", "set 0" },
          [](World &w) {
              EXPECT_EQ(bind_with(w, 1, [](auto &b, auto &) { b.data = nullptr, b.layout = nullptr; }), HALO_SUCCESS);
              const halo_status status = halo_exchange_start(w.x, nullptr, nullptr);
              EXPECT_EQ(halo_field_allocate(w.u, 1), HALO_SUCCESS);
              return status;
          } },
        { "components_that_are_not",
          HALO_ERR_ARGUMENT,
          { "components 1+2", "field u has 2" },
          [](World &w) { return with_run(w, [](auto &r) { r.first_component = 1, r.n_components = 2; }); } },
        { "destroy_a_field_in_use", HALO_BUSY, { "field u", "exchange 1 over u" }, [](World &w) { return halo_field_destroy(&w.u); } },
        { "destroy_a_topology_in_use", HALO_BUSY, { "fields on it still exist: u, s" }, [](World &w) { return halo_topology_destroy(&w.ring); } },
        { "destroy_a_context_in_use", HALO_BUSY, { "topology with fields u, s" }, [](World &w) { return halo_context_destroy(&w.context); } },
        { "exchange_after_destroy",
          HALO_ERR_HANDLE,
          { "exchange", "destroyed" },
          [](World &w) {
              halo_exchange *other = nullptr;
              EXPECT_EQ(halo_exchange_create(&w.u, 1, nullptr, &other), HALO_SUCCESS);
              return after_destroy<halo_exchange>(other, halo_exchange_destroy,
                                                  [](auto *gone) { return halo_exchange_start(gone, nullptr, nullptr); });
          } },
        { "field_after_destroy",
          HALO_ERR_HANDLE,
          { "field", "destroyed" },
          [](World &w) {
              halo_field *other = nullptr;
              const halo_field_desc desc = World::field_desc("short");
              EXPECT_EQ(halo_field_create(w.ring, &desc, &other), HALO_SUCCESS);
              return after_destroy<halo_field>(other, halo_field_destroy, [](auto *gone) { return halo_field_allocate(gone, -1); });
          } },
        { "context_after_destroy",
          HALO_ERR_HANDLE,
          { "context", "destroyed" },
          [](World &) {
              halo_context *other = nullptr;
              EXPECT_EQ(halo_context_create(nullptr, &other), HALO_SUCCESS);
              return after_destroy<halo_context>(other, halo_context_destroy, [](auto *gone) { return halo_context_progress(gone); });
          } },
        { "list_too_short",
          HALO_ERR_LIMIT,
          { "room for 1", "there are 2" },
          [](World &w) {
              halo_neighbour one[1];
              int64_t n = 0;
              return halo_topology_neighbours(w.ring, 0, sizeof(halo_neighbour), one, 1, &n);
          } },
        { "list_of_negative_room",
          HALO_ERR_ARGUMENT,
          { "room for -1" },
          [](World &w) {
              halo_neighbour one[1];
              int64_t n = 0;
              return halo_topology_neighbours(w.ring, 0, sizeof(halo_neighbour), one, -1, &n);
          } },
        { "timeout_that_is_no_number",
          HALO_ERR_ARGUMENT,
          { "timeout_seconds nan" },
          [](World &w) {
              halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
              desc.timeout_seconds = std::nan("");
              halo_exchange *exchange = nullptr;
              return halo_exchange_create(&w.u, 1, &desc, &exchange);
          } },
        { "negative_timeout",
          HALO_ERR_ARGUMENT,
          { "timeout_seconds -2" },
          [](World &w) {
              halo_group_desc desc = HALO_GROUP_DESC_INIT;
              desc.timeout_seconds = -2;
              halo_group *group = nullptr;
              return halo_group_create(w.context, nullptr, 0, &desc, &group);
          } },
        { "unknown_setting", HALO_ERR_NOT_FOUND, { "timeot", "timeout" }, [](World &w) { return halo_context_set(w.context, "timeot", "3s"); } },
        { "bad_value_of_a_setting", HALO_ERR_CONFIG, { "timeout", "soon" }, [](World &w) { return halo_context_set(w.context, "timeout", "soon"); } },
        { "channel_of_others",
          HALO_ERR_ARGUMENT,
          { "3 -> 7, field 2, element 14", "rank" },
          [](World &w) { return register_channel(w, [](auto &, auto &d) { d.send_rank = 4, d.receive_rank = 5; }); } },
        { "element_that_is_not",
          HALO_ERR_ARGUMENT,
          { "element 27" },
          [](World &w) { return register_channel(w, [](auto &k, auto &) { k.element = 27; }); } },
        { "channel_twice",
          HALO_ERR_EXISTS,
          { "3 -> 7, field 2, element 14" },
          [](World &w) { return on_channel(w, [&](halo_channel *) { return register_channel(w, [](auto &, auto &) {}); }); } },
        { "send_what_is_not_stale",
          HALO_ERR_STATE,
          { "3 -> 7, field 2, element 14", "send", "sending" },
          [](World &w) {
              return on_channel(w, [](halo_channel *channel) {
                  EXPECT_EQ(halo_channel_allocate(channel), HALO_SUCCESS);
                  EXPECT_EQ(halo_channel_send(channel, nullptr), HALO_SUCCESS);
                  return halo_channel_send(channel, nullptr);
              });
          } },
        { "channel_destroyed_while_busy",
          HALO_BUSY,
          {},
          [](World &w) {
              return on_channel(w, [](halo_channel *channel) {
                  EXPECT_EQ(halo_channel_send_null(channel, nullptr), HALO_SUCCESS);
                  halo_channel *copy = channel;
                  return halo_channel_destroy(&copy);
              });
          } },
        { "list_with_a_hole",
          HALO_ERR_ARGUMENT,
          { "halo_channel_send_many: channel 1 of the list is NULL" },
          [](World &w) {
              return on_channel(w, [](halo_channel *channel) {
                  halo_channel *const list[] = { channel, nullptr };
                  return halo_channel_send_many(list, 2, HALO_STREAM_NONE);
              });
          } },
        { "list_with_one_that_is_not_received",
          HALO_ERR_STATE,
          { "halo_channel_stale_many: channel 0 of the list: stale is illegal in the state stale", "3 -> 7, field 2, element 14" },
          [](World &w) { return on_channel(w, [](halo_channel *channel) { return halo_channel_stale_many(&channel, 1, HALO_STREAM_NONE); }); } },
        { "buffer_for_what_is_pooled",
          HALO_ERR_STATE,
          { "set_buffer: the channel's buffers are not the caller's", "3 -> 7, field 2, element 14" },
          [](World &w) { return on_channel(w, [](halo_channel *channel) { return halo_channel_set_buffer(channel, &channel); }); } },
        { "bytes_that_are_no_elements",
          HALO_ERR_ARGUMENT,
          { "set_bytes: 9 bytes, of a channel of float64", "3 -> 7, field 2, element 14" },
          [](World &w) { return on_channel(w, [](halo_channel *channel) { return halo_channel_set_bytes(channel, 9); }); } },
        { "allocator_without_functions",
          HALO_ERR_ARGUMENT,
          { "3 -> 7, field 2, element 14", "without an allocator's two functions" },
          [](World &w) {
              static const halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
              return register_channel(w, [](auto &, auto &d) { d.buffer_kind = HALO_BUFFER_ALLOCATOR, d.allocator = &allocator; });
          } },
        { "row_that_is_not",
          HALO_ERR_ARGUMENT,
          { "halo_group_send_rows: row 3: the table has no such row" },
          [](World &w) {
              halo_group *group = nullptr;
              EXPECT_EQ(halo_group_create(w.context, nullptr, 0, nullptr, &group), HALO_SUCCESS);
              const int64_t row = 3;
              const halo_status status = halo_group_send_rows(group, &row, 1, nullptr, HALO_STREAM_NONE);
              EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
              return status;
          } },
        { "drained_for_less_than_nothing",
          HALO_ERR_ARGUMENT,
          { "halo_group_drain: timeout_seconds -2" },
          [](World &w) {
              halo_group *group = nullptr;
              EXPECT_EQ(halo_group_create(w.context, nullptr, 0, nullptr, &group), HALO_SUCCESS);
              const halo_status status = halo_group_drain(group, -2);
              EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
              return status;
          } },
        { "no_such_channel",
          HALO_ERR_NOT_FOUND,
          { "9 -> 9" },
          [](World &w) {
              const halo_channel_key key{ 9, 9, 0, 0, 0 };
              halo_channel *channel = nullptr;
              return halo_channel_find(w.context, &key, &channel);
          } },
    };
    return all;
}

class Table : public testing::TestWithParam<Misuse> {};

TEST_P(Table, IsAnErrorAndChangesNothing) {
    World world;
    world.expect_works();
    const halo_status status = GetParam().call(world);
    const std::string text = halo_last_error();
    EXPECT_EQ(status, GetParam().status) << halo_status_name(status) << ": " << text;
    for (const char *part : GetParam().parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
    world.expect_works();
}

INSTANTIATE_TEST_SUITE_P(Cases, Table, testing::ValuesIn(cases()), [](const auto &one) { return std::string(one.param.name); });

TEST(Cases, AreManyAndFewAreTrivial) { EXPECT_GE(cases().size(), 30u); }

} // namespace
