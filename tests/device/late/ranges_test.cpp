// SPDX-License-Identifier: BSD-3-Clause
// Ranges of tables on the late device: one launch, flags as they are when the stream comes there, everything checked before.
#include <cstring>

#include "fixture.h"

namespace {

using namespace halo::test;

/// Row i moves double i of base 0 to double i of base 1, by flag i.
std::vector<halo_copy_row> rows_of(uint32_t n) {
    std::vector<halo_copy_row> rows(n, one_row[0]);
    for (uint32_t i = 0; i < n; ++i) {
        rows[i].flag = i;
        rows[i].dst_offset = rows[i].src_offset[0] = 8 * static_cast<int64_t>(i);
    }
    return rows;
}

/// A source, a destination full of -1, and a table between them.
class Transfer {
public:
    Transfer(const LateDevice &device, const std::vector<double> &values, const std::vector<halo_copy_row> &rows)
        : table(device, line(1), rows),
          from(device, 8 * values.size()),
          to(device, 8 * values.size()),
          bases_{ from.get(), to.get() } {
        from.write(values.data());
        to.write(std::vector<double>(values.size(), -1).data());
    }
    Transfer(const LateDevice &device, const std::vector<double> &values) : Transfer(device, values, rows_of(static_cast<uint32_t>(values.size()))) {}

    halo_copy_range range(uint8_t *flags = nullptr, int32_t rows = HALO_ROWS_ALL) const {
        halo_copy_range range{};
        range.table = table.get();
        range.n = table.n_rows;
        range.bases = bases_;
        range.n_bases = 2;
        range.flags = flags;
        range.test = { HALO_FLOAT64, 0, 0 };
        range.rows = rows;
        return range;
    }
    std::vector<double> result(halo_stream stream = HALO_STREAM_NONE) const {
        const std::vector<unsigned char> bytes = to.read(stream);
        std::vector<double> values(bytes.size() / 8);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    const LateTable table;
    const Block from, to;

private:
    void *const bases_[2];
};

/// Pinned flags, all 0.
class Flags : public Block {
public:
    Flags(const LateDevice &device, size_t n) : Block(device, n, HALO_MEMORY_PINNED) { std::memset(get(), 0, n); }
    uint8_t *data() const { return static_cast<uint8_t *>(get()); }
};

using Ranges = std::vector<halo_copy_range>;
using Values = std::vector<double>;

halo_status run(const LateDevice &device, const Ranges &ranges, halo_stream stream = HALO_STREAM_NONE) {
    return LateDevice::ops().ranges_run(device.get(), ranges.data(), static_cast<int64_t>(ranges.size()), stream);
}
halo_status test(const LateDevice &device, const Ranges &ranges, halo_stream stream = HALO_STREAM_NONE) {
    return LateDevice::ops().ranges_test(device.get(), ranges.data(), static_cast<int64_t>(ranges.size()), stream);
}

TEST(LateRanges, ManyTablesInOneLaunch) {
    const LateDevice device;
    const Transfer one(device, { 1, 2, 3, 4 }), other(device, { 5, 6 });
    Ranges ranges{ one.range(), one.range(), other.range() };
    ranges[0].n = 1;
    ranges[1].first = 2, ranges[1].n = 2;
    const late_counts all = late_count_all();
    ASSERT_EQ(run(device, ranges), HALO_SUCCESS) << device.report;
    ranges.assign(3, {}); // it was read before return
    EXPECT_EQ(device.counts().launches, 1);
    EXPECT_EQ(device.counts().host_waits, 0);
    EXPECT_EQ(late_count_all().launches - all.launches, 1);
    EXPECT_EQ(one.result(), (Values{ 1, -1, 3, 4 }));
    EXPECT_EQ(other.result(), (Values{ 5, 6 }));
}

// What the test before in the stream is going to find decides.
TEST(LateRanges, FlagsOfAnEarlierTestChoose) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        const LateDevice device(seed);
        const Transfer flagged(device, { 0, 2, 3, 0, 5 }), unflagged(device, { 0, 2, 3, 0, 5 }), all(device, { 0, 2, 3, 0, 5 });
        const Flags flags(device, 5);
        const halo_stream stream = device.stream();
        device.synchronize();
        ASSERT_EQ(test(device, { flagged.range(flags.data()) }, stream), HALO_SUCCESS) << device.report;
        const Ranges ranges{ flagged.range(flags.data(), HALO_ROWS_FLAGGED), unflagged.range(flags.data(), HALO_ROWS_UNFLAGGED),
                             all.range(flags.data(), HALO_ROWS_ALL) };
        ASSERT_EQ(run(device, ranges, stream), HALO_SUCCESS) << device.report;
        EXPECT_EQ(device.counts().tests, 1);
        EXPECT_EQ(device.counts().launches, 1);
        EXPECT_EQ(device.counts().host_waits, 0);
        EXPECT_EQ(flagged.result(stream), (Values{ -1, 2, 3, -1, 5 }));
        EXPECT_EQ(unflagged.result(stream), (Values{ 0, -1, -1, 0, -1 }));
        EXPECT_EQ(all.result(stream), (Values{ 0, 2, 3, 0, 5 }));
    }
}

TEST(LateRanges, RowsShareFlagsAndNoneIsCleared) {
    const LateDevice device;
    std::vector<halo_copy_row> rows = rows_of(5);
    rows[0].flag = rows[1].flag = rows[2].flag = 3;
    rows[3].flag = 0;
    const Transfer transfer(device, { 0, 7, 0, 0, 0 }, rows), ignored(device, { 1, 1, 1, 1, 1 });
    const Flags flags(device, 5);
    flags.data()[0] = 2; // its row is null
    ASSERT_EQ(test(device, { transfer.range(flags.data()), ignored.range() }), HALO_SUCCESS) << device.report;
    ASSERT_EQ(run(device, { transfer.range(flags.data(), HALO_ROWS_FLAGGED) }), HALO_SUCCESS) << device.report;
    EXPECT_EQ(transfer.result(), (Values{ 0, 7, 0, 0, -1 }));
    EXPECT_EQ(std::vector<uint8_t>(flags.data(), flags.data() + 5), (std::vector<uint8_t>{ 2, 0, 0, 1, 0 }));
}

// Those that are chosen by flags, and those that are not, are different ones.
TEST(LateRanges, NoRowIsRunTwiceInOneLaunch) {
    const LateDevice device;
    const Transfer transfer(device, { 1, 2 });
    const Flags flags(device, 2);
    EXPECT_EQ(run(device, { transfer.range(), transfer.range() }), HALO_ERR_ARGUMENT);
    EXPECT_NE(device.report.find("a row of a table twice in one launch"), std::string::npos) << device.report;
    EXPECT_EQ(run(device, { transfer.range(flags.data(), HALO_ROWS_FLAGGED), transfer.range(flags.data(), HALO_ROWS_UNFLAGGED) }), HALO_SUCCESS);
    EXPECT_EQ(transfer.result(), (Values{ 1, 2 }));
}

// Rows that write the same bytes, which no program may have, show it.
TEST(LateRanges, EverySecondLaunchRunsBackwards) {
    const LateDevice device;
    std::vector<halo_copy_row> rows = rows_of(2);
    rows[1].dst_offset = 0;
    const Transfer transfer(device, { 1, 2 }, rows);
    for (const double last : { 2, 1, 2 }) {
        ASSERT_EQ(run(device, { transfer.range() }), HALO_SUCCESS) << device.report;
        EXPECT_EQ(transfer.result().front(), last);
    }
}

// The stream waits for an event behind what changes sources and flags.
TEST(LateRanges, NothingIsReadBeforeTheStreamComesThere) {
    const LateDevice device(5, 2000);
    const Transfer transfer(device, { 1, 2 });
    const Flags flags(device, 2), source(device, 2);
    const halo_stream first = device.stream(), second = device.stream();
    device.synchronize();
    halo_event *event = nullptr;
    ASSERT_EQ(LateDevice::ops().event_create(device.get(), &event), HALO_SUCCESS);
    const Values later{ 8, 9 };
    transfer.from.write(later.data(), first);
    source.data()[1] = 1;
    ASSERT_EQ(LateDevice::ops().copy(device.get(), flags.get(), source.get(), 2, first), HALO_SUCCESS);
    ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, first), HALO_SUCCESS);
    ASSERT_EQ(LateDevice::ops().event_wait(device.get(), event, second), HALO_SUCCESS);
    ASSERT_EQ(run(device, { transfer.range(flags.data(), HALO_ROWS_FLAGGED) }, second), HALO_SUCCESS) << device.report;
    EXPECT_EQ(LateDevice::ops().table_patch(device.get(), transfer.table.get(), 0, 1, one_row.data()), HALO_ERR_STATE) << "it waits still";
    EXPECT_EQ(transfer.result(second), (Values{ -1, 9 }));
    LateDevice::ops().event_destroy(device.get(), event);
}

TEST(LateRanges, FlagsArePinned) {
    const LateDevice device;
    const Transfer transfer(device, { 1, 2 });
    const Flags one(device, 1);
    const Block own(device, 2);
    uint8_t plain[2] = {};
    for (uint8_t *flags : { plain, static_cast<uint8_t *>(own.get()), one.data() }) {
        EXPECT_EQ(test(device, { transfer.range(flags) }), HALO_ERR_DEVICE);
        EXPECT_EQ(run(device, { transfer.range(flags, HALO_ROWS_UNFLAGGED) }), HALO_ERR_DEVICE);
        EXPECT_NE(device.report.find("flags of a range"), std::string::npos) << device.report;
    }
    EXPECT_EQ(run(device, { transfer.range(plain) }), HALO_SUCCESS) << "nobody asks for them";
    EXPECT_EQ(device.counts().launches, 1);
    device.synchronize();
}

// Whatever the flags say, and wherever in the list it is; nothing of the list is done.
TEST(LateRanges, AllOfARangeIsChecked) {
    const LateDevice device;
    const Transfer good(device, { 1, 2 }), bad(device, { 1, 2 });
    const Flags flags(device, 2);
    double plain[2] = {};
    const auto refuse = [&](const halo_copy_range &range, halo_status status, const char *text) {
        EXPECT_EQ(run(device, { good.range(), range }), status);
        EXPECT_NE(device.report.find(text), std::string::npos) << device.report;
    };
    halo_copy_range range = bad.range(flags.data(), HALO_ROWS_FLAGGED); // none is
    void *const unreached[] = { bad.from.get(), plain };
    range.bases = unreached;
    refuse(range, HALO_ERR_DEVICE, "row 0 of a table leads to memory");
    EXPECT_EQ(test(device, { range }), HALO_SUCCESS) << "which writes nothing there: " << device.report;
    range = bad.range();
    range.n_bases = 1;
    refuse(range, HALO_ERR_DEVICE, "row 0 of a table");
    range = bad.range();
    range.first = 1;
    refuse(range, HALO_ERR_ARGUMENT, "rows 1 + 2 of a table of 2");
    refuse(bad.range(nullptr, HALO_ROWS_FLAGGED), HALO_ERR_ARGUMENT, "kind 1, without flags");
    refuse(bad.range(flags.data(), 3), HALO_ERR_ARGUMENT, "kind 3");
    range = bad.range(flags.data());
    range.test.type = 999;
    EXPECT_EQ(test(device, { range }), HALO_ERR_ARGUMENT);
    EXPECT_EQ(LateDevice::ops().ranges_run(device.get(), nullptr, -1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.counts().launches, 0);
    EXPECT_EQ(good.result(), (Values{ -1, -1 }));
}

/// Of a transfer: all rows, of which so many overwrite.
halo_combine_range combined(const Transfer &transfer, int64_t n_moved, int32_t op = HALO_SUM, halo_type type = HALO_FLOAT64) {
    const halo_copy_range rows = transfer.range();
    return { rows.table, rows.first, rows.n, n_moved, rows.bases, rows.n_bases, op, type };
}
halo_status combine(const LateDevice &device, const std::vector<halo_combine_range> &ranges, halo_stream stream = HALO_STREAM_NONE) {
    return LateDevice::ops().ranges_combine(device.get(), ranges.data(), static_cast<int64_t>(ranges.size()), stream);
}

// Rows of a range come in their order, ranges in any.
TEST(LateRanges, CombineInOneLaunch) {
    for (const int before : { 0, 1 }) {
        const LateDevice device;
        std::vector<halo_copy_row> rows = rows_of(3);
        rows[1].dst_offset = rows[2].dst_offset = 0;
        const Transfer moved(device, { 5, 1e17, 3 }, rows), summed(device, { 5, 1e17, -1e17 }, rows), other(device, { -2, 7 });
        for (int i = 0; i < before; ++i) ASSERT_EQ(run(device, { other.range() }), HALO_SUCCESS);
        ASSERT_EQ(combine(device, { combined(moved, 2), combined(summed, 0), combined(other, 0, HALO_MIN) }), HALO_SUCCESS) << device.report;
        EXPECT_EQ(device.counts().launches, before + 1);
        EXPECT_EQ(device.counts().host_waits, 0);
        EXPECT_EQ(moved.result(), (Values{ 1e17 + 3, -1, -1 }));
        EXPECT_EQ(summed.result(), (Values{ 4 + 1e17 - 1e17, -1, -1 }));
        EXPECT_EQ(other.result(), before == 0 ? (Values{ -2, -1 }) : (Values{ -2, 7 }));
    }
}

TEST(LateRanges, WhatIsNotCombined) {
    const LateDevice device;
    const Transfer good(device, { 1, 2 }), bad(device, { 1, 2 });
    double plain[2] = {};
    const auto refuse = [&](const halo_combine_range &range, halo_status status, const char *text) {
        EXPECT_EQ(combine(device, { combined(good, 0), range }), status);
        EXPECT_NE(device.report.find(text), std::string::npos) << device.report;
    };
    halo_combine_range range = combined(bad, 0);
    void *const unreached[] = { bad.from.get(), plain };
    range.bases = unreached;
    refuse(range, HALO_ERR_DEVICE, "row 0 of a table leads to memory");
    range = combined(bad, 0);
    range.first = 1;
    refuse(range, HALO_ERR_ARGUMENT, "rows 1 + 2 of a table of 2");
    refuse(combined(bad, 3), HALO_ERR_ARGUMENT, "a range of 2 rows, 3 of which overwrite");
    refuse(combined(bad, -1), HALO_ERR_ARGUMENT, "a range of 2 rows, -1 of which overwrite");
    refuse(combined(bad, 1, HALO_BAND), HALO_ERR_ARGUMENT, "does not combine values of type");
    EXPECT_EQ(LateDevice::ops().ranges_combine(device.get(), nullptr, -1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.counts().launches, 0);
    EXPECT_EQ(good.result(), (Values{ -1, -1 }));
}

TEST(LateRanges, LaunchesFailOnOrder) {
    late_fail_launches_of_all(2);
    const LateDevice device;
    late_fail_launches_of_all(-1);
    const Transfer transfer(device, { 1 });
    const Flags flags(device, 1);
    for (int turn = 0; turn < 2; ++turn) { // first as ordered for all, then for this one
        EXPECT_EQ(transfer.table.run({ transfer.from.get(), transfer.to.get() }), HALO_SUCCESS);
        EXPECT_EQ(test(device, { transfer.range(flags.data()) }), HALO_SUCCESS);
        EXPECT_EQ(run(device, { transfer.range() }), HALO_ERR_DEVICE);
        EXPECT_EQ(device.report, "a launch fails, as ordered");
        EXPECT_EQ(run(device, { transfer.range() }), HALO_SUCCESS);
        late_fail_launch(device.get(), 2);
    }
    EXPECT_EQ(device.counts().launches, 4);
    device.synchronize();
}

TEST(LateRanges, MemoryTellsItsDevice) {
    const LateDevice one, other;
    const Block first(one, 100), second(other, 8), pinned(one, 8, HALO_MEMORY_PINNED);
    EXPECT_EQ(late_of_memory(static_cast<char *>(first.get()) + 99), one.get());
    EXPECT_EQ(late_of_memory(second.get()), other.get());
    EXPECT_EQ(late_of_memory(pinned.get()), nullptr);
    EXPECT_EQ(late_of_memory(&pinned), nullptr);
}

} // namespace
