// SPDX-License-Identifier: BSD-3-Clause
// What the memory alone would cost: the cache lines that an exchange must touch, each once, in one stream.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "contenders.h"

namespace bench {

namespace {

constexpr int64_t line = 64;

class Lines {
public:
    explicit Lines(const Work &work) : work_(work), touched_(static_cast<size_t>(work.elements() * 8 / line + 1), 0) {}
    void touch(int64_t gid, const Offset &low, const Offset &high) {
        const int64_t row = work_.row(), g = work_.size().ghost;
        for (int64_t c = 0; c < work_.size().components; ++c)
            for (int64_t z = low[2] + g; z < high[2] + g; ++z)
                for (int64_t y = low[1] + g; y < high[1] + g; ++y) {
                    const int64_t begin = ((gid - work_.first_local()) * work_.block_elements() + ((c * row + z) * row + y) * row + g) * 8;
                    const int64_t last = (begin + high[0] * 8 - 1) / line;
                    for (int64_t i = (begin + low[0] * 8) / line; i <= last; ++i) touched_[static_cast<size_t>(i)] = 1;
                }
    }
    void add(const Lines &other) {
        for (size_t i = 0; i < touched_.size(); ++i) touched_[i] |= other.touched_[i];
    }
    int64_t bytes() const { return line * std::count(touched_.begin(), touched_.end(), 1); }

private:
    const Work &work_;
    std::vector<uint8_t> touched_;
};

struct Traffic {
    int64_t sources, ghosts, sent, received; // bytes
    int64_t footprint;                       // lines that are source and ghost count once
};

Traffic traffic_of(const Work &work, Part part) {
    const int64_t b = work.size().block, g = work.size().ghost;
    Lines sources(work), ghosts(work);
    int64_t sent = 0;
    for (int64_t gid = work.first_local(); gid < work.first_local() + work.n_local(); ++gid)
        for (int64_t element = 0; element < 27; ++element) {
            if (element == 13) continue;
            const Offset offset{ element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 };
            const bool crosses = !work.is_local(work.neighbour(gid, offset));
            if (part == Part::remote && !crosses) continue;
            Offset low, high, low_owned, high_owned;
            int64_t cells = 1;
            for (size_t d = 0; d < 3; ++d) {
                low[d] = offset[d] < 0 ? -g : offset[d] == 0 ? 0 : b;
                high[d] = offset[d] < 0 ? 0 : offset[d] == 0 ? b : b + g;
                low_owned[d] = offset[d] > 0 ? b - g : 0; // what the neighbour there reads
                high_owned[d] = offset[d] < 0 ? g : b;
                cells *= high[d] - low[d];
            }
            ghosts.touch(gid, low, high);
            sources.touch(gid, low_owned, high_owned);
            sent += crosses ? cells * work.size().components * 8 : 0;
        }
    // as many cells go to a neighbour as come from it
    Traffic traffic{ sources.bytes(), ghosts.bytes(), sent, sent, 2 * sent };
    sources.add(ghosts);
    traffic.footprint += sources.bytes();
    return traffic;
}

// A stored line is read for ownership and written back.
int64_t bytes_on_the_way(const Traffic &traffic) { return traffic.sources + 2 * traffic.ghosts + 2 * traffic.sent + traffic.received; }

} // namespace

FlatCopy::FlatCopy(const Work &work, Part part) : work_(work), kernels_(*usable_kernel_sets().back()) {
    const Traffic traffic = traffic_of(work, part);
    line_bytes_ = bytes_on_the_way(traffic);
    values_ = line_bytes_ / (3 * 8); // a copied line is read once, its target read and written
    pass_ = std::clamp<int64_t>(traffic.footprint / (2 * 8), 1, work.elements());
    target_ = allocate_values(pass_, false);
}

// In passes over as much memory as the exchange touches, so that what stays in a cache there can stay in it here.
void FlatCopy::run() {
    for (int64_t done = 0; done < values_; done += pass_) kernels_.flat_copy(target_.get(), work_.data(), std::min(values_ - done, pass_));
}

} // namespace bench
