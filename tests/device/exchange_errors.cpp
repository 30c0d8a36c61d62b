// SPDX-License-Identifier: BSD-3-Clause
// Exchanges over fields on devices: what is refused, and what fails on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "channel_end.h"
#include "halo_access.h"
#include "late/ring.h"

namespace {

using namespace conformance;
using late::HostRingField;
using late::Ring;
using late::RingExchange;
using late::RingField;

void expect_failure(halo_context *context, halo_status status, halo_status wanted, std::initializer_list<const char *> texts) {
    const char *text = halo_context_error(context);
    if (status != wanted) stop("status %d, not %d: %s", status, wanted, text);
    for (const char *part : texts)
        if (!std::strstr(text, part)) stop("'%s' is not in: %s", part, text);
}

TEST(DeviceErrors, AStreamIsNeeded) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        u.write(1, nullptr);
        expect_failure(rank.context, halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE), HALO_ERR_ARGUMENT,
                       { "storage on device 0", "HALO_STREAM_DEFAULT" });
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
        OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
        u.expect(1, nullptr, "the next run");
    });
}

TEST(DeviceErrors, AllStorageOfASetIsInOneMemory) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        std::vector<double> on_host(Ring::size);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = on_host.data();
        expect_failure(rank.context, halo_field_bind(u.handle(), 1, &binding), HALO_ERR_ARGUMENT,
                       { "field u, part 1", "host memory", "binding set 0", "device memory of device 0" });
        expect_failure(rank.context, halo_field_allocate(u.handle(), 1), HALO_ERR_ARGUMENT, { "field u, part 1", "device memory" });
        binding.memory = HALO_MEMORY_DEVICE;
        binding.device = 5;
        expect_failure(rank.context, halo_field_bind(u.handle(), 1, &binding), HALO_ERR_ARGUMENT, { "device late 5 cannot be opened" });
        binding.memory = 9;
        expect_failure(rank.context, halo_field_bind(u.handle(), 1, &binding), HALO_ERR_ARGUMENT, { "memory 9" });
        std::vector<double> both(2 * Ring::size); // all at once may move
        binding.memory = HALO_MEMORY_HOST;
        binding.device = 0;
        binding.data = both.data();
        OK(halo_field_bind_many(u.handle(), Ring::size, &binding));
        halo_binding nothing = HALO_BINDING_INIT;
        for (int64_t gid = 0; gid < 2; ++gid) OK(halo_field_bind(u.handle(), gid, &nothing));
        late::bind(u.handle(), 0, u.array(0).data(), HALO_MEMORY_DEVICE, 0);
    });
}

// The host looks at the values of such fields. Pinned memory is its own too.
TEST(DeviceErrors, FieldsThatAreReleasedByAgeAreOnTheHost) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const late::Array<double> array(rank.context, Ring::size);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "aged", desc.sparse = 1, desc.release_after = 1;
        halo_field *field = nullptr;
        OK(halo_field_create(ring.topology(), &desc, &field));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = array.data(), binding.memory = HALO_MEMORY_DEVICE;
        expect_failure(rank.context, halo_field_bind(field, 0, &binding), HALO_ERR_ARGUMENT,
                       { "field aged", "device memory", "the host alone looks at the values of fields with release_after" });
        double pinned[Ring::size];
        binding.data = pinned, binding.memory = HALO_MEMORY_PINNED;
        OK(halo_field_bind(field, 0, &binding));
        OK(halo_field_destroy(&field));
    });
}

TEST(DeviceErrors, AContextWithoutDevicesSaysSo) {
    run(1, {}, [](Rank &rank) {
        const Ring ring(rank, 1);
        halo_field *field = nullptr;
        const halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_field_create(ring.topology(), &desc, &field));
        halo_binding binding = HALO_BINDING_INIT;
        double storage[Ring::size];
        binding.data = storage;
        binding.memory = HALO_MEMORY_DEVICE;
        expect_failure(rank.context, halo_field_bind(field, 0, &binding), HALO_ERR_DEVICE,
                       { "device 0", "'host' (setting device) has no memory of its own" });
        void *pointer = nullptr;
        expect_failure(rank.context, halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 0, 100, &pointer), HALO_ERR_NOT_FOUND,
                       { "device memory" });
        OK(halo_field_destroy(&field));
    });
}

// Of pinned memory too, though the host reaches it. A field is left as it is.
TEST(DeviceErrors, AnOrdinalThatNoDeviceHas) {
    const auto bind_all = [](Rank &rank, int32_t memory, int32_t device) {
        const Ring ring(rank, 1);
        halo_field *field = nullptr;
        const halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_field_create(ring.topology(), &desc, &field));
        double storage[Ring::size];
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = storage, binding.memory = memory, binding.device = device;
        const halo_status status = halo_field_bind(field, 0, &binding);
        void *bound = nullptr;
        OK(halo_field_data(field, 0, 0, &bound));
        if (bound != (status == HALO_SUCCESS ? storage : nullptr)) stop("memory %d of device %d: bound to another storage", memory, device);
        OK(halo_field_destroy(&field));
        return status;
    };
    run(1, late::settings(), [&](Rank &rank) {
        for (const int32_t device : { 0, 1 }) OK(bind_all(rank, HALO_MEMORY_PINNED, device));
        expect_failure(rank.context, bind_all(rank, HALO_MEMORY_PINNED, 5), HALO_ERR_ARGUMENT, { "device late 5 cannot be opened" });
        for (const int32_t memory : { HALO_MEMORY_HOST, HALO_MEMORY_SHARED })
            expect_failure(rank.context, bind_all(rank, memory, 1), HALO_ERR_ARGUMENT,
                           { memory == HALO_MEMORY_HOST ? "no host memory of device 1" : "no shared memory of device 1" });
    });
    run(1, {}, [&](Rank &rank) {
        OK(bind_all(rank, HALO_MEMORY_PINNED, 0));
        expect_failure(rank.context, bind_all(rank, HALO_MEMORY_PINNED, 2), HALO_ERR_DEVICE, { "device 2", "has no memory of its own" });
    });
}

TEST(DeviceErrors, WhatAHostAloneDoesIsRefused) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE;
        desc.op = HALO_SUM;
        desc.combine_order = HALO_COMBINE_CANONICAL;
        const RingExchange canonical({ u.handle() }, &desc);
        expect_failure(rank.context, halo_exchange_start(canonical, nullptr, HALO_STREAM_DEFAULT), HALO_ERR_DEVICE,
                       { "field u is on device 0", "canonical order" });
        expect_failure(rank.context, halo_exchange_prepare(canonical), HALO_ERR_DEVICE, { "canonical order" });
    });
}

// The run is ended on all ranks, and the next one works.
TEST(DeviceErrors, ALaunchThatFails) {
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int64_t launch = 0; launch < 3; ++launch) { // pack, direct, unpack
            u.write(1, stream);
            if (rank.rank == 0) late_fail_launch(u.device(), launch);
            halo_status status = halo_exchange_start(exchange, nullptr, stream);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, stream);
            if (rank.rank == 0)
                expect_failure(rank.context, status, HALO_ERR_DEVICE,
                               { "exchange ", " over u, run ", ": device late", "a launch fails, as ordered" });
            else if (launch < 2)
                expect_failure(rank.context, status, HALO_ERR_PEER, { "rank 0", " over u, run ", "a launch fails, as ordered" });
            else
                OK(status); // it had its part
            for (int turn = 0; turn < 3; ++turn) {
                u.write(turn, stream);
                OK(halo_exchange_start(exchange, nullptr, stream));
                OK(halo_exchange_finish(exchange, stream));
                u.expect(turn, stream, "after the failure");
            }
        }
    });
}

// What has not been combined is not combined in the next run either.
TEST(DeviceErrors, ALaunchThatFailsToCombine) {
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), v(ring, "v");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE;
        desc.op = HALO_SUM;
        const RingExchange exchange({ u.handle(), v.handle() }, &desc);
        const late::Stream stream(u.device());
        std::vector<double> expected(Ring::size, 1);
        for (size_t i = 0; i < Ring::ghosts; ++i) expected[Ring::ghosts + i] = expected[Ring::n_cells + i] = 2;
        for (int turn = 0; turn < 4; ++turn) {
            for (int64_t b = 0; b < 2; ++b)
                for (const RingField *field : { &u, &v }) field->array(b).write(std::vector<double>(Ring::size, 1), stream);
            const bool fails = rank.rank == 0 && turn % 2 == 0;
            if (fails) late_fail_launch(u.device(), 2); // behind those that pack and set aside
            OK(halo_exchange_start(exchange, nullptr, stream));
            const halo_status status = halo_exchange_finish(exchange, stream);
            if (fails) {
                expect_failure(rank.context, status, HALO_ERR_DEVICE, { "device late", "a launch fails, as ordered" });
                continue;
            }
            OK(status);
            for (int64_t b = 0; b < 2; ++b)
                if (u.array(b).read(stream) != expected || v.array(b).read(stream) != expected)
                    stop("turn %d: block %lld differs", turn, static_cast<long long>(b));
        }
    });
}

// What a device still packs of a run that has failed goes into no message of a later one.
TEST(DeviceErrors, ARunFailsBeforeTheDeviceHasPacked) {
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 1);
        HostRingField h(ring, "h");
        const RingField u(ring, "u");
        const RingExchange exchange({ h.handle(), u.handle() });
        const late::Stream stream(u.device());
        const auto run_of = [&](std::array<int32_t, 2> fields) {
            halo_run run = HALO_RUN_INIT;
            run.n_fields = 2, run.field_mask = fields.data();
            const halo_status status = halo_exchange_start(exchange, &run, stream);
            return status == HALO_SUCCESS ? halo_exchange_finish(exchange, stream) : status;
        };
        for (int turn = 0; turn < 10; ++turn) {
            u.write(turn, stream);
            h.write(turn + 100);
            stream.synchronize();
            if (rank.rank == 0)
                late_delay_launch(u.device(), 0, 5000);
            else
                late_fail_launch(u.device(), 0);
            expect_failure(rank.context, run_of({ 0, 1 }), rank.rank == 0 ? HALO_ERR_PEER : HALO_ERR_DEVICE, { "a launch fails, as ordered" });
            OK(run_of({ 1, 0 }));
            h.write(turn + 200);
            OK(run_of({ 1, 1 })); // in the same slot
            h.expect(turn + 200, "on the host");
            u.expect(turn, stream, "on the device");
        }
    });
}

TEST(DeviceErrors, WantOfPinnedMemory) {
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), s(ring, "s", 0, true);
        for (int64_t b = 0; b < 2; ++b) late::bind(s.handle(), ring.first_gid() + b, s.array(b).data(), HALO_MEMORY_DEVICE, 0);
        for (int64_t after = 0; after < 8; ++after) {
            const RingExchange exchange({ u.handle(), s.handle() });
            const late::Stream stream(u.device());
            u.write(1, stream);
            s.write(1, stream);
            stream.synchronize();
            OK(halo_context_trim(rank.context));
            if (rank.rank == 0) late_fail_pinned(u.device(), after);
            halo_status status = halo_exchange_start(exchange, nullptr, stream);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, stream);
            if (rank.rank == 0) late_fail_pinned(u.device(), -1);
            if (status != HALO_SUCCESS && status != HALO_ERR_MEMORY && status != HALO_ERR_PEER)
                expect_failure(rank.context, status, HALO_ERR_MEMORY, {});
            u.write(2, stream);
            s.write(2, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            u.expect(2, stream, "after the failure");
            s.expect(2, stream, "after the failure");
        }
    });
}

// Of what sums are staged in. On all ranks the run has ended, and the next one works.
TEST(DeviceErrors, WantOfMemoryForSums) {
    std::array<int64_t, 2> n_failed{};
    run(2, late::settings({ { "timeout", "20" } }), [&](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u"), v(ring, "v");
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE, desc.op = HALO_SUM;
        for (int64_t after = 0; after < 4; ++after) {
            const RingExchange exchange({ u.handle(), v.handle() }, &desc);
            const late::Stream stream(u.device());
            const auto write = [&](double shift) {
                for (const RingField *field : { &u, &v }) field->write_with_ghosts(shift, stream);
            };
            write(1);
            stream.synchronize();
            OK(halo_context_trim(rank.context));
            if (rank.rank == 0) late_fail_allocation(u.device(), after);
            halo_status status = halo_exchange_start(exchange, nullptr, stream);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, stream);
            if (rank.rank == 0) late_fail_allocation(u.device(), -1);
            if (status != HALO_SUCCESS && rank.rank == 0) expect_failure(rank.context, status, HALO_ERR_MEMORY, { "device memory" });
            if (status != HALO_SUCCESS && rank.rank == 1) expect_failure(rank.context, status, HALO_ERR_PEER, { "rank 0", "device memory" });
            n_failed[static_cast<size_t>(rank.rank)] += status != HALO_SUCCESS;
            for (int turn = 2; turn < 5; ++turn) {
                write(turn);
                OK(halo_exchange_start(exchange, nullptr, stream));
                OK(halo_exchange_finish(exchange, stream));
                for (const RingField *field : { &u, &v }) field->expect_sums(turn, stream, "after the failure");
            }
        }
    });
    EXPECT_GE(n_failed[0], 1);
}

// A loop on the device finds no memory there for a field of the host, or none between them; begun again it does.
TEST(DeviceErrors, WantOfMemoryForAMirror) {
    run(2, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const late::OpenDevice device(rank.context);
        for (int64_t after = 0; after < 3; ++after) {
            const Ring ring(rank, 2);
            halo_field *field = late::make_field(ring);
            OK(halo_field_allocate(field, -1));
            for (int64_t gid = ring.first_gid(); gid < ring.first_gid() + 2; ++gid) {
                void *data = nullptr;
                OK(halo_field_data(field, gid, 0, &data));
                std::ranges::copy(ring.owned(gid, 1), static_cast<double *>(data));
            }
            const late::Stream stream(device.get());
            halo_access access = HALO_ACCESS_INIT;
            access.field = field, access.mode = HALO_READ, access.through = HALO_VIA_MAP;
            halo_batch *batch = nullptr;
            const auto begin = [&] {
                const halo_status status =
                    halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, HALO_ON_DEVICE, stream, &batch);
                return status == HALO_SUCCESS ? halo_access_ready(batch) : status;
            };
            OK(halo_context_trim(rank.context));
            late_fail_allocation(device.get(), after);
            const halo_status status = begin();
            late_fail_allocation(device.get(), -1);
            if (after == 0 || status != HALO_SUCCESS) {
                expect_failure(rank.context, status, HALO_ERR_MEMORY, { "device memory" });
                if (batch) stop("there is a batch");
                OK(begin());
            }
            for (int64_t gid = ring.first_gid(); gid < ring.first_gid() + 2; ++gid) {
                void *data = nullptr;
                std::vector<double> now(Ring::size);
                OK(halo_access_data(field, gid, 0, HALO_ON_DEVICE, &data));
                device.copy(now.data(), data, Ring::size * sizeof(double), stream);
                if (now != ring.filled(gid, 1)) stop("after %lld: block %lld differs", static_cast<long long>(after), static_cast<long long>(gid));
            }
            OK(halo_access_end(batch));
            OK(halo_field_destroy(&field));
        }
    });
}

TEST(DeviceErrors, ALoopOverStorageOnADevice) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        halo_access access = HALO_ACCESS_INIT;
        access.field = u.handle(), access.mode = HALO_READ, access.through = HALO_VIA_MAP;
        for (const int32_t where : { HALO_ON_HOST, HALO_ON_DEVICE }) {
            halo_batch *batch = nullptr;
            const halo_stream stream = where == HALO_ON_DEVICE ? HALO_STREAM_DEFAULT : HALO_STREAM_NONE;
            expect_failure(rank.context, halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, where, stream, &batch),
                           HALO_ERR_DEVICE, { "bound to memory of a device" });
        }
    });
}

// It looks at what is on the host, and lets the rest through.
TEST(DeviceErrors, CheckModeBesideDevices) {
    run(2, late::settings({ { "check", "1" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        halo_field *h = nullptr;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "h";
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
        OK(halo_field_create(ring.topology(), &desc, &h));
        OK(halo_field_allocate(h, -1));
        {
            const RingExchange exchange({ u.handle(), h });
            const late::Stream stream(u.device());
            for (int turn = 0; turn < 5; ++turn) {
                u.write(turn, stream);
                OK(halo_exchange_start(exchange, nullptr, stream));
                if (turn == 3 && rank.rank == 0) { // a ghost of the host's is written between
                    void *data = nullptr;
                    OK(halo_field_data(h, 0, 0, &data));
                    static_cast<double *>(data)[0] = 1;
                    expect_failure(rank.context, halo_exchange_finish(exchange, stream), HALO_ERR_CHECK,
                                   { "field h, part 0", "between start and finish" });
                    continue;
                }
                OK(halo_exchange_finish(exchange, stream));
                u.expect(turn, stream, "on the device");
            }
        }
        OK(halo_field_destroy(&h));
    });
}

// Of a module from before they came: it moves values of any type, and looks at those that it knows.
class OlderDevice {
public:
    explicit OlderDevice(Rank &rank) : rank_(rank), ring_(rank, 2) {}
    ~OlderDevice() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
    }
    OlderDevice(const OlderDevice &) = delete;
    OlderDevice &operator=(const OlderDevice &) = delete;

    void over(halo_type type, int32_t sparse, int32_t kind, halo_op op = HALO_MAX, int32_t order = HALO_COMBINE_BY_GID) {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "f", field.type = type, field.sparse = sparse;
        field.ghost_low[0] = field.ghost_high[0] = 1;
        OK(halo_field_create(ring_.topology(), &field, &field_));
        OK(halo_field_allocate(field_, -1));
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind, desc.op = op, desc.combine_order = order;
        desc.combine = [](void *, void *values, const void *contributions, int64_t n, halo_type, int64_t bytes) {
            std::memcpy(values, contributions, static_cast<size_t>(n * bytes));
            return HALO_SUCCESS;
        };
        OK(halo_exchange_create(&field_, 1, &desc, &exchange_));
    }
    // Owned cells are the number of their block and 1, ghosts 0.
    template <class T>
    void works(T first_ghost, T first_owned) {
        T *data[2];
        for (int64_t gid : { 0, 1 }) {
            void *storage = nullptr;
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_data(field_, gid, 0, &storage));
            OK(halo_field_layout(field_, gid, &layout));
            data[gid] = static_cast<T *>(storage) + layout.first_owned;
            std::fill_n(data[gid] - 1, Ring::n_cells + 2, T{ 0 });
            std::fill_n(data[gid], Ring::n_cells, static_cast<T>(gid + 1));
        }
        *(data[1] - 1) = T{ 9 };
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        const T ghost = *(data[0] - 1);
        if (ghost != first_ghost || data[0][Ring::n_cells - 1] != first_owned)
            stop("ghost %g, owned %g", static_cast<double>(ghost), static_cast<double>(data[0][Ring::n_cells - 1]));
    }
    void is_refused(const char *type) {
        for (int again = 0; again < 2; ++again)
            expect_failure(rank_.context, halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE), HALO_ERR_DEVICE,
                           { "field f", "device older does not know values of", type, "only move" });
    }

private:
    Rank &rank_;
    const Ring ring_;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

TEST(DeviceErrors, ValuesThatAnOlderModuleDoesNotKnow) {
    run(1, { { "device", "older" }, { "plugin_path", LATE_DIRECTORY } }, [](Rank &rank) {
        OlderDevice older(rank);
        older.over(HALO_UINT8, 0, HALO_KIND_GHOSTS);
        older.works<uint8_t>(2, 1);
        older.over(HALO_BFLOAT16, 0, HALO_KIND_GHOSTS);
        older.works<uint16_t>(2, 1);
        older.over(HALO_INT32, 0, HALO_KIND_REVERSE);
        older.works<int32_t>(0, 9);
        older.over(HALO_FLOAT64, 1, HALO_KIND_GHOSTS);
        older.works<double>(2, 1);
        older.over(HALO_UINT8, 0, HALO_KIND_REVERSE);
        older.is_refused("uint8");
        older.over(HALO_FLOAT16, 1, HALO_KIND_GHOSTS);
        older.is_refused("float16");
        older.over(HALO_INT16, 0, HALO_KIND_REVERSE, HALO_USER); // nothing is left to the device
        older.works<int16_t>(0, 9);
        older.over(HALO_INT16, 0, HALO_KIND_REVERSE, HALO_SUM, HALO_COMBINE_CANONICAL);
        older.works<int16_t>(0, 10);
    });
}

} // namespace
