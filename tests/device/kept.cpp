// SPDX-License-Identifier: BSD-3-Clause
// What a device still uses is nobody else's, whoever had it is gone: exchanges and fields that are destroyed while work of theirs is queued.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "channel_end.h"
#include "halo_access.h"
#include "late/ring.h"

namespace {

using namespace conformance;
using late::Ring;
using late::RingExchange;
using late::RingField;

constexpr int32_t long_enough = 20000; // microseconds

// Pinned memory for whoever asks next. Nobody writes there.
class Taken {
public:
    Taken(halo_context *context, int64_t bytes) : context_(context), bytes_(static_cast<size_t>(bytes)) {
        for (void *&block : blocks_) OK(halo_memory_allocate_on(context, HALO_MEMORY_PINNED, 0, bytes, &block));
    }
    ~Taken() {
        for (void *&block : blocks_) halo_memory_release(context_, &block);
    }
    Taken(const Taken &) = delete;
    Taken &operator=(const Taken &) = delete;

    void expect_zeros() const {
        for (const void *block : blocks_) {
            const auto *values = static_cast<const char *>(block);
            if (std::any_of(values, values + bytes_, [](char value) { return value != 0; })) stop("a device has written into what is another's");
        }
    }

private:
    halo_context *context_;
    size_t bytes_;
    void *blocks_[6] = {};
};

// Gives memory back that nobody uses, as devices say.
void trim_for_a_while(halo_context *context) {
    for (int turn = 0; turn < 50; ++turn) {
        OK(halo_context_trim(context));
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

TEST(KeptForDevices, AMessageThatIsPacked) {
    run(2, late::settings(), [](Rank &rank) {
        constexpr int32_t n_components = 560;
        constexpr int64_t bytes = int64_t{ n_components } * 2 * Ring::ghosts * int64_t{ sizeof(double) }; // with its header, of one size of the pools
        const Ring ring(rank, 1);
        halo_field *field = late::make_field(ring, n_components);
        const late::Array<double> values(rank.context, Ring::size * n_components);
        late::bind(field, ring.first_gid(), values.data(), HALO_MEMORY_DEVICE, 0);
        {
            const late::Stream stream(values.device());
            values.write(std::vector<double>(Ring::size * n_components, 1), stream);
            {
                const RingExchange exchange({ field });
                late_delay_launch(values.device(), 0, long_enough);
                OK(halo_exchange_start(exchange, nullptr, stream));
                OK(halo_exchange_abandon(exchange));
            }
            const Taken others(rank.context, bytes);
            stream.synchronize();
            others.expect_zeros();
        }
        OK(halo_field_destroy(&field));
    });
}

TEST(KeptForDevices, AFillValue) {
    run(2, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField s(ring, "s", 0, true);
        const late::Stream stream(s.device());
        if (rank.rank == 1) { // it has no storage
            const RingExchange exchange({ s.handle() });
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            return;
        }
        late::bind(s.handle(), 0, s.array(0).data(), HALO_MEMORY_DEVICE, 0);
        std::vector<double> values(Ring::size, 0);
        s.array(0).write(values, stream);
        stream.synchronize();
        {
            const RingExchange exchange({ s.handle() });
            late_delay_launch(s.device(), 1, long_enough); // behind the test of what is null
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
        }
        const Taken others(rank.context, sizeof(double));
        for (size_t g = 0; g < Ring::ghosts; ++g) values[g] = values[Ring::size - 1 - g] = -7;
        if (s.array(0).read(stream) != values) stop("ghosts have another fill value");
    });
}

TEST(KeptForDevices, SumsThatAreStaged) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const late::Stream stream(u.device());
        for (int64_t b = 0; b < 2; ++b) u.array(b).write(ring.filled(b, 1), stream);
        stream.synchronize();
        {
            halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
            desc.kind = HALO_KIND_REVERSE;
            desc.op = HALO_SUM;
            const RingExchange exchange({ u.handle() }, &desc);
            late_delay_launch(u.device(), 0, long_enough);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
        }
        trim_for_a_while(rank.context);
        for (int64_t b = 0; b < 2; ++b) {
            const std::vector<double> values = u.array(b).read(stream), before = ring.filled(b, 1);
            for (size_t i = 0; i < Ring::ghosts; ++i)
                if (values[Ring::ghosts + i] != 2 * before[Ring::ghosts + i]) stop("block %lld has no sum", static_cast<long long>(b));
        }
    });
}

// A loop, and its batch; what follows in the stream is the loop's.
void access(const Rank &rank, halo_field *field, int32_t mode, int32_t through, int32_t where, halo_stream stream) {
    halo_access access = HALO_ACCESS_INIT;
    access.field = field;
    access.mode = mode;
    access.through = through;
    access.whole = mode == HALO_WRITE;
    halo_batch *batch = nullptr;
    OK(halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, where, stream, &batch));
    OK(halo_access_ready(batch));
    OK(halo_access_end(batch));
}

// Copies and fills for a loop are in its stream: they do not wait for what is in others.
class StreamOfALoop : public testing::TestWithParam<int32_t> {};

TEST_P(StreamOfALoop, HasWhatIsDoneForIt) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField busy(ring, "busy");
        const RingExchange elsewhere({ busy.handle() });
        const late::OpenDevice device(rank.context);
        const late::Stream stream(device.get());
        halo_field *field = late::make_field(ring);
        OK(halo_field_allocate(field, -1));
        void *data = nullptr;
        access(rank, field, HALO_WRITE, HALO_DIRECT, HALO_ON_HOST, HALO_STREAM_NONE);
        OK(halo_access_data(field, 0, 0, HALO_ON_HOST, &data));
        std::fill_n(static_cast<double *>(data), Ring::size, 5.0);
        late_delay_launch(device.get(), 0, 400000);
        OK(halo_exchange_start(elsewhere, nullptr, HALO_STREAM_DEFAULT));
        const bool fills = GetParam() == HALO_INC;
        access(rank, field, GetParam(), fills ? HALO_VIA_MAP : HALO_DIRECT, HALO_ON_DEVICE, stream);
        OK(halo_access_data(field, 0, 0, HALO_ON_DEVICE, &data));
        std::vector<double> values(Ring::size);
        device.copy(values.data(), data, Ring::size * sizeof(double), stream);
        stream.synchronize();
        const size_t at = fills ? 0 : Ring::ghosts;
        if (values[at] != (fills ? 0.0 : 5.0)) stop("value %zu is %g", at, values[at]);
        OK(halo_exchange_finish(elsewhere, HALO_STREAM_DEFAULT));
        OK(halo_field_destroy(&field));
    });
}

INSTANTIATE_TEST_SUITE_P(KeptForDevices, StreamOfALoop, testing::Values(HALO_READ, HALO_INC),
                         [](const auto &one) { return std::string(one.param == HALO_READ ? "Copies" : "Fills"); });

// A context does not wait for ever when it is destroyed: what the device still works on stays.
TEST(KeptForDevices, WhatADeviceDoesNotLetGo) {
    halo_device *device = nullptr;
    void *data = nullptr;
    std::chrono::steady_clock::time_point begin;
    run(1, late::settings({ { "timeout", "0.1" } }), [&](Rank &rank) {
        const Ring ring(rank, 1);
        halo_field *field = late::make_field(ring);
        device = late::OpenDevice(rank.context).get();
        OK(halo_device_late.ops->allocate(device, HALO_MEMORY_DEVICE, Ring::size * sizeof(double), &data));
        late::bind(field, 0, data, HALO_MEMORY_DEVICE, 0);
        {
            const RingExchange exchange({ field });
            late_delay_launch(device, 0, 2000000);
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_DEFAULT));
            OK(halo_exchange_abandon(exchange));
        }
        OK(halo_field_destroy(&field));
        begin = std::chrono::steady_clock::now();
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
    late_stream_synchronize(device, nullptr); // tables and module are still there
}

// Whether the library has brought values to the device, has exchanged ghosts there, or has done nothing.
class StorageOfFields : public testing::TestWithParam<const char *> {};

TEST_P(StorageOfFields, IsKept) {
    run(1, late::settings(), [](Rank &rank) {
        const std::string what = GetParam();
        const Ring ring(rank, 2);
        const late::OpenDevice device(rank.context);
        const late::Array<double> kept(rank.context, Ring::size);
        const late::Stream stream(device.get());
        halo_field *field = late::make_field(ring);
        OK(halo_field_allocate(field, -1));
        access(rank, field, what == "Brought" ? HALO_READ : HALO_WRITE, HALO_DIRECT, HALO_ON_DEVICE, stream);
        void *data = nullptr;
        OK(halo_access_data(field, 0, 0, HALO_ON_DEVICE, &data));
        if (what == "Exchanged") {
            late_delay_launch(device.get(), 0, long_enough);
            access(rank, field, HALO_READ, HALO_VIA_MAP, HALO_ON_DEVICE, stream);
        } else {
            for (int copy = 0; copy < 400; ++copy) device.copy(kept.data(), data, Ring::size * sizeof(double), stream);
        }
        OK(halo_field_destroy(&field));
        trim_for_a_while(rank.context);
        stream.synchronize();
    });
}

INSTANTIATE_TEST_SUITE_P(KeptForDevices, StorageOfFields, testing::Values("Brought", "Written", "Exchanged"),
                         [](const auto &one) { return std::string(one.param); });

} // namespace
