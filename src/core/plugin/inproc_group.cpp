// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/inproc_group.h"

#include <new>

#include "base/checked.h"
#include "base/limits.h"

extern "C" {
struct halo_inproc_group; // of the built-in transport: the caller's opaque halo_inproc
halo_status halo_inproc_group_create(int32_t n_ranks, halo_inproc_group **group);
int32_t halo_inproc_group_size(const halo_inproc_group *group);
int32_t halo_inproc_group_open_endpoints(const halo_inproc_group *group);
halo_status halo_inproc_group_enter(halo_inproc_group *group, int32_t rank, halo::InprocMeeting::Arrival *arrival);
halo_status halo_inproc_group_meet(halo_inproc_group *group, int32_t rank, halo::InprocMeeting::Arrival *arrival);
int32_t halo_inproc_group_withdraw(halo_inproc_group *group, int32_t rank, halo::InprocMeeting::Arrival *arrival);
void halo_inproc_group_fail(halo_inproc_group *group, int32_t rank, halo::InprocMeeting::Arrival *arrival);
int32_t halo_inproc_group_absent(halo_inproc_group *group);
halo_status halo_inproc_group_destroy(halo_inproc_group *group);
}

namespace halo {

namespace {

halo_inproc_group *inner(halo_inproc *group) { return reinterpret_cast<halo_inproc_group *>(group); }

} // namespace

halo_inproc *create_inproc_group(int32_t n_ranks) {
    if (n_ranks < 1) fail(HALO_ERR_ARGUMENT, "in-process group: n_ranks is %d, it must be 1 or more", n_ranks);
    check_limit("in-process group: n_ranks", n_ranks, limits::inproc_ranks);
    halo_inproc_group *group = nullptr;
    const halo_status status = halo_inproc_group_create(n_ranks, &group);
    if (status != HALO_SUCCESS) fail(status, "in-process group of %d ranks: no memory", n_ranks);
    return reinterpret_cast<halo_inproc *>(group);
}

int32_t inproc_group_size(const halo_inproc *group) { return halo_inproc_group_size(reinterpret_cast<const halo_inproc_group *>(group)); }

bool InprocMeeting::enter() { return judge(halo_inproc_group_enter(inner(group_), rank_, &arrival_)); }

bool InprocMeeting::complete() { return judge(halo_inproc_group_meet(inner(group_), rank_, &arrival_)); }

bool InprocMeeting::judge(halo_status status) const {
    if (status == HALO_ERR_MEMORY) throw std::bad_alloc();
    if (status == HALO_ERR_PEER)
        fail_after(HALO_ERR_PEER, format("context: rank %d of the in-process group could not make its own", arrival_.failed),
                   { arrival_.failed, HALO_ERR_MEMORY, "no memory" });
    return status == HALO_SUCCESS;
}

bool InprocMeeting::withdraw() { return halo_inproc_group_withdraw(inner(group_), rank_, &arrival_) != 0; }

void InprocMeeting::fail() { halo_inproc_group_fail(inner(group_), rank_, &arrival_); }

int32_t InprocMeeting::absent() const { return halo_inproc_group_absent(inner(group_)); }

void destroy_inproc_group(halo_inproc *group) {
    const int32_t open = halo_inproc_group_open_endpoints(inner(group));
    if (halo_inproc_group_destroy(inner(group)) != HALO_SUCCESS) fail(HALO_BUSY, "in-process group: %d contexts still live", open);
}

} // namespace halo
