// SPDX-License-Identifier: BSD-3-Clause
#include "given_back.h"

#include <algorithm>
#include <cstring>

#include "ranks.h"

namespace programs {

using conformance::stop;

namespace {

constexpr unsigned char mark = 0xa7;
constexpr int64_t least = 64, most = 8192;

} // namespace

void GivenBack::take() {
    if (!blocks_.empty() || !calls_.context) return;
    for (int64_t bytes = least; bytes <= most; bytes *= 2)
        for (int twice = 0; twice < 2; ++twice) {
            Block block{ nullptr, bytes };
            calls_.alone("memory", [&] { return halo_memory_allocate(calls_.context, HALO_MEMORY_SHARED, bytes, &block.data); });
            std::memset(block.data, mark, static_cast<size_t>(bytes));
            blocks_.push_back(block);
        }
    ++calls_.features["memory given back"];
}

void GivenBack::check() {
    for (const Block &block : blocks_) {
        const auto *bytes = static_cast<const unsigned char *>(block.data);
        if (std::any_of(bytes, bytes + block.bytes, [](unsigned char byte) { return byte != mark; }))
            stop("%lld bytes of memory that were free have been written", static_cast<long long>(block.bytes));
    }
    release();
}

void GivenBack::release() {
    for (Block &block : blocks_) calls_.free("memory", [&] { return halo_memory_release(calls_.context, &block.data); });
    blocks_.clear();
}

} // namespace programs
