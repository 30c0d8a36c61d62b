// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace halo::pmix {

namespace {

pid_t to_finalize = 0;

// Not after a failure: a process that leaves without it makes the launcher end the others. Nor in a process forked since.
void finalize_at_exit(int exit_status, void *) {
    if (exit_status == EXIT_SUCCESS && getpid() == to_finalize) PMIx_Finalize(nullptr, 0);
}

Trouble failed(const char *call, pmix_status_t status) { return { HALO_ERR_TRANSPORT, std::string(call) + ": " + PMIx_Error_string(status) }; }

pmix_proc_t all_of(const pmix_proc_t &one) {
    pmix_proc_t all = one;
    all.rank = PMIX_RANK_WILDCARD;
    return all;
}

} // namespace

Job &Job::instance() {
    static Job &process_wide = *new Job; // never destroyed: PMIx may answer late
    return process_wide;
}

Trouble Job::enter() {
    const std::lock_guard lock(mutex_);
    if (in_use_) return { HALO_ERR_STATE, "another thread is making a context: ranks by PMIx make them one after the other" };
    if (begun_by_ != 0 && begun_by_ != getpid()) return { HALO_ERR_STATE, "this process was forked by one that has begun PMIx already" };
    if (begun_by_ == 0)
        if (Trouble trouble = begin()) return trouble;
    in_use_ = true;
    return {};
}

void Job::leave() {
    const std::lock_guard lock(mutex_);
    in_use_ = false;
}

Trouble Job::begin() {
    const pmix_status_t begun = PMIx_Init(&me_, nullptr, 0);
    if (begun != PMIX_SUCCESS) return failed("PMIx_Init", begun);
    begun_by_ = to_finalize = getpid();
    on_exit(finalize_at_exit, nullptr);
    const pmix_proc_t job = all_of(me_);
    pmix_value_t *value = nullptr;
    const pmix_status_t got = PMIx_Get(&job, PMIX_JOB_SIZE, nullptr, 0, &value);
    if (got != PMIX_SUCCESS) return failed("PMIx_Get of the number of ranks", got);
    size_ = value->type == PMIX_UINT32 && value->data.uint32 <= INT_MAX ? static_cast<int32_t>(value->data.uint32) : 0;
    PMIX_VALUE_RELEASE(value);
    if (size_ > 0) return {};
    return { HALO_ERR_TRANSPORT, "PMIx does not tell the number of ranks" };
}

// Keys stay with PMIx until the job ends, so each exchange has its own.
std::string Job::key() const { return "libhalo." + std::to_string(exchanges_); }

Trouble Job::start(const void *mine, size_t bytes) {
    const auto *const begin = static_cast<const std::byte *>(mine);
    if (fence_) {
        if (std::equal(mine_.begin(), mine_.end(), begin, begin + bytes)) return {};
        return { HALO_ERR_STATE, "an exchange of addresses has been given up after a time limit, and PMIx cannot take it back: this process can make "
                                 "no more contexts by it" };
    }
    mine_.assign(begin, begin + bytes);
    ++exchanges_;
    Trouble trouble = put(key());
    return trouble ? trouble : fence();
}

Trouble Job::put(const std::string &key) const {
    static char nothing[1]; // PMIx takes no value of no bytes
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.size = std::max<size_t>(mine_.size(), 1);
    value.data.bo.bytes = mine_.empty() ? nothing : const_cast<char *>(reinterpret_cast<const char *>(mine_.data()));
    if (const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key.c_str(), &value); status != PMIX_SUCCESS) return failed("PMIx_Put", status);
    const pmix_status_t status = PMIx_Commit();
    return status == PMIX_SUCCESS ? Trouble() : failed("PMIx_Commit", status);
}

Trouble Job::fence() {
    const pmix_proc_t job = all_of(me_);
    pmix_info_t collect{};
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    auto fence = std::make_shared<Fence>();
    auto callers = std::make_unique<std::shared_ptr<Fence>>(fence);
    const auto note = [](pmix_status_t status, void *user) {
        const std::unique_ptr<std::shared_ptr<Fence>> one(static_cast<std::shared_ptr<Fence> *>(user));
        (*one)->status = status;
        (*one)->done.store(true, std::memory_order_release);
    };
    const pmix_status_t status = PMIx_Fence_nb(&job, 1, &collect, 1, note, callers.get());
    PMIX_INFO_DESTRUCT(&collect);
    if (status == PMIX_SUCCESS) {
        static_cast<void>(callers.release()); // the callback's
    } else if (status == PMIX_OPERATION_SUCCEEDED) {
        fence->done.store(true, std::memory_order_release);
    } else {
        return failed("PMIx_Fence_nb", status);
    }
    fence_ = std::move(fence);
    return {};
}

Trouble Job::test(void *all, bool &done) {
    done = fence_->done.load(std::memory_order_acquire);
    if (!done) return {};
    const std::shared_ptr<Fence> fence = std::exchange(fence_, nullptr);
    if (fence->status != PMIX_SUCCESS) return failed("PMIx_Fence_nb", fence->status);
    const size_t bytes = mine_.size();
    const std::string of_all = key();
    for (uint32_t rank = 0; bytes > 0 && rank < static_cast<uint32_t>(size_); ++rank)
        if (Trouble trouble = take_part(of_all, rank, static_cast<std::byte *>(all) + rank * bytes)) return trouble;
    return {};
}

Trouble Job::take_part(const std::string &key, uint32_t rank, std::byte *part) const {
    if (rank == me_.rank) {
        std::copy(mine_.begin(), mine_.end(), part);
        return {};
    }
    pmix_proc_t peer = me_;
    peer.rank = rank;
    pmix_info_t immediate{};
    bool yes = true; // the fence has collected it
    PMIX_INFO_LOAD(&immediate, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    pmix_value_t *value = nullptr;
    const pmix_status_t status = PMIx_Get(&peer, key.c_str(), &immediate, 1, &value);
    PMIX_INFO_DESTRUCT(&immediate);
    const std::string of_rank = "PMIx_Get of what rank " + std::to_string(rank) + " has given";
    if (status != PMIX_SUCCESS) return failed(of_rank.c_str(), status);
    const bool fits = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == mine_.size();
    if (fits) std::memcpy(part, value->data.bo.bytes, mine_.size());
    const size_t size = value->type == PMIX_BYTE_OBJECT ? value->data.bo.size : 0;
    PMIX_VALUE_RELEASE(value);
    if (fits) return {};
    return { HALO_ERR_MISMATCH, of_rank + ": " + std::to_string(size) + " bytes, this rank has given " + std::to_string(mine_.size()) +
                                    ": they make different contexts" };
}

} // namespace halo::pmix
