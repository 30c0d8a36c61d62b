// SPDX-License-Identifier: BSD-3-Clause
// What a round does on one device: rows are collected and run in one launch, whatever piece, part or peer they are of. The host waits for none of it:
// memory and tables of a run are kept until the device has done with them.
#pragma once

#include <cstddef>
#include <memory>
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
    void keep(const std::shared_ptr<const Lowered> &tables) { use().tables.push_back(tables); }

    // Rows for the next launch: all of them, or those whose flag is set, or is not.
    void add(const PieceRun &piece, RowRange rows, int32_t which = HALO_ROWS_ALL) { collect(ranges_, piece, rows, which, {}); }
    void add_row(const PieceRun &piece, int64_t row, int32_t which = HALO_ROWS_ALL) { add(piece, { row, 1 }, which); }
    void run();
    // Rows whose flag is to be set if they are not null.
    void add_test(const PieceRun &piece, RowRange rows, const halo_null_test &test) { collect(tests_, piece, rows, HALO_ROWS_ALL, test); }
    void test();
    // What the piece combines, for the next launch that does. No two of them combine into one field.
    void add_combining(const PieceRun &piece, halo_op op, halo_type type);
    void combine();

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
    // The run fails because the device has failed, or cannot do it as asked (on that stream): that need not be told again.
    void note_told() noexcept {
        if (use_) use_->told = true;
    }
    // The run is over, or has failed.
    void end(uint32_t run) noexcept;

    int64_t launches = 0;

private:
    using Ranges = std::vector<halo_copy_range>;

    DeviceUse &use();
    void end_step();
    Event &next_step();
    void count_launch() {
        ++launches;
        is_in_step_ = true;
    }
    void combine_apart(const halo_combine_range &range);
    static void collect(Ranges &ranges, const PieceRun &piece, RowRange rows, int32_t which, const halo_null_test &test);

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
};

} // namespace halo
