// SPDX-License-Identifier: BSD-3-Clause
// A file without a name whose memory processes of one host share. Its size is sealed, so that no access beyond it can follow a check; its first page
// tells that it is such a file, and which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace halo {

inline constexpr size_t page_bytes = 4096;
inline constexpr size_t shared_file_front = page_bytes; // nothing is handed out of it

// Of this host since it was started, as its processes see it: each container that numbers them anew is another. 0: not known, which is asked anew.
uint64_t host_number();

// Never 0.
uint64_t random_word();

struct SharedFile {
    int descriptor = -1;
    std::byte *data = nullptr; // nullptr: there is none
    size_t bytes = 0;
    uint64_t nonce = 0;
};
// At least `needed` bytes, `wanted` if the limits of process and machine allow; none: `trouble` says why.
SharedFile make_shared_file(size_t needed, size_t wanted, std::string &trouble);
void close_shared_file(const SharedFile &file);

// Maps a file that another process has made and has open under this number; nullptr: it is not there, or is no such file,
// as `trouble` says. Nothing else is opened.
std::byte *map_shared_file(int32_t process, int32_t descriptor, size_t bytes, uint64_t nonce, std::string &trouble);
void unmap_shared_file(std::byte *data, size_t bytes);

} // namespace halo
