// SPDX-License-Identifier: BSD-3-Clause
// What a rank and a rendezvous server say to each other over TCP: frames with a head, in the byte order of the host. Shared with tools/launch.
#pragma once

#include <cstdint>

namespace halo::rendezvous {

// Its bytes tell another byte order, another version, and what is no rendezvous at all.
constexpr uint32_t magic = 0x48520101;

enum Kind : uint32_t {
    hello = 1,   // to the server, first: a Hello
    give = 2,    // the rank's part of allgather `number`
    ask = 3,     // who is missing?
    done = 4,    // all is exchanged. The server closes.
    give_up = 5, // `number` is a status, the payload its text
    welcome = 101,
    all = 102,     // the parts of all ranks in allgather `number`
    absent = 103,  // in words
    refused = 104, // `number` is a status, the payload its text: this rank alone
    failed = 105,  // likewise, of the context. Behind a Cause.
};

struct Head {
    uint32_t magic;
    uint32_t kind;
    uint32_t number;
    uint32_t reserved;
    uint64_t bytes; // of the payload
};
static_assert(sizeof(Head) == 24);

struct Hello {
    int32_t rank;
    int32_t n_ranks;
    uint64_t process; // random: tells processes apart
    uint32_t context; // of that process: 1, 2...
    int32_t pid;
    char id[64]; // each ends with a zero
    char host[64];
};
static_assert(sizeof(Hello) == 152);

struct Cause {
    int32_t rank; // on which it happened; -1: on none of them alone
    int32_t reserved;
};

constexpr uint64_t longest_part = uint64_t{ 64 } << 20;
constexpr uint64_t longest_all = uint64_t{ 1 } << 30;
constexpr uint64_t longest_text = 4096;

} // namespace halo::rendezvous
