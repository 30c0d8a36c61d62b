// SPDX-License-Identifier: BSD-3-Clause
#include "device_subjects.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "contenders.h"
#include "text.h"

namespace bench {

namespace {

class BlocksSubject final : public DeviceSubject {
public:
    BlocksSubject(const WorkSize &size, int32_t rank, int32_t n_ranks) : work_(size, rank, n_ranks) { work_.fill(); }
    std::string text() const override { return format("W%s", work_.size().text().c_str()); }
    halo::Topology make_topology(const halo::Context &context) const override { return bench::make_topology(context, work_); }
    halo::Field make_field(const halo::Topology &topology) const override { return bench::make_field(topology, work_); }
    double *data() override { return work_.data(); }
    int64_t n_values() const override { return work_.elements(); }
    int64_t part_stride() const override { return work_.block_elements(); }
    int64_t ghost_bytes() const override { return work_.ghost_bytes(Part::all); }
    void renew() override {
        work_.change();
        work_.poison_ghosts();
    }
    int64_t wrong_values() override { return work_.wrong_values(Part::all); }

private:
    Work work_;
};

// Planes of points; those above and below the rank's are its ghosts. Values are those of the key, so that each rank knows what its ghosts must be.
class PointsSubject final : public DeviceSubject {
public:
    PointsSubject(int64_t n_points, int32_t n_values, bool shuffled, int32_t rank, int32_t n_ranks)
        : side_(std::max<int64_t>(2, std::llround(std::cbrt(static_cast<double>(n_points))))),
          n_values_(n_values),
          shuffled_(shuffled) {
        const int64_t plane = side_ * side_, n_own = plane * side_, all = n_own * n_ranks;
        std::vector<int64_t> points(static_cast<size_t>(n_own + 2 * plane));
        std::iota(points.begin(), points.end() - plane, 0);
        std::iota(points.end() - plane, points.end(), -plane);
        if (shuffled) std::shuffle(points.begin(), points.end(), std::mt19937_64(static_cast<uint64_t>(rank) + 1));
        for (const int64_t point : points) {
            keys_.push_back(static_cast<uint64_t>((rank * n_own + point + all) % all));
            flags_.push_back(point < 0 || point >= n_own ? HALO_KEY_WANT | HALO_KEY_READ_ONLY : 0);
        }
        values_.resize(keys_.size() * static_cast<size_t>(n_values));
    }
    std::string text() const override { return std::to_string(side_ * side_ * side_) + " points " + (shuffled_ ? "shuffled" : "in order"); }
    halo::Topology make_topology(const halo::Context &context) const override {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = std::ssize(keys_), desc.keys = keys_.data(), desc.flags = flags_.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        return { context, desc };
    }
    halo::Field make_field(const halo::Topology &topology) const override {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.n_components = n_values_;
        return { topology, desc };
    }
    double *data() override { return values_.data(); }
    int64_t n_values() const override { return std::ssize(values_); }
    int64_t part_stride() const override { return n_values(); }
    int64_t ghost_bytes() const override { return (std::ssize(keys_) - side_ * side_ * side_) * n_values_ * static_cast<int64_t>(sizeof(double)); }
    void renew() override {
        ++changes_;
        for_each([&](double &value, double wanted, bool ghost) { value = ghost ? -1 : wanted; });
    }
    int64_t wrong_values() override {
        int64_t wrong = 0;
        for_each([&](double &value, double wanted, bool) { wrong += value != wanted; });
        return wrong;
    }

private:
    template <class Visit>
    void for_each(Visit &&visit) {
        size_t at = 0;
        for (int32_t c = 0; c < n_values_; ++c)
            for (size_t i = 0; i < keys_.size(); ++i, ++at)
                visit(values_[at], static_cast<double>(static_cast<int64_t>(keys_[i]) * n_values_ + c + changes_), flags_[i] != 0);
    }

    int64_t side_;
    int32_t n_values_;
    bool shuffled_;
    std::vector<uint64_t> keys_;
    std::vector<int32_t> flags_;
    std::vector<double> values_;
    int64_t changes_ = 0;
};

} // namespace

std::unique_ptr<DeviceSubject> make_blocks_subject(const WorkSize &size, int32_t rank, int32_t n_ranks) {
    return std::make_unique<BlocksSubject>(size, rank, n_ranks);
}

std::unique_ptr<DeviceSubject> make_points_subject(int64_t n_points, int32_t n_values, bool shuffled, int32_t rank, int32_t n_ranks) {
    return std::make_unique<PointsSubject>(n_points, n_values, shuffled, rank, n_ranks);
}

} // namespace bench
