// SPDX-License-Identifier: BSD-3-Clause
// The work W as lists of row jobs: copies within the rank, and what is packed for and unpacked from other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "expert_jobs.h"
#include "work.h"

namespace bench {

// What travels between two ranks in one message, with the jobs of this rank.
struct Parcel {
    int32_t peer = 0;
    int32_t tag = 0;
    int64_t first = 0, values = 0; // in the buffer of all parcels of this direction
    std::vector<BoundJob> jobs;
};

struct Parcels {
    std::vector<Parcel> parcels;
    Values buffer;

    double *data(size_t i) { return buffer.get() + parcels[i].first; }
};

// One message per peer, or one per channel: a block's ghosts at one of its 26 elements.
enum class Grouping { per_peer, per_channel };

Parcels parcels_to_send(const Work &work, const KernelSet &kernels, Grouping grouping);
Parcels parcels_to_receive(const Work &work, const KernelSet &kernels, Grouping grouping);

RowSizes row_sizes(const Work &work);
void run_jobs(const std::vector<BoundJob> &jobs, const RowSizes &sizes);

// Copies between blocks of this rank, in the order of destinations.
class LocalCopies {
public:
    LocalCopies(const Work &work, const KernelSet &kernels);
    void run() const;
    int64_t n_jobs() const { return static_cast<int64_t>(whole_.size() + jobs_.size()); }

private:
    RowSizes sizes_;
    void (*whole_blocks_)(const RowJob *, int64_t, const RowSizes &);
    std::vector<RowJob> whole_;  // nine for each block that has all its sources here
    std::vector<BoundJob> jobs_; // of the others
};

// The fastest of the sets for this work, by trial.
const KernelSet &fastest_kernels(const Work &work);

} // namespace bench
