// SPDX-License-Identifier: BSD-3-Clause
// Steady traffic allocates nothing: operator new counts in this program and its modules, per thread.
#include <cstdlib>
#include <new>

#include "harness.h"

namespace {
thread_local int64_t n_allocations = 0;

void *counted(std::size_t bytes, std::size_t alignment) {
    ++n_allocations;
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
} // namespace

void *operator new(std::size_t bytes) { return counted(bytes, 16); }
void *operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<std::size_t>(alignment)); }
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace transport_tests {
namespace {

// One step: messages of small and large sizes on many tags, half of them unexpected, both ways with every peer.
struct Step {
    static constexpr size_t n_tags = 40;
    std::vector<int32_t> peers;
    std::vector<Bytes> out, in;
    std::vector<halo_request> sends, receives;

    explicit Step(const Rank &r) : peers(r.peers()) {
        for (size_t i = 0; i < peers.size() * n_tags; ++i) {
            out.emplace_back(i % n_tags == 13 ? 150000 : i % n_tags % 7 == 0 ? 3000 : 40);
            in.emplace_back(out.back().size());
        }
        sends.resize(out.size());
        receives.resize(out.size());
    }

    // Receives of even or odd tags.
    void post(Rank &r, size_t parity) {
        for (size_t i = parity; i < in.size(); i += 2) r.receive(peers[i / n_tags], static_cast<int32_t>(i % n_tags), in[i], receives[i]);
    }

    // `all_unexpected`: the most messages that can ever wait, so that a later step cannot need more room.
    void run(Rank &r, bool all_unexpected) {
        if (!all_unexpected) post(r, 0);
        for (size_t i = 0; i < out.size(); ++i) r.send(peers[i / n_tags], static_cast<int32_t>(i % n_tags), out[i], sends[i]);
        if (all_unexpected) r.barrier();
        if (all_unexpected) post(r, 0);
        post(r, 1);
        for (halo_request &request : receives) r.wait(request);
        for (halo_request &request : sends) r.wait(request);
        r.barrier();
    }
};

TEST(Allocations, SteadyTrafficAllocatesNothing) {
    run(3, [](Rank &r) {
        Step step(r);
        step.run(r, true);
        for (int i = 0; i < 10; ++i) step.run(r, false);
        n_allocations = 0;
        for (int i = 0; i < 500; ++i) step.run(r, false);
        require(n_allocations == 0, "rank %d allocated %lld times", r.rank, static_cast<long long>(n_allocations));
    });
}

TEST(Allocations, AreCounted) {
    int64_t before = n_allocations;
    auto memory = std::make_unique<Bytes>(10);
    EXPECT_GE(n_allocations, before + 2);
}

} // namespace
} // namespace transport_tests
