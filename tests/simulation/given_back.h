// SPDX-License-Identifier: BSD-3-Clause
// Memory that the library says is free: no peer, however late, writes there any more.
#pragma once

#include <vector>

#include "calls.h"

namespace programs {

class GivenBack {
public:
    explicit GivenBack(Calls &calls) : calls_(calls) {}
    // Where fields of the objects just destroyed may have been, by size. Marked.
    void take();
    // All ranks have ended what they did with those objects: the marks are there still.
    void check();
    // Before the context goes.
    void release();

private:
    struct Block {
        void *data = nullptr;
        int64_t bytes = 0;
    };
    Calls &calls_;
    std::vector<Block> blocks_;
};

} // namespace programs
