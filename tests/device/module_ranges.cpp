// SPDX-License-Identifier: BSD-3-Clause
// Ranges of many tables in one launch, and flags as they are when the launch comes to them, against plain loops.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "host.h"
#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;

constexpr int64_t n_flags = 8;
constexpr double threshold = 1.25;

// Pinned, all 0.
class Flags {
public:
    explicit Flags(const TestedDevice &device) : device_(device) {
        void *pointer = nullptr;
        EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_PINNED, n_flags, &pointer), HALO_SUCCESS) << device.report();
        data_ = static_cast<uint8_t *>(pointer);
        std::memset(data_, 0, n_flags);
    }
    ~Flags() { device_.ops().release(device_.get(), HALO_MEMORY_PINNED, data_, n_flags); }
    Flags(const Flags &) = delete;
    Flags &operator=(const Flags &) = delete;
    uint8_t *data() const { return data_; }

private:
    const TestedDevice &device_;
    uint8_t *data_ = nullptr;
};

// A random table whose rows have flags, some of them none but zeros; what is expected of it.
class Case {
public:
    Case(const TestedDevice &device, uint64_t seed) : random_(seed), table_(random_, limits(), 12, 3), rows_(table_.rows()), flags_(device) {
        for (std::vector<unsigned char> &part : table_.storage())
            for (size_t at = 0; at < part.size(); ++at) part[at] = static_cast<unsigned char>(at % 7 == 0 ? 0 : 1);
        for (halo_copy_row &row : rows_) {
            row.flag = static_cast<uint32_t>(pick(random_, 0, n_flags - 1));
            set_values(row, row.flag % 2 == 0 ? 0.0 : pick(random_, 0, 2) == 0 ? -1.5 : 1.0);
        }
        on_device_ = std::make_unique<TestedTable>(device, table_.shapes(), rows_);
        first_ = pick(random_, 0, 5);
        n_ = pick(random_, 0, std::ssize(rows_) - first_);
        copied_ = std::make_unique<Copied>(*on_device_, 0, std::ssize(rows_), table_.bases());
    }

    halo_copy_range range(int32_t rows) const {
        halo_copy_range range{};
        range.table = on_device_->get();
        range.first = first_;
        range.n = n_;
        range.bases = copied_->bases();
        range.n_bases = copied_->n_bases();
        range.flags = flags_.data();
        range.test = { HALO_FLOAT64, 0, threshold };
        range.rows = rows;
        return range;
    }

    // After a test and a run.
    void expect(int32_t rows) {
        std::vector<uint8_t> flags(n_flags, 0);
        for_rows([&](const halo_copy_row &row) {
            each(row, table_.bases(), [&](unsigned char *, const unsigned char *src) {
                for (size_t at = 0; at < 24; at += 8) {
                    double value;
                    std::memcpy(&value, src + at, sizeof value);
                    if (value <= -threshold) flags[row.flag] = 1;
                }
            });
        });
        std::vector<std::vector<unsigned char>> expected = table_.storage();
        for_rows([&](const halo_copy_row &row) {
            if (rows != HALO_ROWS_ALL && (flags[row.flag] != 0) != (rows == HALO_ROWS_FLAGGED)) return;
            each(row, RandomTable::bases_of(expected), [](unsigned char *dst, const unsigned char *src) { std::memcpy(dst, src, 24); });
        });
        copied_->write_back(); // and waits
        EXPECT_EQ(std::vector<uint8_t>(flags_.data(), flags_.data() + n_flags), flags);
        EXPECT_TRUE(table_.storage() == expected) << "rows of kind " << rows;
    }

private:
    static ShapeLimits limits() {
        ShapeLimits limits;
        limits.element_bytes = { 24 };
        return limits;
    }
    template <class Each>
    void for_rows(Each &&each) {
        for (int64_t i = first_; i < first_ + n_; ++i) each(rows_[static_cast<size_t>(i)]);
    }
    template <class Each>
    void each(const halo_copy_row &row, const std::vector<void *> &bases, Each &&each) {
        for_each_element(table_.shapes()[row.shape], row, bases.data(), each);
    }
    void set_values(const halo_copy_row &row, double value) {
        each(row, table_.bases(), [&](unsigned char *, const unsigned char *src) {
            for (size_t at = 0; at < 24; at += 8) std::memcpy(const_cast<unsigned char *>(src) + at, &value, sizeof value);
        });
    }

    Random random_;
    RandomTable table_;
    std::vector<halo_copy_row> rows_;
    Flags flags_;
    std::unique_ptr<TestedTable> on_device_;
    std::unique_ptr<Copied> copied_;
    int64_t first_ = 0, n_ = 0;
};

TEST(Ranges, ManyTablesInOneLaunch) {
    const TestedDevice device;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        std::vector<std::unique_ptr<Case>> cases;
        std::vector<halo_copy_range> ranges;
        for (int32_t i = 0; i < 7; ++i) {
            cases.push_back(std::make_unique<Case>(device, seed * 10 + static_cast<uint64_t>(i)));
            ranges.push_back(cases.back()->range(i % 3));
        }
        ASSERT_EQ(device.ops().ranges_test(device.get(), ranges.data(), std::ssize(ranges), HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
        ASSERT_EQ(device.ops().ranges_run(device.get(), ranges.data(), std::ssize(ranges), HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
        for (halo_copy_range &range : ranges) range = {}; // they have been read
        for (int32_t i = 0; i < 7; ++i) cases[static_cast<size_t>(i)]->expect(i % 3);
    }
}

// More runs than a device may remember what it was told for.
TEST(Ranges, TheSameAgainAndAgain) {
    const TestedDevice device;
    std::vector<std::unique_ptr<Case>> cases;
    for (uint64_t i = 0; i < 150; ++i) cases.push_back(std::make_unique<Case>(device, 1000 + i));
    for (int turn = 0; turn < 3; ++turn)
        for (const auto &one : cases) {
            const halo_copy_range range = one->range(HALO_ROWS_FLAGGED);
            ASSERT_EQ(device.ops().ranges_test(device.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
            ASSERT_EQ(device.ops().ranges_run(device.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
        }
    for (const auto &one : cases) one->expect(HALO_ROWS_FLAGGED);
}

TEST(Ranges, WhatCannotBe) {
    const TestedDevice device;
    Case one(device, 5);
    const auto refuse = [&](const halo_copy_range &range, const char *text) {
        EXPECT_EQ(device.ops().ranges_run(device.get(), &range, 1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
        EXPECT_NE(device.report().find(text), std::string::npos) << device.report();
    };
    halo_copy_range range = one.range(HALO_ROWS_ALL);
    range.first = 1000;
    refuse(range, "rows 1000 + ");
    range = one.range(HALO_ROWS_ALL);
    range.first = 0, range.n = 36, range.n_bases = 1;
    refuse(range, "names a base beyond the 1 given");
    refuse(one.range(3), "kind 3");
    range = one.range(HALO_ROWS_FLAGGED);
    range.flags = nullptr;
    refuse(range, "kind 1, without flags");
    range = one.range(HALO_ROWS_ALL);
    range.test.type = 999;
    EXPECT_EQ(device.ops().ranges_test(device.get(), &range, 1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().ranges_run(device.get(), nullptr, -1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    range = one.range(HALO_ROWS_ALL);
    range.flags = nullptr; // nobody asks for them
    EXPECT_EQ(device.ops().ranges_test(device.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
    EXPECT_EQ(device.ops().ranges_run(device.get(), nullptr, 0, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
}

struct Way {
    halo_type type;
    int32_t op;
    uint32_t value_bytes;
};
const Way ways[] = { { HALO_FLOAT64, HALO_SUM, 8 }, { HALO_FLOAT32, HALO_MIN, 4 },    { HALO_INT8, HALO_BXOR, 1 },
                     { HALO_UINT16, HALO_MAX, 2 },  { HALO_COMPLEX64, HALO_PROD, 8 }, { HALO_INT64, HALO_SUM, 8 } };

// A random table in whose second half rows meet what those of the first write; what the host device makes of it.
class CombineCase {
public:
    CombineCase(const TestedDevice &device, uint64_t seed, const Way &way) : way_(way), random_(seed), table_(random_, limits(way), 8, 3) {
        rows_ = table_.rows();
        const size_t half = rows_.size();
        for (size_t i = 0; i < half; ++i) rows_.push_back(rows_[i]);
        set_values();
        n_moved_ = pick(random_, 0, std::ssize(rows_));
        on_device_ = std::make_unique<TestedTable>(device, table_.shapes(), rows_);
        copied_ = std::make_unique<Copied>(*on_device_, 0, std::ssize(rows_), table_.bases());
    }

    halo_combine_range range() const {
        return { on_device_->get(), 0, std::ssize(rows_), n_moved_, copied_->bases(), copied_->n_bases(), way_.op, way_.type };
    }
    void expect() {
        std::vector<std::vector<unsigned char>> expected = table_.storage();
        const std::vector<void *> bases = RandomTable::bases_of(expected);
        const halo_device_ops &host = *halo_device_host.ops;
        halo_device *device = nullptr;
        halo_copy_table *table = nullptr;
        const halo_copy_program program{
            sizeof program, table_.shapes().data(), std::ssize(table_.shapes()), rows_.data(), std::ssize(rows_), nullptr, 0
        };
        ASSERT_EQ(host.open(nullptr, 0, &device), HALO_SUCCESS);
        ASSERT_EQ(host.table_create(device, &program, &table), HALO_SUCCESS);
        const auto run = [&](int64_t first, int64_t n, int32_t op) {
            return host.table_run(device, table, first, n, bases.data(), std::ssize(bases), op, way_.type, HALO_STREAM_NONE);
        };
        EXPECT_EQ(run(0, n_moved_, HALO_COPY_MOVE), HALO_SUCCESS);
        EXPECT_EQ(run(n_moved_, std::ssize(rows_) - n_moved_, way_.op), HALO_SUCCESS);
        host.table_destroy(device, table);
        host.close(device);
        copied_->write_back(); // and waits
        EXPECT_TRUE(table_.storage() == expected) << "type " << way_.type << ", op " << way_.op;
    }

private:
    static ShapeLimits limits(const Way &way) {
        ShapeLimits limits;
        limits.element_bytes = { way.value_bytes, 3 * way.value_bytes };
        return limits;
    }
    // Small whole numbers of the type, or parts of such.
    void set_values() {
        const auto set = [&](unsigned char *at) {
            const int64_t value = pick(random_, -9, 9);
            const auto real = static_cast<double>(value) / 8;
            const float parts[2] = { static_cast<float>(real), static_cast<float>(value) };
            if (way_.type == HALO_FLOAT64)
                std::memcpy(at, &real, sizeof real);
            else if (way_.type == HALO_FLOAT32 || way_.type == HALO_COMPLEX64)
                std::memcpy(at, parts, way_.value_bytes);
            else
                std::memcpy(at, &value, way_.value_bytes);
        };
        for (const halo_copy_row &row : rows_) {
            const halo_copy_shape &shape = table_.shapes()[row.shape];
            for_each_element(shape, row, table_.bases().data(), [&](unsigned char *dst, const unsigned char *src) {
                for (size_t at = 0; at < shape.element_bytes; at += way_.value_bytes) {
                    set(dst + at);
                    set(const_cast<unsigned char *>(src) + at);
                }
            });
        }
    }

    Way way_;
    Random random_;
    RandomTable table_;
    std::vector<halo_copy_row> rows_;
    std::unique_ptr<TestedTable> on_device_;
    std::unique_ptr<Copied> copied_;
    int64_t n_moved_ = 0;
};

TEST(Ranges, CombineManyTablesInOneLaunch) {
    const TestedDevice device;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        std::vector<std::unique_ptr<CombineCase>> cases;
        std::vector<halo_combine_range> ranges;
        for (const Way &way : ways) {
            cases.push_back(std::make_unique<CombineCase>(device, seed * 10 + cases.size(), way));
            ranges.push_back(cases.back()->range());
        }
        ASSERT_EQ(device.ops().ranges_combine(device.get(), ranges.data(), std::ssize(ranges), HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
        for (halo_combine_range &range : ranges) range = {}; // they have been read
        for (const auto &one : cases) one->expect();
    }
}

// The same rows again, of which others overwrite.
TEST(Ranges, CombineWithOtherRowsThatOverwrite) {
    const TestedDevice device;
    halo_copy_shape shape{};
    shape.n_pieces = 1, shape.element_bytes = 8, shape.run[0] = 1, shape.dst_step = shape.src_step[0] = 8;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    std::vector<halo_copy_row> rows(3);
    for (uint32_t i = 0; i < 3; ++i) rows[i].src_base[0] = i + 1;
    const TestedTable table(device, { shape }, rows);
    for (int turn = 0; turn < 2; ++turn)
        for (int64_t n_moved = 0; n_moved <= 3; ++n_moved) {
            double values[] = { 100, 1, 20, 3000 };
            Copied copied(table, 0, 3, { &values[0], &values[1], &values[2], &values[3] });
            const halo_combine_range range{ table.get(), 0, 3, n_moved, copied.bases(), copied.n_bases(), HALO_SUM, HALO_FLOAT64 };
            ASSERT_EQ(device.ops().ranges_combine(device.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
            copied.write_back();
            const double expected[] = { 3121, 3021, 3020, 3000 };
            EXPECT_EQ(values[0], expected[n_moved]);
        }
}

TEST(Ranges, WhatCannotBeCombined) {
    const TestedDevice device;
    const CombineCase one(device, 5, ways[0]);
    const auto refuse = [&](const halo_combine_range &range, const char *text) {
        EXPECT_EQ(device.ops().ranges_combine(device.get(), &range, 1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
        EXPECT_NE(device.report().find(text), std::string::npos) << device.report();
    };
    halo_combine_range range = one.range();
    range.first = 1000;
    refuse(range, "rows 1000 + ");
    range = one.range();
    range.n_bases = 1;
    refuse(range, "names a base beyond the 1 given");
    range = one.range();
    range.n_moved = range.n + 1;
    refuse(range, "of which overwrite");
    range.n_moved = -1;
    refuse(range, "-1 of which overwrite");
    range = one.range();
    range.op = HALO_BAND;
    refuse(range, "does not combine values of type");
    EXPECT_EQ(device.ops().ranges_combine(device.get(), nullptr, -1, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().ranges_combine(device.get(), nullptr, 0, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();

    halo_copy_shape shape{};
    shape.n_pieces = 1, shape.element_bytes = 8, shape.run[0] = 1, shape.dst_step = shape.src_step[0] = 8, shape.negate = HALO_FLOAT64;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    halo_copy_row row{};
    row.src_base[0] = 1;
    const TestedTable table(device, { shape }, { row });
    double values[] = { 1, 2 };
    const Copied copied(table, 0, 1, { &values[0], &values[1] });
    refuse({ table.get(), 0, 1, 1, copied.bases(), copied.n_bases(), HALO_SUM, HALO_FLOAT64 }, "negates what it overwrites");
}

} // namespace
