// SPDX-License-Identifier: BSD-3-Clause
// Every transition of a field's freshness, and every illegal one.
#include <gtest/gtest.h>

#include "access/freshness.h"
#include "access/use.h"

namespace {

using namespace halo;

Use make_use(int32_t mode, int32_t through, int32_t style = HALO_STYLE_REVERSE, bool needs_exec = false, uint32_t sections = 0) {
    Argument argument;
    argument.mode = mode;
    argument.through = through;
    argument.sections = sections;
    return use_of(argument, style, needs_exec);
}

// A batch from begin to end, as Batch does it.
void run(Freshness &field, const Use &use) {
    const Freshness::Needs needs = field.needs(use, "u");
    if (needs.reverse) field.reverse_finished();
    field.open(use);
    if (needs.exchange != 0) field.exchange_started(use.ghosts);
    if (needs.exchange != 0) field.exchange_arrived();
    field.close(use);
}

template <class Body>
void expect_error(const char *part, Body &&body) {
    try {
        body();
        ADD_FAILURE() << "no error with " << part;
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_STATE);
        EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
        EXPECT_NE(error.text().find("field u"), std::string::npos) << error.text();
    }
}

const Use read_ghosts = make_use(HALO_READ, HALO_VIA_MAP);
const Use read_own = make_use(HALO_READ, HALO_DIRECT);
const Use add_ghosts = make_use(HALO_INC, HALO_VIA_MAP);
const Use lower_ghosts = make_use(HALO_ACCESS_MIN, HALO_VIA_MAP);
const Use write_own = make_use(HALO_WRITE, HALO_DIRECT);
Use read_some(uint32_t sections) { return make_use(HALO_READ, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, sections); }

TEST(Freshness, BeginsStale) {
    const Freshness field;
    EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
    EXPECT_EQ(field.version(), 0);
    EXPECT_EQ(field.pending(), 0);
}

TEST(Freshness, ReadingStaleGhostsPassesThroughInFlightToValid) {
    Freshness field;
    const Freshness::Needs needs = field.needs(read_ghosts, "u");
    EXPECT_EQ(needs.exchange, all_sections);
    EXPECT_FALSE(needs.reverse);
    EXPECT_FALSE(needs.identity);
    field.open(read_ghosts);
    field.exchange_started(read_ghosts.ghosts);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_IN_FLIGHT);
    field.exchange_arrived();
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
    field.close(read_ghosts);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
    EXPECT_EQ(field.version(), 0);
    EXPECT_EQ(field.needs(read_ghosts, "u").exchange, 0u);
}

TEST(Freshness, ReadingOwnValuesNeedsNothing) {
    Freshness field;
    EXPECT_EQ(field.needs(read_own, "u").exchange, 0u);
    run(field, read_own);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
}

TEST(Freshness, EveryChangeMakesGhostsStaleAndCounts) {
    for (const int32_t mode : { HALO_WRITE, HALO_RW, HALO_INC, HALO_ACCESS_MIN, HALO_ACCESS_MAX })
        for (const int32_t style : { HALO_STYLE_REDUNDANT, HALO_STYLE_REVERSE })
            for (const int32_t through : { HALO_DIRECT, HALO_VIA_MAP }) {
                Freshness field;
                run(field, read_ghosts);
                ASSERT_EQ(field.state(), HALO_FRESHNESS_VALID);
                run(field, make_use(mode, through, style));
                const bool pending = style == HALO_STYLE_REVERSE && through == HALO_VIA_MAP && mode >= HALO_INC;
                EXPECT_EQ(field.state(), pending ? HALO_FRESHNESS_PENDING_REVERSE : HALO_FRESHNESS_STALE) << mode << ' ' << style << ' ' << through;
                EXPECT_EQ(field.version(), 1);
            }
}

TEST(Freshness, AFailedExchangeLeavesGhostsStale) {
    Freshness field;
    field.open(read_ghosts);
    field.exchange_started(all_sections);
    field.exchange_lost();
    field.close(read_ghosts);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
}

TEST(Freshness, SomeSectionsAreFreshAlone) {
    Freshness field;
    const Use some = make_use(HALO_READ, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, 0x30);
    run(field, some);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
    EXPECT_EQ(field.fresh(), 0x30u);
    EXPECT_EQ(field.needs(some, "u").exchange, 0u);
    EXPECT_EQ(field.needs(make_use(HALO_READ, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, 0x10), "u").exchange, 0u);
    EXPECT_EQ(field.needs(make_use(HALO_READ, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, 0x50), "u").exchange, 0x40u);
    run(field, read_ghosts);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
}

TEST(Freshness, AddingToGhostsIsPendingUntilSomebodyNeedsIt) {
    for (const Use &use : { read_own, read_ghosts, write_own, make_use(HALO_RW, HALO_DIRECT), make_use(HALO_INC, HALO_DIRECT) }) {
        Freshness field;
        EXPECT_TRUE(field.needs(add_ghosts, "u").identity);
        run(field, add_ghosts);
        EXPECT_EQ(field.state(), HALO_FRESHNESS_PENDING_REVERSE);
        EXPECT_EQ(field.pending(), HALO_SUM);
        EXPECT_TRUE(field.needs(use, "u").reverse);
        EXPECT_EQ(field.needs(use, "u").exchange, use.ghosts);
        field.reverse_finished();
        EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
        EXPECT_EQ(field.pending(), 0);
    }
}

TEST(Freshness, MoreOfTheSameAddsToWhatIsPending) {
    Freshness field;
    run(field, add_ghosts);
    const Freshness::Needs needs = field.needs(add_ghosts, "u");
    EXPECT_FALSE(needs.identity);
    EXPECT_FALSE(needs.reverse);
    run(field, add_ghosts);
    EXPECT_EQ(field.pending(), HALO_SUM);
    EXPECT_EQ(field.version(), 2);
}

TEST(Freshness, RedundantAdditionFinishesWhatIsPending) {
    Freshness field;
    run(field, add_ghosts);
    EXPECT_TRUE(field.needs(make_use(HALO_INC, HALO_VIA_MAP, HALO_STYLE_REDUNDANT, true), "u").reverse);
}

TEST(Freshness, AnotherOperationFinishesWhatIsPending) {
    const Use raise_ghosts = make_use(HALO_ACCESS_MAX, HALO_VIA_MAP);
    Freshness field;
    run(field, add_ghosts);
    for (const Use &use : { lower_ghosts, raise_ghosts, add_ghosts }) {
        const Freshness::Needs needs = field.needs(use, "u");
        EXPECT_TRUE(needs.reverse);
        EXPECT_TRUE(needs.identity);
        EXPECT_EQ(needs.exchange, 0u);
        run(field, use);
        EXPECT_EQ(field.pending(), use.adds);
        EXPECT_FALSE(field.needs(use, "u").identity);
    }
    for (const int32_t through : { HALO_DIRECT, HALO_VIA_MAP }) {
        const Freshness::Needs needs = field.needs(make_use(HALO_ACCESS_MIN, through, HALO_STYLE_REDUNDANT, true), "u");
        EXPECT_TRUE(needs.reverse);
        EXPECT_FALSE(needs.identity);
    }
}

TEST(Freshness, BatchesAtOnceMayOnlyRead) {
    Freshness field;
    run(field, read_ghosts);
    field.open(read_ghosts);
    EXPECT_EQ(field.needs(read_ghosts, "u").exchange, 0u);
    expect_error("another batch that is not ended reads it", [&] { field.needs(write_own, "u"); });
    expect_error("another batch that is not ended reads it", [&] { field.needs(add_ghosts, "u"); });
    field.close(read_ghosts);
    field.open(write_own);
    expect_error("another batch that is not ended changes it", [&] { field.needs(read_own, "u"); });
    field.close(write_own);
    EXPECT_NO_THROW(field.needs(read_own, "u"));
}

TEST(Freshness, GhostsInFlightAreForAllThatReadThem) {
    const Use some = read_some(0x10), more = read_some(0x30);
    Freshness field;
    field.open(some);
    field.exchange_started(0x10);
    EXPECT_TRUE(field.needs(some, "u").joins);
    EXPECT_EQ(field.needs(some, "u").exchange, 0u);
    EXPECT_FALSE(field.must_arrive_before(some));
    EXPECT_TRUE(field.must_arrive_before(more));
    EXPECT_TRUE(field.must_arrive_before(read_some(0x20)));
    EXPECT_FALSE(field.must_arrive_before(read_own));
    EXPECT_FALSE(field.needs(read_own, "u").joins);
    field.exchange_arrived();
    EXPECT_FALSE(field.needs(some, "u").joins);
    EXPECT_FALSE(field.must_arrive_before(more));
    EXPECT_EQ(field.needs(more, "u").exchange, 0x20u);
}

TEST(Freshness, DirectChangesMakeTheirSectionsStale) {
    Freshness field;
    run(field, read_ghosts);
    run(field, make_use(HALO_WRITE, HALO_DIRECT, HALO_STYLE_REVERSE, false, 0x30));
    EXPECT_EQ(field.fresh(), ~0x30u);
    EXPECT_EQ(field.needs(read_some(0x50), "u").exchange, 0x10u);
    EXPECT_EQ(field.needs(read_some(0x40), "u").exchange, 0u);
    run(field, write_own);
    EXPECT_EQ(field.fresh(), 0u);
}

TEST(Freshness, MoreOfTheSameIsPendingInItsSections) {
    const auto add_some = [](uint32_t sections) { return make_use(HALO_INC, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, sections); };
    const Use some = add_some(0x10), other = add_some(0x30);
    Freshness field;
    run(field, other);
    EXPECT_TRUE(field.adds_all_that_is_pending(other));
    EXPECT_FALSE(field.needs(some, "u").reverse);
    EXPECT_FALSE(field.needs(some, "u").identity);
    run(field, some);
    EXPECT_FALSE(field.adds_all_that_is_pending(some));
    EXPECT_TRUE(field.adds_all_that_is_pending(other));
    const Freshness::Needs needs = field.needs(add_ghosts, "u"); // ghosts that are not among these too
    EXPECT_TRUE(needs.reverse);
    EXPECT_TRUE(needs.identity);
    run(field, add_ghosts);
    EXPECT_TRUE(field.adds_all_that_is_pending(add_ghosts));
    EXPECT_FALSE(field.needs(some, "u").reverse);
}

TEST(Freshness, AnotherOrderFinishesWhatIsPending) {
    Argument argument;
    argument.mode = HALO_INC;
    argument.through = HALO_VIA_MAP;
    argument.combine_order = HALO_COMBINE_CANONICAL;
    const Use canonical = use_of(argument, HALO_STYLE_REVERSE, false);
    Freshness field;
    const Use *before = &add_ghosts;
    for (const Use *use : { &canonical, &add_ghosts }) {
        run(field, *before);
        EXPECT_FALSE(field.needs(*before, "u").reverse);
        EXPECT_TRUE(field.needs(*use, "u").reverse);
        EXPECT_TRUE(field.needs(*use, "u").identity);
        before = use;
    }
    run(field, add_ghosts);
    EXPECT_FALSE(field.needs(add_ghosts, "u").reverse);
    EXPECT_THROW(both(canonical, add_ghosts, "u"), Error);
    EXPECT_TRUE(both(make_use(HALO_INC, HALO_DIRECT), canonical, "u").canonical);
}

TEST(Freshness, NothingMayTouchAFrozenField) {
    Freshness field;
    run(field, read_ghosts);
    field.freeze(true);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_FROZEN);
    for (const Use &use : { read_own, read_ghosts, write_own, add_ghosts }) expect_error("is frozen", [&] { field.needs(use, "u"); });
    expect_error("is frozen", [&] { field.mark_dirty("u"); });
    expect_error("is frozen", [&] { field.mark_fresh("u"); });
    field.freeze(false);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
}

TEST(Freshness, MarksAreForFieldsOutOfUse) {
    Freshness field;
    field.mark_fresh("u");
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
    field.mark_dirty("u");
    EXPECT_EQ(field.state(), HALO_FRESHNESS_STALE);
    EXPECT_EQ(field.version(), 2);
    field.open(read_own);
    expect_error("marked dirty while a batch uses it", [&] { field.mark_dirty("u"); });
    expect_error("marked fresh while a batch uses it", [&] { field.mark_fresh("u"); });
    expect_error("frozen while a batch uses it", [&] { field.require_unused("u", "frozen"); });
    field.close(read_own);
    run(field, add_ghosts);
    expect_error("marked dirty while sums are pending", [&] { field.mark_dirty("u"); });
    field.mark_fresh("u"); // the caller says what all values are
    EXPECT_EQ(field.pending(), 0);
    EXPECT_EQ(field.state(), HALO_FRESHNESS_VALID);
}

TEST(Use, DirectReadsNeedGhostsWhereEntitiesOfOthersAreExecuted) {
    EXPECT_EQ(make_use(HALO_READ, HALO_DIRECT, HALO_STYLE_REDUNDANT, true).ghosts, all_sections);
    EXPECT_EQ(make_use(HALO_READ, HALO_DIRECT, HALO_STYLE_REDUNDANT, false).ghosts, 0u);
    EXPECT_EQ(make_use(HALO_WRITE, HALO_VIA_MAP).ghosts, 0u);
    EXPECT_EQ(make_use(HALO_INC, HALO_VIA_MAP).ghosts, 0u);
}

TEST(Use, SectionsCountForEachMode) {
    const auto some = [](int32_t mode, int32_t through, int32_t style, bool needs_exec) { return make_use(mode, through, style, needs_exec, 0x10); };
    for (const int32_t mode : { HALO_INC, HALO_ACCESS_MIN, HALO_ACCESS_MAX }) {
        const Use use = some(mode, HALO_VIA_MAP, HALO_STYLE_REVERSE, false);
        EXPECT_EQ(use.added, 0x10u);
        EXPECT_EQ(use.stale, all_sections); // what own entities touch is own too
        EXPECT_EQ(some(mode, HALO_VIA_MAP, HALO_STYLE_REDUNDANT, true).added, 0u);
        EXPECT_EQ(both(use, make_use(mode, HALO_VIA_MAP, HALO_STYLE_REVERSE, false, 0x20), "u").added, 0x30u);
    }
    for (const int32_t mode : { HALO_WRITE, HALO_RW, HALO_INC }) {
        EXPECT_EQ(some(mode, HALO_DIRECT, HALO_STYLE_REVERSE, false).stale, 0x10u);
        EXPECT_EQ(some(mode, HALO_DIRECT, HALO_STYLE_REDUNDANT, true).stale, all_sections); // what exec entities have got is worth nothing
    }
    EXPECT_EQ(some(HALO_READ, HALO_DIRECT, HALO_STYLE_REDUNDANT, true).ghosts, 0x10u);
    EXPECT_EQ(some(HALO_READ, HALO_DIRECT, HALO_STYLE_REDUNDANT, false).ghosts, 0u);
    EXPECT_EQ(some(HALO_READ, HALO_DIRECT, HALO_STYLE_REDUNDANT, false).stale, 0u);
    EXPECT_EQ(some(HALO_RW, HALO_VIA_MAP, HALO_STYLE_REDUNDANT, true).stale, all_sections);
}

TEST(Use, OneLoopCannotAddAndRead) {
    for (const Use &other : { read_own, read_ghosts, write_own, lower_ghosts }) EXPECT_THROW(both(add_ghosts, other, "u"), Error);
    const Use together = both(read_ghosts, write_own, "u");
    EXPECT_TRUE(together.reads && together.writes && together.ghosts == all_sections);
}

} // namespace
