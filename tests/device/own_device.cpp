// SPDX-License-Identifier: BSD-3-Clause
// Which device a rank takes where the program names none: ranks of a host take turns, or the setting device.ordinal says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "halo_access.h"
#include "late/ring.h"

namespace {

using namespace conformance;
using late::Ring;

class Told {
public:
    explicit Told(int32_t n) { late_tell_devices(n); }
    ~Told() { late_tell_devices(0); }
    Told(const Told &) = delete;
    Told &operator=(const Told &) = delete;
};

int32_t ordinal_of(void *memory) {
    halo_device *const device = late_of_memory(memory);
    return device ? late_ordinal(device) : -1;
}

void read(const Rank &rank, halo_field *field, int32_t through, int32_t where) {
    halo_access access = HALO_ACCESS_INIT;
    access.field = field, access.mode = HALO_READ, access.through = through;
    halo_batch *batch = nullptr;
    const halo_stream stream = where == HALO_ON_DEVICE ? HALO_STREAM_DEFAULT : HALO_STREAM_NONE;
    OK(halo_access_begin(rank.context, &access, 1, sizeof access, HALO_STYLE_REVERSE, where, stream, &batch));
    OK(halo_access_ready(batch));
    OK(halo_access_end(batch));
}

// The setting, memory without an ordinal, and loops, with the exchange between them.
void expect_own(Rank &rank, int32_t ordinal, const char *source) {
    const char *value = nullptr, *from = nullptr;
    OK(halo_context_setting(rank.context, "device.ordinal", &value, &from));
    if (std::to_string(ordinal) != value || !std::strstr(from, source)) stop("device.ordinal = %s from %s", value, from);
    char text[1024];
    OK(halo_info(rank.context, HALO_INFO_MODULES, text, sizeof text, nullptr));
    if (const std::string wanted = text_of("device late %d of 2: ", ordinal); !std::strstr(text, wanted.c_str())) stop("%s", text);
    for (const int32_t memory : { HALO_MEMORY_DEVICE, HALO_MEMORY_PINNED }) {
        void *data = nullptr;
        OK(halo_memory_allocate(rank.context, memory, 100, &data));
        if (memory == HALO_MEMORY_DEVICE && ordinal_of(data) != ordinal) stop("memory of device %d", ordinal_of(data));
        OK(halo_memory_release(rank.context, &data));
    }
    const Ring ring(rank, 2);
    halo_field *field = late::make_field(ring);
    OK(halo_field_allocate(field, -1));
    void *data = nullptr;
    for (int64_t gid = ring.first_gid(); gid < ring.first_gid() + 2; ++gid) {
        OK(halo_field_data(field, gid, 0, &data));
        const std::vector<double> values = ring.owned(gid, 1);
        std::copy(values.begin(), values.end(), static_cast<double *>(data));
    }
    read(rank, field, HALO_VIA_MAP, HALO_ON_DEVICE);
    OK(halo_access_data(field, ring.first_gid(), 0, HALO_ON_DEVICE, &data));
    if (ordinal_of(data) != ordinal) stop("a loop is on device %d", ordinal_of(data));
    read(rank, field, HALO_VIA_MAP, HALO_ON_HOST);
    for (int64_t gid = ring.first_gid(); gid < ring.first_gid() + 2; ++gid) {
        OK(halo_access_data(field, gid, 0, HALO_ON_HOST, &data));
        if (!std::equal(static_cast<double *>(data), static_cast<double *>(data) + Ring::size, ring.filled(gid, 1).begin()))
            stop("block %lld differs", static_cast<long long>(gid));
    }
    OK(halo_field_destroy(&field));
}

TEST(OwnDevices, RanksOfAHostTakeTurns) {
    const Told two(2);
    run(3, late::settings(), [](Rank &rank) { expect_own(rank, rank.rank % 2, "local rank"); });
}

TEST(OwnDevices, AsTheSettingSays) {
    const Told two(2);
    run(2, late::settings({ { "device.ordinal", "1" } }), [](Rank &rank) { expect_own(rank, 1, "call"); });
}

TEST(OwnDevices, OneThatIsNotThere) {
    const Told two(2);
    run_raw(1, [](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        const halo_status status = make_context(group, rank, late::settings({ { "device.ordinal", "2" } }), &context);
        if (status != HALO_ERR_DEVICE) stop("%s: %s", halo_status_name(status), halo_last_error());
        for (const char *part : { "device.ordinal = 2", "2 devices of 'late'" })
            if (!std::strstr(halo_last_error(), part)) stop("%s", halo_last_error());
    });
}

} // namespace
