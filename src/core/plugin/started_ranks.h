// SPDX-License-Identifier: BSD-3-Clause
// Ranks that a launcher has started, which a bootstrap module brings together while one context is made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "halo_plugin.h"
#include "plugin/selection.h"

namespace halo {

class StartedRanks {
public:
    using Tell = std::function<void(const std::string &)>;

    // `report` is where the module's host puts its error text. Waits end at the time limit, `tell` hears of those that last for `warn_after`.
    // Seconds; 0: none.
    StartedRanks(const BootstrapChoice &choice, const halo_host &host, const std::string &report, double time_limit, double warn_after, Tell tell);
    ~StartedRanks();
    StartedRanks(const StartedRanks &) = delete;
    StartedRanks &operator=(const StartedRanks &) = delete;

    const halo_bootstrap &given() const { return given_; }
    std::string text() const;
    void allgather(const void *mine, size_t bytes, void *all);

    // Collective. All ranks have done it, or all fail, with the first one's reason.
    template <class Do>
    auto together(Do &&what) -> decltype(what()) {
        decltype(what()) done{};
        std::optional<Error> failure;
        try {
            done = what();
        } catch (...) {
            failure = present_error();
        }
        compare(failure);
        return done;
    }
    // What has failed in an exchange is thrown rather than what others make of it.
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
    void check(halo_status status, const char *what) const;
    void await(void *all);
    void compare(const std::optional<Error> &failure);

    std::string name_, why_;
    const std::string &report_;
    halo_bootstrap_ops ops_{};
    halo_ranks *ranks_ = nullptr;
    double begun_;
    double time_limit_;
    double warn_after_;
    Tell tell_;
    halo_bootstrap given_ = HALO_BOOTSTRAP_INIT;
    std::optional<Error> failed_;
};

} // namespace halo
