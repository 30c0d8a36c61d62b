// SPDX-License-Identifier: BSD-3-Clause
// Every refusal, with its status and text.
#include <functional>

#include <gtest/gtest.h>

#include "halo_stencil.hpp"

namespace {

using halo::reads;
using halo::updates;
using halo::writes;

halo_stencil_desc line() {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.n_dims = 1;
    return desc;
}
const int64_t two_splitters[] = { 0, 10 };
halo_stencil_desc column() {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.splitters = two_splitters;
    desc.n_splitters = 2;
    return desc;
}
halo_stencil_access reads_x(int32_t field, int32_t low, int32_t high) { return reads(field, { low, 0, 0 }, { high, 0, 0 }); }
halo_stencil_access reads_z(int32_t field, int32_t low, int32_t high) { return reads(field, { 0, 0, low }, { 0, 0, high }); }

void expect(halo_status status, const std::string &text, const std::function<void()> &call) {
    try {
        call();
        ADD_FAILURE() << "not refused: " << text;
    } catch (const halo::error &error) {
        EXPECT_EQ(error.status(), status);
        EXPECT_EQ(std::string(error.what()), std::string(halo_status_name(status)) + ": " + text);
    }
}

// A stencil over a, b, c and the temporary t.
halo::Stencil over_fields(const halo_stencil_desc &desc) {
    halo::Stencil stencil(desc);
    for (const char *name : { "a", "b", "c" }) stencil.add_field(name);
    stencil.add_field("t", true);
    return stencil;
}

using Stages = std::function<void(halo::Stencil &)>;
void expect_analysis(halo_status status, const std::string &text, const halo_stencil_desc &desc, const Stages &add) {
    halo::Stencil stencil = over_fields(desc);
    add(stencil);
    expect(status, text, [&] { stencil.analyse(); });
}

TEST(Refused, AreDescriptionsOutOfRange) {
    const auto expect_desc = [](const std::string &text, const std::function<void(halo_stencil_desc &)> &change, halo_stencil_desc desc = line()) {
        change(desc);
        expect(HALO_ERR_ARGUMENT, text, [&] { halo::Stencil stencil(desc); });
    };
    expect_desc("stencil: n_dims is 4, it must be 1, 2 or 3", [](auto &d) { d.n_dims = 4; });
    expect_desc("stencil: -1 cells along direction 0; 0 if they are not known", [](auto &d) { d.cells[0] = -1; });
    expect_desc("stencil: order is 2, it must be 0 to 1", [](auto &d) { d.order = 2; });
    expect_desc("stencil: exchanged is 3, it must be 0 to 2", [](auto &d) { d.exchanged = 3; });
    expect_desc("stencil: repeats is 2, it must be 0 to 1", [](auto &d) { d.repeats = 2; });
    expect_desc("stencil: exchange_cost is -1; a cost is 0 or more", [](auto &d) { d.exchange_cost = -1; });
    expect_desc("stencil: value_cost is nan; a cost is 0 or more", [](auto &d) { d.value_cost = __builtin_nan(""); });
    expect_desc("stencil: HALO_STENCIL_CHEAPEST wants `cells`, which are what costs are counted in",
                [](auto &d) { d.exchanged = HALO_STENCIL_CHEAPEST; });
    expect_desc(
        "stencil: max_offset is 1, it must be 2 to 1024", [](auto &d) { d.max_offset = 1; }, column());
    expect_desc(
        "stencil: 1 splitters; an axis has 2 or more", [](auto &d) { d.n_splitters = 1; }, column());
    expect_desc(
        "stencil: 7 cells along direction 2, which has 10 levels", [](auto &d) { d.cells[2] = 7; }, column());
    static const int64_t falling[] = { 0, 5, 5 }, late[] = { 1, 5 };
    expect_desc(
        "stencil: splitter 2 is 5, not above splitter 1, which is 5", [](auto &d) { d.splitters = falling, d.n_splitters = 3; }, column());
    expect_desc(
        "stencil: the first splitter is 1, it must be 0", [](auto &d) { d.splitters = late; }, column());
}

TEST(Refused, AreFieldsWithoutANameOfTheirOwn) {
    halo::Stencil stencil = over_fields(line());
    expect(HALO_ERR_ARGUMENT, "stencil: a field without a name", [&] { stencil.add_field(""); });
    expect(HALO_ERR_EXISTS, "stencil: there is a field 'b' already", [&] { stencil.add_field("b"); });
    halo_stencil_field_desc none = HALO_STENCIL_FIELD_DESC_INIT;
    none.name = "v";
    none.n_components = 0;
    expect(HALO_ERR_ARGUMENT, "stencil: field v has 0 components", [&] { stencil.add_field(none); });
}

TEST(Refused, AreAccessesThatAreNone) {
    halo::Stencil stencil = over_fields(line());
    const std::string extent = "; it must ascend, stay within 16777216, and be <0,0> of what is written and in directions that are not used";
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 1: field 4; there are 4 fields", [&] {
        stencil.add_stage("f", { writes(0), reads(4) });
    });
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 0 to a: extent <1,-1> in direction 0" + extent,
           [&] { stencil.add_stage("f", { reads_x(0, 1, -1) }); });
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 0 to a: extent <-1,1> in direction 1" + extent, [&] {
        stencil.add_stage("f", { reads(0, { 0, -1, 0 }, { 0, 1, 0 }) });
    });
    halo_stencil_access wide = writes(0);
    wide.high[0] = 1;
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 0 to a: extent <0,1> in direction 0" + extent, [&] { stencil.add_stage("f", { wide }); });
    halo_stencil_access other = reads(2);
    other.mode = 9;
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 0 to c: mode 9 is none of HALO_STENCIL_READ, _WRITE, _UPDATE",
           [&] { stencil.add_stage("f", { other }); });
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f): accesses 0 and 1 both write a", [&] { stencil.add_stage("f", { writes(0), updates(0) }); });
    EXPECT_THROW(stencil.add_stage("f", {}), halo::error);
}

TEST(Refused, IsOwnOutputReadOffCentre) {
    expect_analysis(HALO_ERR_ARGUMENT,
                    "stencil: stage 0 (f) reads its own output a at <-1,0>: of what a stage writes it may read the cell itself alone", line(),
                    [](halo::Stencil &s) {
                        s.add_stage("f", { writes(0), reads_x(0, -1, 0) });
                    });
}

TEST(Refused, IsWhatAnEarlierStageReadElsewhere) {
    const Stages stages = [](halo::Stencil &s) {
        s.add_stage("lap", { writes(1), reads_x(0, -1, 1) });
        s.add_stage("step", { updates(0), reads(1) });
    };
    expect_analysis(
        HALO_ERR_ARGUMENT,
        "stencil: stage 1 (step) writes a, which stage 0 (lap) has read at <-1,1>: other cells may not have read it yet (write another field, or "
        "see HALO_STENCIL_BY_STAGES)",
        line(), stages);
    halo_stencil_desc by_stages = line();
    by_stages.order = HALO_STENCIL_BY_STAGES;
    halo::Stencil stencil = over_fields(by_stages);
    stages(stencil);
    EXPECT_NO_THROW(stencil.analyse());
}

TEST(Refused, AreTemporariesReadTooEarlyAndCycles) {
    expect_analysis(HALO_ERR_ARGUMENT, "stencil: stage 0 (f) reads the temporary t at <0,0>, which no stage has written before", line(),
                    [](halo::Stencil &s) {
                        s.add_stage("f", { writes(0), reads(3) });
                    });
    expect_analysis(
        HALO_ERR_ARGUMENT,
        "stencil: a cycle: stage 0 (f) reads the temporary t at <-1,1>; stage 1 (g) reads a and writes b; stage 2 (h) reads b and writes t", line(),
        [](halo::Stencil &s) {
            s.add_stage("f", { writes(0), reads_x(3, -1, 1) });
            s.add_stage("g", { writes(1), reads(0) });
            s.add_stage("h", { writes(3), reads(1) });
        });
}

TEST(Refused, AreMoreCellsThanCanBeCounted) {
    halo_stencil_desc large = line();
    large.n_dims = 3, large.cells[0] = large.cells[1] = large.cells[2] = INT32_MAX;
    expect_analysis(HALO_ERR_LIMIT, "stencil: cells of a part exceeds 4503599627370496", large, [](halo::Stencil &s) {
        s.add_stage("f", { writes(0), reads_x(1, -1, 1) });
    });
}

TEST(Refused, AreGhostsWiderThanParts) {
    halo_stencil_desc small = line();
    small.cells[0] = 3;
    expect_analysis(HALO_ERR_LIMIT,
                    "stencil: field b needs 4 ghost layers below in direction 0, and the smallest part has 3 cells there: stage 0 (f), run at "
                    "<-2,1>, reads it at "
                    "<-2,0>",
                    small, [](halo::Stencil &s) {
                        s.add_stage("f", { writes(0), reads_x(1, -2, 0) });
                        s.add_stage("g", { writes(2), reads_x(0, -2, 1) });
                    });
    small.exchanged = HALO_STENCIL_CHEAPEST; // finds that a must be exchanged
    halo::Stencil stencil = over_fields(small);
    stencil.add_stage("f", { writes(0), reads_x(1, -2, 0) });
    stencil.add_stage("g", { writes(2), reads_x(0, -2, 1) });
    EXPECT_NO_THROW(stencil.analyse());
    EXPECT_EQ(stencil.exchanges().size(), 2u);
}

TEST(Refused, AreCallsBeforeAndAfterTheAnalysis) {
    halo::Stencil stencil = over_fields(line());
    stencil.add_stage("f", { writes(0), reads_x(1, -1, 1) });
    const std::string early = "stencil: not analysed yet: halo_stencil_analyse comes before its results";
    expect(HALO_ERR_STATE, early, [&] { stencil.field(0); });
    expect(HALO_ERR_STATE, early, [&] { stencil.loops(); });
    stencil.analyse();
    const std::string late = "stencil: it has been analysed: make another one";
    expect(HALO_ERR_STATE, late, [&] { stencil.analyse(); });
    expect(HALO_ERR_STATE, late, [&] { stencil.add_field("v"); });
    expect(HALO_ERR_STATE, late, [&] { stencil.add_stage("g", { reads(0) }); });
    expect(HALO_ERR_NOT_FOUND, "stencil: field 4; there are 4", [&] { stencil.field(4); });
    expect(HALO_ERR_NOT_FOUND, "stencil: stage 1; there are 1", [&] { stencil.stage(1); });
    expect(HALO_ERR_NOT_FOUND, "stencil: exchange 1; there are 1", [&] { stencil.exchange_ranges(1); });
    expect(HALO_ERR_ARGUMENT, "the stencil handle is NULL", [] { halo::check(halo_stencil_analyse(nullptr)); });
}

// Stage "f" that updates a in some intervals.
void add_intervals(halo::Stencil &stencil, std::vector<halo_stencil_interval> intervals, std::vector<halo_stencil_access> accesses = { updates(0) },
                   int32_t direction = HALO_STENCIL_PARALLEL) {
    halo_stencil_stage_desc desc = HALO_STENCIL_STAGE_DESC_INIT;
    desc.name = "f";
    desc.accesses = accesses.data();
    desc.n_accesses = static_cast<int32_t>(accesses.size());
    desc.intervals = intervals.empty() ? nullptr : intervals.data();
    desc.n_intervals = static_cast<int32_t>(intervals.size());
    desc.direction = direction;
    stencil.add_stage(desc);
}

TEST(Refused, AreIntervalsThatDoNotFollowEachOther) {
    halo::Stencil stencil = over_fields(column());
    const auto expect_intervals = [&](const std::string &text, const std::vector<halo_stencil_interval> &intervals) {
        expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), interval " + text, [&] { add_intervals(stencil, intervals); });
    };
    expect_intervals("1: (0,2) to (1,-1) overlaps with the interval before it", { { { 0, 1 }, { 0, 2 } }, { { 0, 2 }, { 1, -1 } } });
    expect_intervals("1: (1,-2) to (1,-1) leaves a gap behind the interval before it", { { { 0, 1 }, { 0, 2 } }, { { 1, -2 }, { 1, -1 } } });
    expect_intervals("0: (0,1) to (1,-3) starts or ends at an offset of 3, which is reserved", { { { 0, 1 }, { 1, -3 } } });
    expect_intervals("0: (1,-1) to (0,1) holds no level", { { { 1, -1 }, { 0, 1 } } });
    expect_intervals("0: (0,-1) to (1,-1) leaves the axis, which has levels 0 to 9", { { { 0, -1 }, { 1, -1 } } });
    expect_intervals("0: (2,1) is no level: there are splitters 0 to 1, and offsets up to 3 either way, without 0", { { { 2, 1 }, { 2, 2 } } });
    halo::Stencil flat = over_fields(line());
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f) has intervals or a direction, but the stencil has no splitters", [&] {
        add_intervals(flat, { { { 0, 1 }, { 1, -1 } } });
    });
    expect(HALO_ERR_ARGUMENT, "stencil: stage 0 (f), access 0 to a: interval 1; the stage has 1", [&] {
        add_intervals(stencil, { { { 0, 1 }, { 1, -1 } } }, { updates(0, 1) });
    });
}

TEST(Refused, AreLevelsThatAreNotThereAndOwnOnesThatAreNotPassed) {
    expect_analysis(HALO_ERR_BOUNDS, "stencil: stage 0 (f) reads b at <0,0> <0,0> <-1,0> on level 0: the axis has levels 0 to 9", column(),
                    [](halo::Stencil &s) {
                        add_intervals(s, {}, { writes(0), reads_z(1, -1, 0) });
                    });
    const std::string own =
        "stencil: stage 0 (f) reads its own output a at <0,0> <0,0> <-1,-1>: of what a stage writes it may read the cell itself alone, or levels "
        "that it has passed";
    for (const int32_t direction : { HALO_STENCIL_PARALLEL, HALO_STENCIL_DOWNWARD })
        expect_analysis(HALO_ERR_ARGUMENT, own, column(), [&](halo::Stencil &s) {
            add_intervals(s, { { { 0, 2 }, { 1, -1 } } }, { writes(0), reads_z(0, -1, -1) }, direction);
        });
    halo::Stencil stencil = over_fields(column());
    add_intervals(stencil, { { { 0, 2 }, { 1, -1 } } }, { writes(0), reads_z(0, -1, -1) }, HALO_STENCIL_UPWARD);
    EXPECT_NO_THROW(stencil.analyse());
    expect_analysis(HALO_ERR_ARGUMENT,
                    "stencil: stage 0 (f) reads the temporary t at <0,0> <0,0> <-1,-1> on level 0, which no stage has written before", column(),
                    [](halo::Stencil &s) {
                        add_intervals(s, { { { 0, 2 }, { 1, -1 } } }, { writes(3), reads_z(3, -1, -1) }, HALO_STENCIL_UPWARD);
                    });
    static const int64_t close[] = { 0, 4 };
    halo_stencil_desc narrow = column();
    narrow.splitters = close;
    expect_analysis(HALO_ERR_ARGUMENT,
                    "stencil: between intervals of stages, (0,3) to (1,-3) holds no level: the splitters are too close for these offsets", narrow,
                    [](halo::Stencil &s) {
                        add_intervals(s, { { { 0, 1 }, { 0, 2 } } });
                        add_intervals(s, { { { 0, 1 }, { 1, -1 } } });
                        add_intervals(s, { { { 1, -2 }, { 1, -1 } } });
                    });
}

} // namespace
