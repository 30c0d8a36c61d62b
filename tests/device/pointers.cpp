// SPDX-License-Identifier: BSD-3-Clause
// Storage that is bound as of another memory than it is of, as far as the device's module tells.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <vector>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::Ring;

// A field of two parts, and attempts to bind them.
class Bound {
public:
    explicit Bound(const Ring &ring) : ring_(ring), field_(late::make_field(ring)) {}
    ~Bound() { halo_field_destroy(&field_); }
    Bound(const Bound &) = delete;
    Bound &operator=(const Bound &) = delete;

    void takes(void *data, int32_t memory, int32_t device) {
        OK(bind(data, memory, device, false));
        unbind();
        OK(bind(data, memory, device, true));
        unbind();
    }
    // Nothing is bound then.
    void refuses(void *data, int32_t memory, int32_t device, std::initializer_list<const char *> parts) {
        for (const bool all : { false, true }) {
            const halo_status status = bind(data, memory, device, all);
            const char *const text = halo_context_error(ring_.rank().context);
            if (status != HALO_ERR_ARGUMENT) stop("status %d: %s", status, text);
            for (const char *part : parts)
                if (!std::strstr(text, part)) stop("'%s' is not in: %s", part, text);
            for (const int64_t gid : { 0, 1 }) {
                void *bound = nullptr;
                OK(halo_field_data(field_, gid, 0, &bound));
                if (bound) stop("part %lld is bound", static_cast<long long>(gid));
            }
        }
    }

private:
    halo_status bind(void *data, int32_t memory, int32_t device, bool all) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = data, binding.memory = memory, binding.device = device;
        return all ? halo_field_bind_many(field_, Ring::size, &binding) : halo_field_bind(field_, 0, &binding);
    }
    void unbind() {
        const halo_binding nothing = HALO_BINDING_INIT;
        for (const int64_t gid : { 0, 1 }) OK(halo_field_bind(field_, gid, &nothing));
    }

    const Ring &ring_;
    halo_field *field_;
};

constexpr size_t both_parts = 2 * Ring::size;

TEST(PointersOfDevices, OfAnotherMemoryAreRefused) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        Bound u(ring);
        std::vector<double> on_host(both_parts);
        u.refuses(on_host.data(), HALO_MEMORY_DEVICE, 0,
                  { "field field 0, part 0", "bound as device memory of device 0", "device late", "host memory" });
        const late::Array<double> first(rank.context, both_parts, 0), second(rank.context, both_parts, 1);
        u.refuses(first.data(), HALO_MEMORY_HOST, 0, { "part 0", "bound as host memory", "as device memory of device 0" });
        u.refuses(second.data(), HALO_MEMORY_PINNED, 0, { "part 0", "bound as pinned memory", "as device memory of device 1" });
        u.refuses(second.data(), HALO_MEMORY_DEVICE, 0, { "bound as device memory of device 0", "as device memory of device 1" });
        u.takes(first.data(), HALO_MEMORY_DEVICE, 0);
        u.takes(second.data(), HALO_MEMORY_DEVICE, 1);
        u.takes(on_host.data(), HALO_MEMORY_HOST, 0);
        u.takes(on_host.data(), HALO_MEMORY_PINNED, 0);
    });
}

// What host and device reach may be bound as either. No device of the library's has been asked for before.
TEST(PointersOfDevices, ThatBothReachAreTaken) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        Bound u(ring);
        std::vector<double> on_host(both_parts);
        u.takes(on_host.data(), HALO_MEMORY_HOST, 0);
        void *pinned = nullptr;
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_PINNED, 0, both_parts * sizeof(double), &pinned));
        for (const int32_t memory : { HALO_MEMORY_HOST, HALO_MEMORY_PINNED, HALO_MEMORY_DEVICE }) u.takes(pinned, memory, 0);
        OK(halo_memory_release(rank.context, &pinned));
    });
}

// That of a second part, in one call for all.
TEST(PointersOfDevices, ABlockThatEndsTooSoon) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        halo_field *field = late::make_field(ring);
        const late::Array<double> one(rank.context, Ring::size);
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = one.data(), binding.memory = HALO_MEMORY_DEVICE;
        if (halo_field_bind_many(field, int64_t{ 1 } << 40, &binding) != HALO_ERR_ARGUMENT) stop("memory beyond the block is bound");
        if (!std::strstr(halo_last_error(), "part 1: ")) stop("%s", halo_last_error());
        OK(halo_field_destroy(&field));
    });
}

// In check mode, those of a run too; on all ranks the run has ended then, and the next one works.
TEST(PointersOfDevices, OfARun) {
    run(2, late::settings({ { "check", "yes" }, { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        halo_field *field = late::make_field(ring);
        const late::RingField storage(ring, "storage");
        std::vector<double> on_host(Ring::size);
        {
            const late::RingExchange exchange({ field });
            const late::Stream stream(storage.device());
            void *data[] = { storage.array(0).data(), storage.array(1).data() };
            int32_t device = 0;
            halo_run run = HALO_RUN_INIT;
            run.data = data, run.n_data = 2;
            run.devices = &device, run.n_fields = 1;
            const auto run_once = [&] {
                const halo_status status = halo_exchange_start(exchange, &run, stream);
                return status == HALO_SUCCESS ? halo_exchange_finish(exchange, stream) : status;
            };
            const auto expect = [&](halo_status status, std::initializer_list<const char *> parts) {
                const char *const text = halo_context_error(rank.context);
                if (status != (rank.rank == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER)) stop("%s: %s", halo_status_name(status), text);
                for (const char *part : parts)
                    if (!std::strstr(text, part)) stop("'%s' is not in: %s", part, text);
            };
            storage.write(1, stream);
            if (rank.rank == 0) data[1] = on_host.data();
            expect(run_once(), { "part 1", "is given to the run as device memory of device 0", "knows it as host memory" });
            data[1] = storage.array(1).data();
            if (rank.rank == 0) device = HALO_DEVICE_HOST;
            expect(run_once(), { "part 0", "is given to the run as host memory", "knows it as device memory of device 0" });
            device = 0;
            storage.write(5, stream);
            OK(run_once());
            storage.expect(5, stream, "afterwards");
        }
        OK(halo_field_destroy(&field));
    });
}

TEST(PointersOfDevices, OfAModuleThatDoesNotTellAreTaken) {
    run(1, late::settings({}, "seven"), [](Rank &rank) {
        const Ring ring(rank, 2);
        std::vector<double> on_host(both_parts);
        Bound(ring).takes(on_host.data(), HALO_MEMORY_DEVICE, 0);
    });
}

} // namespace
