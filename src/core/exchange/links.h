// SPDX-License-Identifier: BSD-3-Clause
// The streams of a round: one for every peer of its plan.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exchange/message_setup.h"
#include "stream/stream.h"

namespace halo {

using Links = std::vector<std::unique_ptr<Stream>>;

// What the message of a link of the plan brings in the present run, by the states in it.
struct LinkContent {
    std::function<size_t(size_t plan_link, const std::byte *message)> payload;
    // Adds the bytes of each part.
    std::function<void(size_t plan_link, const std::byte *message, std::vector<size_t> &bytes)> parts;
    std::function<std::string(size_t plan_link, const std::byte *message, size_t part)> name_of_part;
    std::function<std::pair<size_t, Pool *>(size_t plan_link)> apart; // as StreamSpec has it
};

// By distance above this rank, so that not all begin with rank 0. `uses_storage`: there are paths from storage to storage. Peers may have none, for
// what they are set to and promise need not be alike.
Links make_links(const MessageSetup &setup, const LinkContent &content, bool uses_storage);
// Numbers of those links in the plan.
std::vector<size_t> plan_links_of(const Plan &plan, const Links &links);

// Of a link whose peer has another plan, until the edge that differs is known.
inline constexpr const char *differs_text = "its plan is not this rank's, and which edge differs is being found out; ";

std::string blocking_ranks(const Links &links);
std::vector<int32_t> awaited_ranks(const Links &links);

} // namespace halo
