// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_work.h"

#include <algorithm>
#include <utility>

namespace halo {

DeviceWork::DeviceWork(Context &context, Device &device, std::shared_ptr<DeviceOwner> owner)
    : context_(context),
      device_(device),
      owner_(std::move(owner)),
      uses_(context.devices().uses(device)),
      last_(device) {}

DeviceWork::~DeviceWork() { end(0); }

DeviceUse &DeviceWork::use() {
    if (!use_) {
        use_ = uses_.take();
        use_->owner = owner_;
    }
    return *use_;
}

// A stream that waits for what has failed would fail too. What comes next may hide that the last call's work has failed, so that keeps its event.
void DeviceWork::put_on(halo_stream stream) {
    if (stream != stream_) require_sound();
    if (stream != stream_) last_.hold(stream);
    if (has_left_ && std::exchange(is_in_step_, false)) std::swap(last_, next_step());
    stream_ = stream;
    has_left_ = false;
}

std::byte *DeviceWork::pinned(size_t bytes) {
    use().memory.push_back(context_.pinned_buffer(device_, std::max<size_t>(bytes, 1)));
    return use().memory.back().data();
}

// Rows that follow each other are one range.
void DeviceWork::collect(Ranges &ranges, const PieceRun &piece, RowRange rows, int32_t which, const halo_null_test &test) {
    if (rows.n == 0) return;
    halo_copy_table *table = piece.rows->table.on_device();
    if (!ranges.empty()) {
        halo_copy_range &last = ranges.back();
        if (last.table == table && last.bases == piece.bases.data() && last.rows == which && last.first + last.n == rows.first) {
            last.n += rows.n;
            return;
        }
    }
    ranges.push_back({ table, rows.first, rows.n, piece.bases.data(), std::ssize(piece.bases), piece.flags, test, which, 0 });
}

void DeviceWork::run() {
    if (ranges_.empty()) return;
    end_step();
    device_.check(device_.ops().ranges_run(device_.instance(), ranges_.data(), std::ssize(ranges_), stream_));
    ranges_.clear();
    count_launch();
}

void DeviceWork::test() {
    if (tests_.empty()) return;
    end_step();
    device_.check(device_.ops().ranges_test(device_.instance(), tests_.data(), std::ssize(tests_), stream_));
    tests_.clear();
    count_launch();
}

// What overwrites comes first among the steps, and each step's rows follow those of the one before.
void DeviceWork::add_combining(const PieceRun &piece, halo_op op, halo_type type) {
    const std::vector<CombineStep> &steps = piece.rows->combine_steps;
    if (steps.empty()) return;
    const RowRange &first = steps.front().rows, &last = steps.back().rows;
    combined_.push_back({ piece.rows->table.on_device(), first.first, last.first + last.n - first.first, steps.front().moves ? first.n : 0,
                          piece.bases.data(), std::ssize(piece.bases), op, type });
}

void DeviceWork::combine() {
    if (combined_.empty()) return;
    if (const auto fused = device_.ops().ranges_combine) {
        end_step();
        device_.check(fused(device_.instance(), combined_.data(), std::ssize(combined_), stream_));
        count_launch();
    } else {
        for (const halo_combine_range &range : combined_) combine_apart(range);
    }
    combined_.clear();
}

// On devices that lack the one launch for all.
void DeviceWork::combine_apart(const halo_combine_range &range) {
    const auto run = [&](int64_t first, int64_t n, int32_t op) {
        if (n == 0) return;
        end_step();
        device_.check(device_.ops().table_run(device_.instance(), range.table, first, n, range.bases, range.n_bases, op, range.type, stream_));
        count_launch();
    };
    run(range.first, range.n_moved, HALO_COPY_MOVE);
    run(range.first + range.n_moved, range.n - range.n_moved, range.op);
}

// Behind a launch that another follows in the same stream, which would hide that it has failed.
void DeviceWork::end_step() {
    if (std::exchange(is_in_step_, false)) next_step().record(stream_);
}

Event &DeviceWork::next_step() {
    DeviceUse &present = use();
    if (present.n_steps == present.steps.size()) present.steps.emplace_back(device_);
    return present.steps[present.n_steps++];
}

// What has been packed may be what has been tested in vain.
bool DeviceWork::has_reached(size_t mark) {
    if (mark >= n_marks_) return true;
    if (!marks_[mark].has_fired()) return false;
    if (use_) use_->require_sound_steps();
    return true;
}

void DeviceWork::mark() {
    if (n_marks_ == marks_.size()) marks_.emplace_back(device_);
    marks_[n_marks_++].record(stream_);
    is_in_step_ = false;
}

void DeviceWork::leave_stream() {
    last_.record(stream_);
    has_left_ = true;
}

void DeviceWork::require_sound() {
    try {
        static_cast<void>(last_.has_fired());
        if (use_) use_->require_sound_steps();
    } catch (...) {
        last_.forget();
        throw;
    }
}

void DeviceWork::forget_failed() noexcept {
    try {
        require_sound();
    } catch (...) { // it is known
    }
}

void DeviceWork::leave_failed_call() noexcept {
    if (has_left_) return;
    try {
        leave_stream();
    } catch (...) { // then end() finds the device as it is
    }
}

void DeviceWork::end(uint32_t run) noexcept {
    ranges_.clear();
    tests_.clear();
    combined_.clear();
    n_marks_ = 0;
    is_in_step_ = false;
    if (!use_) return;
    use_->run = run;
    try {
        use_->done.record(stream_);
        uses_.keep(std::move(use_));
    } catch (...) { // the device does not even say when it is done
        uses_.give_up(std::move(use_), present_error());
    }
}

} // namespace halo
