// SPDX-License-Identifier: BSD-3-Clause
// How a context ends: what devices, peers and the transport still have of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "comm/collective_stream.h"
#include "comm/context.h"
#include "comm/wait.h"

namespace halo {

Context::~Context() {
    stop_progress();
    end_device_work();
    await_own_messages();
    close();
}

// Work of devices on memory of the pools. A device that does not end keeps what it works on.
std::optional<Error> Context::end_device_work() noexcept {
    constexpr double longest_wait = 10; // seconds, where no timeout is set
    constexpr std::chrono::microseconds nap{ 50 };
    const double seconds = timeout(-1) > 0 ? timeout(-1) : longest_wait;
    for (const double begin = clock(); devices_->any_in_use() && clock() < begin + seconds; std::this_thread::sleep_for(nap)) devices_->reap();
    hear_devices();
    const bool gives_up = devices_->any_in_use();
    kept_->lost_memory = devices_->lose_all() || kept_->lost_memory;
    if (gives_up) log_.warn("gave up waiting for device %s, whose memory is kept, while the context is destroyed", devices_->name());
    return device_failure_;
}

void Context::hear_devices() noexcept {
    if (const std::optional<Error> failed = devices_->take_unheard()) {
        log_.error("%s", failed->what());
        if (!device_failure_) device_failure_ = failed;
    }
}

void Context::close() noexcept {
    collectives_->hand_over();
    inquiries_.hand_over();
    owed_->hand_over();
    reap();
    const bool ends_all = fabric_->ends_all_when_closed();
    fabric_.reset();
    if (kept_->newest_lost || kept_->lost_memory || !leases_.empty() || (!ends_all && !lingering_.empty())) keep_what_is_in_flight();
}

// The MPI may read and write there until the process ends. What leads to it stays too, so that it does not look lost.
void Context::keep_what_is_in_flight() noexcept {
    program_memory_.clear();
    pools_->trim();
    const bool shares = !leases_.empty() || (pools_->has(HALO_MEMORY_SHARED) && pools_->pool(HALO_MEMORY_SHARED).figures().in_use_bytes > 0);
    static std::atomic<Kept *> newest{ nullptr };
    Kept *kept = kept_.release();
    kept->messages = std::move(lingering_);
    kept->devices = std::move(devices_);
    if (shares) kept->arena = std::move(shared_arena_);
    kept->pools = std::move(pools_);
    kept->leases = std::move(leases_);
    kept->before = newest.exchange(kept);
}

// A finished run has what it needs, but its own messages may still be on their way: peers would wait for them for ever.
void Context::await_own_messages() noexcept {
    constexpr int most_trials = 4; // for want of memory
    for (int trial = 1;; ++trial) try {
            return await_all_taken();
        } catch (const std::bad_alloc &error) {
            if (trial == most_trials) return note_lost(error);
        } catch (const std::exception &error) {
            return note_lost(error);
        }
}

namespace {

// A rank that is gone is no reason not to wait for the others.
template <class Step, class Otherwise>
auto in_spite_of_the_dead(Step &&step, Otherwise &&otherwise) {
    try {
        return step();
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_TRANSPORT) throw;
        return otherwise();
    }
}

} // namespace

void Context::await_all_taken() {
    constexpr double longest_wait = 10; // seconds, where no timeout is set
    constexpr double wait_for_other_objects = 1;
    const double seconds = timeout(-1) > 0 ? timeout(-1) : longest_wait;
    Waiter waiter(*this, inquiries_.have_differed() ? std::min(seconds, wait_for_other_objects) : seconds);
    const auto missing = [&] {
        const PendingMessage *awaited = lingering_.find_if([](const PendingMessage &send) { return !send.abandoned; });
        if (awaited) return format("a message that rank %d has not taken, while the context is destroyed", awaited->peer);
        if (owed_->debtor() >= 0) return format("word that rank %d has ended its last run, while the context is destroyed", owed_->debtor());
        return leases_.empty() ? std::string() : "storage, while the context is destroyed: " + leases_.oldest().text();
    };
    in_spite_of_the_dead([&] { inquiries_.read(); }, [] {});
    for (reap(); !missing().empty(); reap())
        if (!in_spite_of_the_dead([&] { return waiter.pause(missing); }, [&] { return waiter.turn(missing); }))
            return log_.warn("gave up %s", missing().c_str());
}

// Where the transport has ended, as MPI does, nothing is on its way any more.
void Context::note_lost(const std::exception &error) const noexcept {
    const auto *known = dynamic_cast<const Error *>(&error);
    if (!known || known->status() != HALO_ERR_STATE) log_.warn("a message of an object that is gone is lost: %s", error.what());
}

} // namespace halo
