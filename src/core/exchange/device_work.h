// SPDX-License-Identifier: BSD-3-Clause
// What a round does on one device: rows are collected and run in one launch, whatever piece, part or peer they are of. The host waits for none of it:
// memory and tables of a run are kept until the device has done with them.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/context.h"
#include "exchange/run.h"

namespace halo {

class DeviceWork {
public:
    DeviceWork(Context &context, Device &device, std::shared_ptr<DeviceOwner> owner);
    ~DeviceWork();
    DeviceWork(const DeviceWork &) = delete;
    DeviceWork &operator=(const DeviceWork &) = delete;

    Device &device() const { return device_; }
    halo_stream stream() const { return stream_; }

    // What follows goes into this stream, behind what has been put into others.
    void put_on(halo_stream stream);
    // Memory that host and device reach, of the present run.
    std::byte *pinned(size_t bytes);
    // Of others, that the run uses.
    void keep(const Buffer &memory) { use().memory.push_back(memory); }
    void keep(const std::shared_ptr<const void> &tables) { use().tables.push_back(tables); }

    // Launches from here on may be recorded (setting device.graphs): they are held back until `go`, and marks with them. `few`: they move so little
    // that each of them costs as much as what it does.
    void gather(bool few);
    void go();

    // Rows for the next launch: all of them, or those whose flag is set, or is not.
    void add(const PieceRun &piece, RowRange rows, int32_t which = HALO_ROWS_ALL) { collect(HALO_STEP_RUN, piece, rows, which, {}); }
    // Two words of the host's, such as a header, for the next launch to write there.
    void write(const std::array<uint64_t, 2> &words, std::byte *to);
    // All rows of a table; the bases are left alone until they run.
    void add(const CopyTable &table, const std::vector<void *> &bases);
    void add_row(const PieceRun &piece, int64_t row, int32_t which = HALO_ROWS_ALL) { add(piece, { row, 1 }, which); }
    void run() { launch(HALO_STEP_RUN, ranges_.size()); }
    // Rows whose flag is to be set if they are not null.
    void add_test(const PieceRun &piece, RowRange rows, const halo_null_test &test) { collect(HALO_STEP_TEST, piece, rows, HALO_ROWS_ALL, test); }
    void test() { launch(HALO_STEP_TEST, tests_.size()); }
    // What the piece combines, for the next launch that does. No two of them combine into one field.
    void add_combining(const PieceRun &piece, halo_op op, halo_type type);
    void combine() { launch(HALO_STEP_COMBINE, combined_.size()); }

    // Values between levels, in a launch behind all that is held back.
    void operate(std::span<const halo_level_operation> operations);

    // The run's next mark, behind all that has been put on. Marks are counted from 0.
    void mark();
    // The next call may name another stream.
    void leave_stream();
    // Of a call that has failed, wherever in it.
    void leave_failed_call() noexcept;
    bool has_reached(size_t mark);
    // Throws if the device knows already that what the last call has put on has failed.
    void require_sound();
    // That is known: what comes next does not wait for it.
    void forget_failed() noexcept;
    // The run is over, or has failed.
    void end(uint32_t run) noexcept;

    // A line: how often launches have been recorded and replayed, or why none have.
    std::string describe_graphs() const;

    int64_t launches = 0;

private:
    using Ranges = std::vector<halo_copy_range>;
    // Ranges of one launch, among all of their kind.
    struct Held {
        int32_t kind; // HALO_STEP_...
        size_t first, n;
    };

    DeviceUse &use();
    template <class Call>
    void tell(Call &&call);
    void launch(int32_t kind, size_t n_ranges);
    void launch_held();
    void launch_one(const halo_device_step &step);
    void forget_held() noexcept;
    void end_step();
    Event &next_step();
    void count_launches(int64_t n) {
        launches += n;
        is_in_step_ = true;
    }
    void combine_apart(const halo_combine_range &range);
    void collect(int32_t kind, const PieceRun &piece, RowRange rows, int32_t which, const halo_null_test &test);

    Context &context_;
    Device &device_;
    std::shared_ptr<DeviceOwner> owner_;
    DeviceUses &uses_;
    std::unique_ptr<DeviceUse> use_; // of the present run
    std::vector<Event> marks_;       // the first n_marks_ are of the present run
    size_t n_marks_ = 0;
    Event last_; // behind what the last call has put on
    halo_stream stream_ = HALO_STREAM_NONE;
    bool has_left_ = true;
    bool is_in_step_ = false; // the last launch has no event of its own behind it
    Ranges ranges_;
    Ranges tests_;
    std::vector<halo_combine_range> combined_;
    std::shared_ptr<const CopyTable> writing_;        // its one row moves two words
    std::deque<std::array<void *, 2>> written_bases_; // the first n_written_ are of rows that have not been launched
    size_t n_written_ = 0;
    std::array<size_t, 3> first_{}; // of each kind: range of the next launch
    std::vector<Held> held_;
    std::vector<halo_device_step> steps_; // that these are
    std::optional<DeviceGraphs> graphs_;  // none: the setting is no
    bool records_all_ = false;            // the setting is yes
    bool gathers_ = false;
    size_t held_marks_ = 0;
};

} // namespace halo
