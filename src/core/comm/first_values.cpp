// SPDX-License-Identifier: BSD-3-Clause
#include "comm/first_values.h"

#include "comm/wait.h"

namespace halo {

void write_first_values(Context &context, const Device &device, FunctionRef<void()> put) {
    Event written(device);
    put();
    written.record(nullptr);
    Waiter waiter(context, context.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto what = [&] { return format("memory: device %d writes values", device.ordinal()); };
    while (!written.has_fired())
        if (!waiter.pause(what)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), what().c_str());
}

void write_zeros(Context &context, const Device &device, void *data, int64_t bytes) {
    const uint8_t zero = 0;
    write_first_values(context, device, [&] { device.fill(data, &zero, 1, bytes, nullptr); });
}

} // namespace halo
