// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/started_ranks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace halo {

namespace {

// How one rank stands.
struct Standing {
    int32_t status;
    char text[252]; // ends with a zero
};
static_assert(sizeof(Standing) == 256);

} // namespace

StartedRanks::StartedRanks(const BootstrapChoice &choice, const halo_host &host, const std::string &report, double time_limit, double warn_after,
                           Tell tell)
    : name_(choice.plugin->name),
      why_(choice.why),
      report_(report),
      begun_(steady_seconds()),
      time_limit_(time_limit),
      warn_after_(warn_after),
      tell_(std::move(tell)) {
    std::memcpy(&ops_, choice.plugin->ops, std::min(sizeof ops_, choice.plugin->ops->struct_size));
    check(ops_.open(&host, &ranks_), "cannot be opened");
    ops_.identify(ranks_, &given_.rank, &given_.n_ranks);
    if (given_.rank < 0 || given_.rank >= given_.n_ranks) {
        ops_.close(ranks_);
        fail(HALO_ERR_PLUGIN, "bootstrap %s tells of rank %d of %d", name_.c_str(), given_.rank, given_.n_ranks);
    }
    given_.user = this;
    given_.allgather = [](void *self, const void *mine, size_t bytes, void *all) {
        auto *ranks = static_cast<StartedRanks *>(self);
        try {
            ranks->allgather(mine, bytes, all);
            return HALO_SUCCESS;
        } catch (...) {
            ranks->failed_ = present_error();
            return ranks->failed_->status();
        }
    };
}

StartedRanks::~StartedRanks() { ops_.close(ranks_); }

std::string StartedRanks::text() const { return "the bootstrap " + name_ + ": " + why_; }

void StartedRanks::check(halo_status status, const char *what) const {
    if (status != HALO_SUCCESS) fail(status, "bootstrap %s %s: %s", name_.c_str(), what, report_.c_str());
}

void StartedRanks::allgather(const void *mine, size_t bytes, void *all) {
    check(ops_.start(ranks_, mine, bytes), "cannot exchange addresses");
    await(all);
}

void StartedRanks::await(void *all) {
    constexpr double forever = std::numeric_limits<double>::infinity();
    constexpr std::chrono::microseconds first_nap{ 20 }, longest_nap{ 5000 };
    const double begin = steady_seconds(), limit = time_limit_ > 0 ? begun_ + time_limit_ : forever;
    double warn = warn_after_ > 0 ? begin + warn_after_ : forever;
    const auto missing = [&] { return format("bootstrap %s, rank %d of %d: not all ranks have come", name_.c_str(), given_.rank, given_.n_ranks); };
    for (auto nap = first_nap;; nap = std::min(2 * nap, longest_nap)) {
        int32_t done = 0;
        check(ops_.test(ranks_, all, &done), "cannot exchange addresses");
        if (done) return;
        const double now = steady_seconds();
        if (now >= limit) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", now - begun_, missing().c_str());
        if (now >= warn) {
            tell_(format("waiting for %.0f s: %s", now - begin, missing().c_str()));
            warn = now + (now - begin); // when the wait has doubled
        }
        std::this_thread::sleep_for(nap);
    }
}

void StartedRanks::compare(const std::optional<Error> &failure) {
    Standing mine{};
    if (failure) {
        mine.status = failure->status();
        std::memcpy(mine.text, failure->what(), std::min(failure->text().size(), sizeof mine.text - 1));
    }
    std::vector<Standing> all(static_cast<size_t>(given_.n_ranks));
    try {
        allgather(&mine, sizeof mine, all.data());
    } catch (...) {
        if (!failure) throw;
    }
    if (failure) throw Error(*failure); // whether the others have heard of it or not
    const auto first = std::find_if(all.begin(), all.end(), [](const Standing &one) { return one.status != HALO_SUCCESS; });
    if (first == all.end()) return;
    first->text[sizeof first->text - 1] = '\0';
    fail_after(HALO_ERR_PEER, format("bootstrap %s: another rank has given it up", name_.c_str()),
               { static_cast<int32_t>(first - all.begin()), static_cast<halo_status>(first->status), first->text });
}

} // namespace halo
