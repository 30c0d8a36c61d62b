// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_work.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halo {

namespace {

// Of base 0 to base 1.
CopyTable table_of_two_words(const Device &device) {
    constexpr int64_t word = sizeof(uint64_t);
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = word;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    shape.run[0] = 2;
    shape.dst_step = shape.src_step[0] = word;
    halo_copy_row row{};
    row.dst_base = 1;
    halo_copy_program program{};
    program.struct_size = sizeof program;
    program.shapes = &shape;
    program.n_shapes = 1;
    program.rows = &row;
    program.n_rows = 1;
    return { device, program };
}

} // namespace

DeviceWork::DeviceWork(Context &context, Device &device, std::shared_ptr<DeviceOwner> owner)
    : context_(context),
      device_(device),
      owner_(std::move(owner)),
      uses_(context.devices().uses(device)),
      last_(device) {
    const std::string &graphs = context.config().word("device.graphs");
    records_all_ = graphs == "yes";
    if (graphs != "no") graphs_.emplace(device);
    if (records_all_ && !graphs_->lacks().empty())
        fail(HALO_ERR_DEVICE, "setting device.graphs = yes from %s: device %s %d records no launches: %s",
             context.config().source("device.graphs")->c_str(), device.name(), device.ordinal(), graphs_->lacks().c_str());
}

DeviceWork::~DeviceWork() { end(0); }

DeviceUse &DeviceWork::use() {
    if (!use_) {
        use_ = uses_.take();
        use_->owner = owner_;
    }
    return *use_;
}

// The run that fails in it says that the device has failed, or cannot do it as asked (on that stream): that need not be told again.
template <class Call>
void DeviceWork::tell(Call &&call) {
    try {
        call();
    } catch (const Error &error) {
        if (use_ && (error.status() == HALO_ERR_DEVICE || error.status() == HALO_ERR_ARGUMENT)) use_->told = true;
        throw;
    }
}

// A stream that waits for what has failed would fail too. What comes next may hide that the last call's work has failed, so that keeps its event.
void DeviceWork::put_on(halo_stream stream) {
    tell([&] {
        device_.require_usable(stream);
        if (stream == stream_) return;
        require_sound();
        last_.hold(stream);
    });
    if (has_left_ && std::exchange(is_in_step_, false)) std::swap(last_, next_step());
    stream_ = stream;
    has_left_ = false;
}

std::byte *DeviceWork::pinned(size_t bytes) {
    use().memory.push_back(context_.pinned_buffer(device_, std::max<size_t>(bytes, 1)));
    return use().memory.back().data();
}

void DeviceWork::gather(bool few) { gathers_ = graphs_ && graphs_->lacks().empty() && (few || records_all_); }

void DeviceWork::go() {
    if (!gathers_) return;
    launch_held();
    gathers_ = false;
    for (; held_marks_ > 0; --held_marks_) mark();
}

// Rows of one launch that follow each other are one range.
void DeviceWork::collect(int32_t kind, const PieceRun &piece, RowRange rows, int32_t which, const halo_null_test &test) {
    if (rows.n == 0) return;
    Ranges &ranges = kind == HALO_STEP_TEST ? tests_ : ranges_;
    halo_copy_table *table = piece.rows->table.on_device();
    if (ranges.size() > first_[static_cast<size_t>(kind)]) {
        halo_copy_range &last = ranges.back();
        if (last.table == table && last.bases == piece.bases.data() && last.rows == which && last.first + last.n == rows.first) {
            last.n += rows.n;
            return;
        }
    }
    ranges.push_back({ table, rows.first, rows.n, piece.bases.data(), std::ssize(piece.bases), piece.flags, test, which, 0 });
}

void DeviceWork::write(const std::array<uint64_t, 2> &words, std::byte *to) {
    if (!writing_) writing_ = std::make_shared<const CopyTable>(table_of_two_words(device_));
    keep(writing_);
    std::byte *const from = pinned(sizeof words);
    std::memcpy(from, words.data(), sizeof words);
    if (n_written_ == written_bases_.size()) written_bases_.emplace_back();
    std::array<void *, 2> &bases = written_bases_[n_written_++];
    bases = { from, to };
    ranges_.push_back({ writing_->on_device(), 0, writing_->rows(), bases.data(), std::ssize(bases), nullptr, {}, HALO_ROWS_ALL, 0 });
}

void DeviceWork::add(const CopyTable &table, const std::vector<void *> &bases) {
    if (table.rows() > 0) ranges_.push_back({ table.on_device(), 0, table.rows(), bases.data(), std::ssize(bases), nullptr, {}, HALO_ROWS_ALL, 0 });
}

// What has been added since the last launch of the kind.
void DeviceWork::launch(int32_t kind, size_t n_ranges) {
    size_t &first = first_[static_cast<size_t>(kind)];
    if (n_ranges == first) return;
    held_.push_back({ kind, first, n_ranges - first });
    first = n_ranges;
    if (!gathers_) launch_held();
}

// A single launch gains nothing by being recorded.
void DeviceWork::launch_held() {
    steps_.clear();
    for (const Held &one : held_) {
        const bool combines = one.kind == HALO_STEP_COMBINE;
        const Ranges &ranges = one.kind == HALO_STEP_TEST ? tests_ : ranges_;
        steps_.push_back({ one.kind, 0, static_cast<int64_t>(one.n), combines ? nullptr : ranges.data() + one.first,
                           combines ? combined_.data() + one.first : nullptr });
    }
    tell([&] {
        if (gathers_ && !steps_.empty() && (steps_.size() > 1 || records_all_)) {
            end_step();
            graphs_->run(steps_, stream_);
            count_launches(std::ssize(steps_));
        } else {
            for (const halo_device_step &step : steps_) launch_one(step);
        }
    });
    forget_held();
}

void DeviceWork::forget_held() noexcept {
    ranges_.clear();
    tests_.clear();
    combined_.clear();
    held_.clear();
    first_ = {};
    n_written_ = 0;
}

void DeviceWork::launch_one(const halo_device_step &step) {
    const halo_device_ops &ops = device_.ops();
    if (step.kind == HALO_STEP_COMBINE && !ops.ranges_combine) {
        for (int64_t i = 0; i < step.n; ++i) combine_apart(step.combined[i]);
        return;
    }
    end_step();
    device_.check(step.kind == HALO_STEP_RUN    ? ops.ranges_run(device_.instance(), step.ranges, step.n, stream_)
                  : step.kind == HALO_STEP_TEST ? ops.ranges_test(device_.instance(), step.ranges, step.n, stream_)
                                                : ops.ranges_combine(device_.instance(), step.combined, step.n, stream_));
    count_launches(1);
}

std::string DeviceWork::describe_graphs() const {
    const std::string where = format("  launches on device %d: ", device_.ordinal());
    if (!graphs_) return where + "not recorded, as the setting device.graphs says\n";
    if (!graphs_->lacks().empty()) return where + "not recorded: " + graphs_->lacks() + "\n";
    return where +
           format("recorded %lld times, replayed %lld times\n", static_cast<long long>(graphs_->recorded), static_cast<long long>(graphs_->replayed));
}

// What overwrites comes first among the steps, and each step's rows follow those of the one before.
void DeviceWork::add_combining(const PieceRun &piece, halo_op op, halo_type type) {
    const std::vector<CombineStep> &steps = piece.rows->combine_steps;
    if (steps.empty()) return;
    const RowRange &first = steps.front().rows, &last = steps.back().rows;
    combined_.push_back({ piece.rows->table.on_device(), first.first, last.first + last.n - first.first, steps.front().moves ? first.n : 0,
                          piece.bases.data(), std::ssize(piece.bases), op, type });
}

// On devices that lack the one launch for all.
void DeviceWork::combine_apart(const halo_combine_range &range) {
    const auto run = [&](int64_t first, int64_t n, int32_t op) {
        if (n == 0) return;
        end_step();
        device_.check(device_.ops().table_run(device_.instance(), range.table, first, n, range.bases, range.n_bases, op, range.type, stream_));
        count_launches(1);
    };
    run(range.first, range.n_moved, HALO_COPY_MOVE);
    run(range.first + range.n_moved, range.n - range.n_moved, range.op);
}

void DeviceWork::operate(std::span<const halo_level_operation> operations) {
    go();
    tell([&] {
        end_step();
        device_.check(device_.ops().levels_run(device_.instance(), operations.data(), std::ssize(operations), stream_));
        count_launches(1);
    });
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

// What has been packed may be what has not been made.
bool DeviceWork::has_reached(size_t mark) {
    bool reached = mark >= n_marks_;
    if (reached) return true;
    tell([&] {
        reached = marks_[mark].has_fired();
        if (reached && use_) use_->require_sound_steps();
    });
    return reached;
}

void DeviceWork::mark() {
    if (gathers_) {
        ++held_marks_;
        return;
    }
    tell([&] {
        if (n_marks_ == marks_.size()) marks_.emplace_back(device_);
        marks_[n_marks_++].record(stream_);
    });
    is_in_step_ = false;
}

void DeviceWork::leave_stream() {
    tell([&] { last_.record(stream_); });
    has_left_ = true;
}

void DeviceWork::require_sound() {
    try {
        tell([&] {
            static_cast<void>(last_.has_fired());
            if (use_) use_->require_sound_steps();
        });
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
        last_.record(stream_);
        has_left_ = true;
    } catch (...) { // then end() finds the device as it is
    }
}

void DeviceWork::end(uint32_t run) noexcept {
    forget_held();
    gathers_ = false;
    held_marks_ = n_marks_ = 0;
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
