// SPDX-License-Identifier: BSD-3-Clause
// The end of a run, and what steps do around it.
#include <iterator>

#include "exchange/round.h"

namespace halo {

void Round::use_on_device(Space space, const Buffer &memory) {
    const size_t n_works = run_.works.size();
    joined(context_.device_of(space)).keep(memory);
    if (run_.works.size() != n_works) put_works_on(stream_);
}

void Round::operate(Space space, std::span<const halo_level_operation> operations) {
    if (operations.empty()) return;
    if (space.on_device()) return work_on(context_.device_of(space)).operate(operations);
    const Device &host = context_.device();
    host.check(host.ops().levels_run(host.instance(), operations.data(), std::ssize(operations), HALO_STREAM_NONE));
}

// The run is over for all peers: nobody is told.
void Round::end(halo_stream stream, Around at_end) {
    require(Phase::unpacked, "refine");
    require_stream(stream);
    try {
        put_on(stream);
        at_end();
        for (DeviceWork *work : run_.works) work->leave_stream();
    } catch (...) {
        const Error error = named(present_error(), run_.epoch);
        note_failed_call();
        end_run(Phase::idle);
        throw error;
    }
    end();
}

void Round::finish(halo_stream stream) {
    do_finish(stream, [&] {
        unpack(stream);
        end();
    });
}

void Round::finish(halo_stream stream, Around after_unpack, Around at_end) {
    do_finish(stream, [&] {
        unpack(stream, after_unpack);
        end(stream, at_end);
    });
}

} // namespace halo
