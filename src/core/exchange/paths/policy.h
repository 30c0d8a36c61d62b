// SPDX-License-Identifier: BSD-3-Clause
// Which paths values may take to a rank of the same host: setting `path`. A message through the transport is always one of them.
#pragma once

#include <string>

namespace halo {

struct PathPolicy {
    bool slot = true;     // messages in memory that both see
    bool put = true;      // written into the peer's storage
    bool get = true;      // read in this rank's storage
    bool measured = true; // put and get where the first runs show them to be faster; else wherever they can

    explicit PathPolicy(const std::string &word)
        : slot(word != "message"),
          put(word == "auto" || word == "put" || word == "direct"),
          get(word == "auto" || word == "get" || word == "direct"),
          measured(word == "auto") {}
};

} // namespace halo
