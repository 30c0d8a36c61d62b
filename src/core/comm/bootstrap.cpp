// SPDX-License-Identifier: BSD-3-Clause
#include "comm/bootstrap.h"

#include "comm/collective.h"

namespace halo {

ContextBootstrap::ContextBootstrap(Context &context) : context_(context) {
    given_.rank = context.rank();
    given_.n_ranks = context.size();
    given_.user = this;
    given_.allgather = allgather;
}

halo_status ContextBootstrap::allgather(void *self, const void *mine, size_t bytes, void *all) {
    auto *bootstrap = static_cast<ContextBootstrap *>(self);
    try {
        halo::allgather(bootstrap->context_, mine, bytes, all);
        return HALO_SUCCESS;
    } catch (...) {
        bootstrap->failed_ = present_error();
        return bootstrap->failed_->status();
    }
}

} // namespace halo
