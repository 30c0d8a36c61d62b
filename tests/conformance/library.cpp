// SPDX-License-Identifier: BSD-3-Clause
#include "library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>

#include <dlfcn.h>

#include "halo.h"
#include "ranks.h"

namespace conformance {

namespace {

using Words = std::array<uint32_t, 64>;

uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

// First 32 bits behind the point of the square or cube roots of the first primes.
Words root_bits(double (*root)(double)) {
    Words bits{};
    size_t n = 0;
    for (uint32_t p = 2; n < bits.size(); ++p) {
        bool prime = true;
        for (uint32_t q = 2; q * q <= p; ++q) prime = prime && p % q != 0;
        if (prime) {
            const double value = root(p);
            bits[n++] = static_cast<uint32_t>((value - std::floor(value)) * 0x1p32);
        }
    }
    return bits;
}

void add_block(std::array<uint32_t, 8> &sum, const unsigned char *block, const Words &constants) {
    Words w{};
    for (size_t i = 0; i < 16; ++i)
        w[i] = static_cast<uint32_t>(block[4 * i]) << 24 | static_cast<uint32_t>(block[4 * i + 1]) << 16 |
               static_cast<uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
    for (size_t i = 16; i < 64; ++i)
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    auto [a, b, c, d, e, f, g, h] = sum;
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const std::array<uint32_t, 8> change{ a, b, c, d, e, f, g, h };
    for (size_t i = 0; i < 8; ++i) sum[i] += change[i];
}

} // namespace

std::string library_path() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void *>(&halo_version), &info) || !info.dli_fname) stop("cannot tell where the library lies");
    return info.dli_fname;
}

std::string library_sha256() {
    std::ifstream file(library_path(), std::ios::binary);
    std::vector<unsigned char> bytes{ std::istreambuf_iterator<char>(file), {} };
    const uint64_t n_bits = bytes.size() * 8;
    bytes.push_back(0x80);
    while (bytes.size() % 64 != 56) bytes.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<unsigned char>(n_bits >> shift));
    const Words squares = root_bits(std::sqrt);
    const Words cubes = root_bits(std::cbrt);
    std::array<uint32_t, 8> sum{};
    std::copy_n(squares.begin(), 8, sum.begin());
    for (size_t at = 0; at < bytes.size(); at += 64) add_block(sum, bytes.data() + at, cubes);
    std::string text;
    for (const uint32_t word : sum) text += text_of("%08x", word);
    return text;
}

} // namespace conformance
