// SPDX-License-Identifier: BSD-3-Clause
#include "open.h"

#include <cstdio>
#include <cstring>
#include <new>

#include "report.h"

namespace halo::shm {

using transport::report;

namespace {

// What each rank tells the others in each exchange.
struct Card {
    int32_t status = HALO_SUCCESS; // of opening, there
    int32_t reserved = 0;
    Place place;
    SegmentAddress address;
    uint64_t started = 0;
    Trouble trouble = "";
};

Copy copy_wanted(const halo_host *host) {
    const char *word = host->setting != nullptr ? host->setting(host->core, "shm.copy") : nullptr;
    if (word == nullptr) return Copy::automatic;
    if (std::strcmp(word, "once") == 0) return Copy::once;
    return std::strcmp(word, "twice") == 0 ? Copy::twice : Copy::automatic;
}

class Opening {
public:
    Opening(const halo_host *host, const halo_bootstrap &bootstrap, bool readable_only)
        : host_(host),
          bootstrap_(bootstrap),
          cards_(static_cast<size_t>(bootstrap.n_ranks)),
          endpoint_(std::make_unique<Endpoint>(host, bootstrap.rank, bootstrap.n_ranks, copy_wanted(host), readable_only)) {}

    halo_status run(std::unique_ptr<Endpoint> &opened) {
        own_.place = this_place();
        if (halo_status status = exchange(); status != HALO_SUCCESS) return status;
        attempt([&] { return make_segment(); });
        if (halo_status status = exchange(); status != HALO_SUCCESS) return status;
        attempt([&] { return meet_others(); });
        if (halo_status status = exchange(); status != HALO_SUCCESS) return status; // all have mapped what they can
        endpoint_->settle();
        opened = std::move(endpoint_);
        return HALO_SUCCESS;
    }

private:
    template <class Step>
    void attempt(Step step) {
        try {
            if (!step()) own_.status = HALO_ERR_TRANSPORT;
        } catch (const std::bad_alloc &) {
            own_.status = HALO_ERR_MEMORY;
            std::snprintf(own_.trouble, sizeof own_.trouble, "no memory");
        }
    }

    // An error if any rank has failed before.
    halo_status exchange() {
        halo_status status = bootstrap_.allgather(bootstrap_.user, &own_, sizeof own_, cards_.data());
        if (status != HALO_SUCCESS) return report(host_, status, "transport shm: the bootstrap's allgather ended with status %d", status);
        for (size_t rank = 0; rank < cards_.size(); ++rank) {
            Card &card = cards_[rank];
            card.trouble[sizeof card.trouble - 1] = '\0';
            if (card.status != HALO_SUCCESS) return report(host_, card.status, "transport shm: rank %zu cannot open it: %s", rank, card.trouble);
        }
        return HALO_SUCCESS;
    }

    bool is_here(size_t rank) const { return cards_[rank].place.known() && cards_[rank].place == own_.place; }

    bool make_segment() {
        constexpr size_t most_places = 1 << 16; // of a key in the table of matches
        std::vector<int32_t> places;
        for (size_t rank = 0; rank < cards_.size(); ++rank)
            if (is_here(rank) || static_cast<int32_t>(rank) == bootstrap_.rank) places.push_back(static_cast<int32_t>(rank));
        if (places.size() > most_places) {
            std::snprintf(own_.trouble, sizeof own_.trouble, "%zu ranks on one host, at most %zu can be", places.size(), most_places);
            return false;
        }
        if (!endpoint_->make_segment(places, own_.trouble)) return false;
        own_.address = endpoint_->segment().address();
        own_.started = this_process().started;
        return true;
    }

    bool meet_others() {
        int32_t place = 0;
        for (size_t rank = 0; rank < cards_.size(); ++rank) {
            bool here = is_here(rank) || static_cast<int32_t>(rank) == bootstrap_.rank;
            if (here) endpoint_->meet(place++, cards_[rank].address, cards_[rank].started);
        }
        return true;
    }

    const halo_host *host_;
    const halo_bootstrap &bootstrap_;
    Card own_;
    std::vector<Card> cards_; // of all ranks, as of the last exchange
    std::unique_ptr<Endpoint> endpoint_;
};

} // namespace

halo_status open_endpoint(const halo_host *host, const halo_bootstrap &bootstrap, bool readable_only, std::unique_ptr<Endpoint> &opened) {
    return Opening(host, bootstrap, readable_only).run(opened);
}

} // namespace halo::shm
