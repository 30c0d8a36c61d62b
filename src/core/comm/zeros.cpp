// SPDX-License-Identifier: BSD-3-Clause
#include "comm/zeros.h"

#include "comm/wait.h"

namespace halo {

void write_zeros(Context &context, const Device &device, void *data, int64_t bytes) {
    const uint8_t zero = 0;
    Event written(device);
    device.fill(data, &zero, 1, bytes, nullptr);
    written.record(nullptr);
    Waiter waiter(context, context.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto what = [&] { return format("memory: device %d writes %lld zeros", device.ordinal(), static_cast<long long>(bytes)); };
    while (!written.has_fired())
        if (!waiter.pause(what)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), what().c_str());
}

} // namespace halo
