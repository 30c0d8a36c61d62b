// SPDX-License-Identifier: BSD-3-Clause
// What a transport that is opened needs to exchange addresses: by the collectives of a context that has another transport already.
#pragma once

#include <cstddef>
#include <optional>

#include "base/error.h"
#include "comm/context.h"

namespace halo {

class ContextBootstrap {
public:
    explicit ContextBootstrap(Context &context);

    const halo_bootstrap &given() const { return given_; }
    // An exchange of addresses has failed, perhaps on this rank alone.
    bool has_failed() const { return failed_.has_value(); }
    // Opens, by `open()`. What has failed in an exchange of addresses is thrown rather than what the module makes of it.
    template <class Open>
    auto opens(Open &&open) {
        try {
            return open();
        } catch (...) {
            if (failed_) throw Error(*failed_);
            throw;
        }
    }

private:
    static halo_status allgather(void *self, const void *mine, size_t bytes, void *all);

    Context &context_;
    halo_bootstrap given_ = HALO_BOOTSTRAP_INIT;
    std::optional<Error> failed_;
};

} // namespace halo
