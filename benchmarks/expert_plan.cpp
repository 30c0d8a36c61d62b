// SPDX-License-Identifier: BSD-3-Clause
#include "expert_plan.h"

#include <algorithm>
#include <bit>
#include <map>

#include "timed.h"

namespace bench {

namespace {

// Row pieces at one (y, z) of a receiving block, all from the same rank.
struct Bundle {
    int64_t receiver;
    int64_t y, z; // -1, 0 or 1
    int pieces;
    int32_t peer; // the other rank; this one for copies within it
};

template <class Visit>
void for_each_side(Visit &&visit) {
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y) visit(y, z);
}

// Owner of each of the three sources; -1 for the block itself.
std::array<int32_t, 3> source_ranks(const Work &work, int64_t receiver, int64_t y, int64_t z) {
    std::array<int32_t, 3> ranks;
    for (int64_t x = -1; x <= 1; ++x)
        ranks[static_cast<size_t>(x + 1)] = x == 0 && y == 0 && z == 0 ? -1 : work.owner(work.neighbour(receiver, { x, y, z }));
    return ranks;
}

int pieces_from(const std::array<int32_t, 3> &ranks, int32_t rank) {
    return (ranks[0] == rank) * left + (ranks[1] == rank) * middle + (ranks[2] == rank) * right;
}

void add_bundles(std::vector<Bundle> &bundles, Bundle bundle, Grouping grouping) {
    if (grouping == Grouping::per_peer && bundle.pieces != 0) bundles.push_back(bundle);
    if (grouping == Grouping::per_peer) return;
    const int pieces = bundle.pieces;
    for (const int piece : { left, middle, right }) {
        bundle.pieces = piece;
        if (pieces & piece) bundles.push_back(bundle);
    }
}

// Both sides find the bundles between them in the same order: by receiving block, then by (z, y), then by piece.
std::vector<Bundle> bundles_to_receive(const Work &work, Grouping grouping) {
    std::vector<Bundle> bundles;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for_each_side([&](int64_t y, int64_t z) {
            const auto ranks = source_ranks(work, gid, y, z);
            for (size_t i = 0; i < 3; ++i)
                if (ranks[i] >= 0 && ranks[i] != work.rank() && std::find(ranks.begin(), ranks.begin() + i, ranks[i]) == ranks.begin() + i)
                    add_bundles(bundles, { gid, y, z, pieces_from(ranks, ranks[i]), ranks[i] }, grouping);
        });
    return bundles;
}

std::vector<int64_t> blocks_beside(const Work &work) {
    std::vector<int64_t> gids;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for_each_side([&](int64_t y, int64_t z) {
            for (int64_t x = -1; x <= 1; ++x)
                if (const int64_t other = work.neighbour(gid, { x, y, z }); !work.is_local(other)) gids.push_back(other);
        });
    std::sort(gids.begin(), gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
    return gids;
}

std::vector<Bundle> bundles_to_send(const Work &work, Grouping grouping) {
    std::vector<Bundle> bundles;
    for (const int64_t gid : blocks_beside(work))
        for_each_side([&](int64_t y, int64_t z) {
            add_bundles(bundles, { gid, y, z, pieces_from(source_ranks(work, gid, y, z), work.rank()), work.owner(gid) }, grouping);
        });
    return bundles;
}

int64_t values_of(const Work &work, const Bundle &bundle) {
    const int64_t b = work.size().block, g = work.size().ghost;
    const int64_t row = (bundle.pieces & middle ? b : 0) + g * std::popcount(static_cast<unsigned>(bundle.pieces & (left + right)));
    return row * (bundle.y == 0 ? b : g) * (bundle.z == 0 ? b : g) * work.size().components;
}

// Where the rows of a bundle begin in a block's storage.
int64_t origin(const Work &work, const Bundle &bundle) {
    const auto begin = [&](int64_t side) { return side < 0 ? 0 : work.size().ghost + (side > 0 ? work.size().block : 0); };
    return work.row() * (begin(bundle.y) + work.row() * begin(bundle.z));
}

RowJob job_on_storage(const Work &work, const Bundle &bundle) {
    RowJob job;
    if (work.is_local(bundle.receiver)) job.dst = work.block(bundle.receiver) + origin(work, bundle);
    for (int64_t x = -1; x <= 1; ++x) {
        const int64_t source = work.neighbour(bundle.receiver, { x, bundle.y, bundle.z });
        if (!(bundle.pieces & 1 << (x + 1)) || !work.is_local(source)) continue;
        const int64_t to_source = -work.size().block * (x + work.row() * (bundle.y + work.row() * bundle.z));
        job.src[x + 1] = work.block(source) + (origin(work, bundle) + to_source);
    }
    return job;
}

BoundJob bound_job(const Work &work, const KernelSet &kernels, const Bundle &bundle, Move move, double *buffer) {
    const RowKernel kernel = kernels.kernel(row_sizes(work), move, bundle.pieces, bundle.y == 0, bundle.z == 0);
    RowJob job = job_on_storage(work, bundle);
    if (move == Move::pack) job.dst = buffer;
    if (move == Move::unpack) job.src[0] = job.src[1] = job.src[2] = buffer;
    return { kernel, job };
}

// Number of the parcel that each bundle travels in.
std::vector<size_t> deal(const std::vector<Bundle> &bundles, Grouping grouping, std::vector<Parcel> &parcels) {
    std::map<int32_t, size_t> of_peer;
    std::map<int32_t, int32_t> next_tag;
    std::vector<size_t> numbers;
    for (const Bundle &bundle : bundles) {
        const auto [known, added] = of_peer.try_emplace(bundle.peer, parcels.size());
        if (!added && grouping == Grouping::per_channel) known->second = parcels.size();
        if (known->second == parcels.size()) parcels.push_back({ bundle.peer, next_tag[bundle.peer]++, 0, 0, {} });
        numbers.push_back(known->second);
    }
    return numbers;
}

Parcels make_parcels(const Work &work, const KernelSet &kernels, const std::vector<Bundle> &bundles, Grouping grouping, Move move) {
    Parcels result;
    const std::vector<size_t> numbers = deal(bundles, grouping, result.parcels);
    for (size_t i = 0; i < bundles.size(); ++i) result.parcels[numbers[i]].values += values_of(work, bundles[i]);
    int64_t all = 0;
    for (Parcel &parcel : result.parcels) {
        parcel.first = all;
        all += (parcel.values + 7) / 8 * 8; // each begins on a cache line of its own
    }
    result.buffer = allocate_values(all, true);
    std::vector<int64_t> used(result.parcels.size(), 0);
    for (size_t i = 0; i < bundles.size(); ++i) {
        double *const at = result.data(numbers[i]) + used[numbers[i]];
        result.parcels[numbers[i]].jobs.push_back(bound_job(work, kernels, bundles[i], move, at));
        used[numbers[i]] += values_of(work, bundles[i]);
    }
    return result;
}

} // namespace

Parcels parcels_to_send(const Work &work, const KernelSet &kernels, Grouping grouping) {
    return make_parcels(work, kernels, bundles_to_send(work, grouping), grouping, Move::pack);
}

Parcels parcels_to_receive(const Work &work, const KernelSet &kernels, Grouping grouping) {
    return make_parcels(work, kernels, bundles_to_receive(work, grouping), grouping, Move::unpack);
}

RowSizes row_sizes(const Work &work) { return { static_cast<int32_t>(work.size().block), work.size().ghost, work.size().components }; }

void run_jobs(const std::vector<BoundJob> &jobs, const RowSizes &sizes) {
    for (const BoundJob &bound : jobs) bound.kernel(bound.job, sizes);
}

LocalCopies::LocalCopies(const Work &work, const KernelSet &kernels) : sizes_(row_sizes(work)), whole_blocks_(kernels.whole_blocks(sizes_)) {
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid) {
        std::vector<Bundle> bundles;
        bool whole = true;
        for_each_side([&](int64_t y, int64_t z) {
            const int pieces = pieces_from(source_ranks(work, gid, y, z), work.rank());
            whole = whole && pieces == (y == 0 && z == 0 ? left + right : left + middle + right);
            if (pieces != 0) bundles.push_back({ gid, y, z, pieces, work.rank() });
        });
        for (const Bundle &bundle : bundles) {
            if (whole)
                whole_.push_back(job_on_storage(work, bundle));
            else
                jobs_.push_back(bound_job(work, kernels, bundle, Move::direct, nullptr));
        }
    }
}

// Component by component: what blocks share of one is still in the cache when the next block needs it.
void LocalCopies::run() const {
    RowSizes sizes = sizes_;
    for (int32_t c = 0; c < sizes_.components; ++c) {
        sizes.first_component = c;
        sizes.end_component = c + 1;
        whole_blocks_(whole_.data(), static_cast<int64_t>(whole_.size() / 9), sizes);
        run_jobs(jobs_, sizes);
    }
}

const KernelSet &fastest_kernels(const Work &work) {
    const KernelSet *fastest = nullptr;
    double least = 1e300;
    for (const KernelSet *set : usable_kernel_sets()) {
        const LocalCopies copies(work, *set);
        for (int attempt = 0; attempt < 4; ++attempt) {
            const double seconds = seconds_of([&] { copies.run(); });
            if (seconds < least) {
                least = seconds;
                fastest = set;
            }
        }
    }
    return *fastest;
}

} // namespace bench
