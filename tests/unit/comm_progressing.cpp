// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "comm/progressing.h"

namespace halo {

namespace {

struct Counted : Progressing {
    bool progress_alone() noexcept override {
        ++n;
        return under_way;
    }
    int n = 0;
    bool under_way = false;
};

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
}

} // namespace

} // namespace halo
