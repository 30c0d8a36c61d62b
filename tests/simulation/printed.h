// SPDX-License-Identifier: BSD-3-Clause
// A program as C: the calls of each rank, as a thread of one process. It compares no values, and what befalls the ranks stands in a comment.
#pragma once

#include <string>

#include "program.h"

namespace programs {

std::string printed(const Program &program);

// One object: its tables, and functions create_N, start_N, finish_N and destroy_N.
std::string printed_object(const Program &program, size_t number);

// ---- pieces of C

std::string list_of(const std::vector<int64_t> &numbers); // of an array, which C wants not to be empty
template <class T>
std::string list_of(const std::vector<T> &numbers) {
    return list_of(std::vector<int64_t>(numbers.begin(), numbers.end()));
}
std::string box_of(const halo_box &box);

} // namespace programs
