// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as what comes to rank 0 from rank 1: each of these makes of its input messages of one kind, and what receives them. That ends in values
// within bounds, in nothing, or in an error with a text.
#pragma once

#include "bytes.h"
#include "two_contexts.h"

namespace fuzz {

void collectives(const halo::TwoContexts &ranks, Input input);
void group(const halo::TwoContexts &ranks, Input input);
void inquiries(const halo::TwoContexts &ranks, Input input);
void mailbox(const halo::TwoContexts &ranks, Input input);
void stream(const halo::TwoContexts &ranks, Input input);

} // namespace fuzz
