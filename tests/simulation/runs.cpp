// SPDX-License-Identifier: BSD-3-Clause
#include "objects.h"

namespace programs {

bool Runs::start() {
    halo_run run = made_.run;
    run.n_fields = static_cast<int32_t>(made_.mask.size()), run.field_mask = made_.mask.empty() ? nullptr : made_.mask.data();
    if (!made_.phases) return calls_.works("start", [&] { return halo_exchange_start(exchange, &run, HALO_STREAM_NONE); });
    bool in_time = true;
    const auto send = [&] {
        const halo_status status = poll([&] { return halo_exchange_send(exchange, HALO_STREAM_NONE); });
        in_time = status != HALO_BUSY;
        return in_time ? status : HALO_SUCCESS;
    };
    return calls_.works("post", [&] { return halo_exchange_post(exchange, &run); }) && calls_.works("send", send) && in_time;
}

bool Runs::finish() {
    if (!made_.phases) return calls_.works("finish", [&] { return halo_exchange_finish(exchange, HALO_STREAM_NONE); });
    const auto test = [&] {
        int32_t done = 0;
        const halo_status status = halo_exchange_test(exchange, &done);
        return status == HALO_SUCCESS && !done ? HALO_BUSY : status;
    };
    bool here = false;
    if (!calls_.works("test", [&] {
            const halo_status status = poll(test);
            here = status == HALO_SUCCESS;
            return status == HALO_BUSY ? HALO_SUCCESS : status;
        }))
        return false;
    if (!here) return false;
    if (before_unpack) before_unpack();
    return calls_.works("unpack", [&] { return halo_exchange_unpack(exchange, HALO_STREAM_NONE); }) &&
           calls_.works("refine", [&] { return halo_exchange_refine(exchange, HALO_STREAM_NONE); });
}

void Runs::destroy() {
    if (!exchange) return;
    halo_exchange_abandon(exchange); // refused where none is in flight
    calls_.free("exchange", [&] { return halo_exchange_destroy(&exchange); });
}

} // namespace programs
