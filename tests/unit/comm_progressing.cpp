// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "comm/progressing.h"

namespace halo {

namespace {

struct Counted : Progressing {
    using Progressing::AtWork;
    using Progressing::raise_failed_progress;
    bool progress_alone() override {
        ++n;
        if (fails) fail(HALO_ERR_TRANSPORT, "a cable");
        return under_way;
    }
    void take_what_has_come() override {
        ++n_taken;
        if (fails) fail(HALO_ERR_MEMORY, "a byte");
    }
    int n = 0;
    int n_taken = 0;
    bool under_way = false;
    bool fails = false;
};

halo_status raised(Counted &one) {
    try {
        one.raise_failed_progress();
    } catch (const Error &error) {
        return error.status();
    }
    return HALO_SUCCESS;
}

TEST(Progressing, ThoseInTheListAreAskedWhateverTheOthersSay) {
    ProgressingList list;
    EXPECT_FALSE(list.progress());
    Counted all[4];
    for (Counted &one : all) list.add(one);
    all[1].under_way = true;
    EXPECT_TRUE(list.progress());
    for (const Counted &one : all) EXPECT_EQ(one.n, 1);
    for (const int gone : { 1, 3, 0 }) {
        list.remove(all[gone]);
        list.remove(all[gone]); // is not there
        EXPECT_FALSE(list.progress());
    }
    EXPECT_EQ(all[2].n, 4);
    EXPECT_EQ(all[1].n, 1);
    EXPECT_EQ(all[3].n, 2);
    EXPECT_EQ(all[0].n, 3);
    list.remove(all[2]);
    EXPECT_FALSE(list.progress());
    EXPECT_EQ(all[2].n, 4);
    list.add(all[2]);
    list.progress();
    EXPECT_EQ(all[2].n, 5);
    list.take_what_has_come();
    EXPECT_EQ(all[2].n_taken, 1);
    EXPECT_EQ(all[0].n_taken, 0);
}

TEST(Progressing, TheFirstFailureIsToldOnceByTheNextCall) {
    ProgressingList list;
    Counted failing, other;
    list.add(failing);
    list.add(other);
    failing.fails = failing.under_way = other.under_way = true;
    EXPECT_TRUE(list.progress());
    EXPECT_TRUE(list.progress());
    list.take_what_has_come(); // others may wait for what can be taken
    EXPECT_EQ(failing.n, 1);
    EXPECT_EQ(failing.n_taken, 1);
    EXPECT_EQ(other.n, 2);
    EXPECT_EQ(other.n_taken, 1);
    EXPECT_EQ(raised(other), HALO_SUCCESS);
    EXPECT_EQ(raised(failing), HALO_ERR_TRANSPORT);
    EXPECT_EQ(raised(failing), HALO_SUCCESS);
    list.take_what_has_come();
    EXPECT_EQ(raised(failing), HALO_ERR_MEMORY);
    failing.fails = false;
    list.take_what_has_come();
    EXPECT_EQ(failing.n_taken, 3);
    EXPECT_EQ(raised(failing), HALO_SUCCESS);
}

TEST(Progressing, WhatACallIsAtWorkOnIsLeftAlone) {
    ProgressingList list;
    Counted one;
    list.add(one);
    one.under_way = true;
    {
        const Counted::AtWork outer(one);
        { const Counted::AtWork inner(one); }
        EXPECT_FALSE(list.progress());
        list.take_what_has_come();
        EXPECT_EQ(one.n + one.n_taken, 0);
    }
    EXPECT_TRUE(list.progress());
    list.take_what_has_come();
    EXPECT_EQ(one.n, 1);
    EXPECT_EQ(one.n_taken, 1);
}

} // namespace

} // namespace halo
