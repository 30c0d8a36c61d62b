// SPDX-License-Identifier: BSD-3-Clause
// What a program exchanges values over, on one rank.
#pragma once

#include <cstdint>
#include <memory>

#include "calls.h"

namespace programs {

// Ranks make, use and destroy it in the same order. After a failure on any rank all destroy it and make it anew.
class Object {
public:
    virtual ~Object() = default;
    virtual void create() = 0;
    // False: it has failed here.
    virtual bool start(int64_t time) = 0;
    // Results are compared with what one process alone computes.
    virtual bool finish() = 0;
    // In any state.
    virtual void destroy() = 0;
};

std::unique_ptr<Object> make_blocks(Calls &calls, const ObjectCase &made, uint64_t seed);
std::unique_ptr<Object> make_batch(Calls &calls, const ObjectCase &made, uint64_t seed);
std::unique_ptr<Object> make_points(Calls &calls, const ObjectCase &made);
std::unique_ptr<Object> make_transfer(Calls &calls, const ObjectCase &made);
std::unique_ptr<Object> make_reduction(Calls &calls, const ObjectCase &made, int32_t n_ranks);
std::unique_ptr<Object> make_sums(Calls &calls, const ObjectCase &made, int32_t n_ranks);
std::unique_ptr<Object> make_sparse(Calls &calls, const ObjectCase &made, uint64_t seed);
std::unique_ptr<Object> make_cells(Calls &calls, const ObjectCase &made); // of boxes and regions
std::unique_ptr<Object> make_channels(Calls &calls, const ObjectCase &made);
std::unique_ptr<Object> make_loops(Calls &calls, const ObjectCase &made);
std::unique_ptr<Object> make_strays(Calls &calls, const ObjectCase &made);

// An exchange's runs, in one of the two ways.
class Runs {
public:
    Runs(Calls &calls, const ObjectCase &made) : calls_(calls), made_(made) {}
    halo_exchange *exchange = nullptr;
    std::function<void()> before_unpack; // in phases

    bool start();
    bool finish();
    void destroy();

private:
    Calls &calls_;
    const ObjectCase &made_;
};

} // namespace programs
