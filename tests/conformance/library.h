// SPDX-License-Identifier: BSD-3-Clause
// The libhalo.so that this process runs on.
#pragma once

#include <string>

namespace conformance {

std::string library_path();
// SHA-256 of the file, in hexadecimal (FIPS 180-4).
std::string library_sha256();

} // namespace conformance
