// SPDX-License-Identifier: BSD-3-Clause
// The thread sanitizer tells memory by its address: it sees that ranks of one process share a file only if all of them have it at the same place. In
// a build for it they have; elsewhere each rank has a mapping of its own, as between processes, and nothing of this is compiled.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halo {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HALO_ONE_MAPPING 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HALO_ONE_MAPPING 1
#endif

#if defined(HALO_ONE_MAPPING)

void add_mapping(std::byte *data, uint64_t nonce);
// That of the rank that made the file, if it is one of this process, as long as anybody uses it; else nullptr.
std::byte *join_mapping(uint64_t nonce);
// True: nobody uses it any more.
bool leave_mapping(std::byte *data);

#else

inline void add_mapping(std::byte *, uint64_t) {}
inline std::byte *join_mapping(uint64_t) { return nullptr; }
inline bool leave_mapping(std::byte *) { return true; }

#endif

} // namespace halo
