// SPDX-License-Identifier: BSD-3-Clause
// The context of one rank of an in-process group, as halo_context_create_inproc makes it.
#pragma once

#include <memory>

#include "comm/context.h"
#include "plugin/inproc_group.h"

namespace halo {

inline std::unique_ptr<Context> open_context(halo_inproc *group, int32_t rank, const halo_context_options &options = HALO_CONTEXT_OPTIONS_INIT) {
    InprocMeeting meeting(group, rank);
    ContextSource source;
    source.meeting = &meeting;
    auto context = std::make_unique<Context>(source, options);
    context->meet(&meeting);
    return context;
}

} // namespace halo
