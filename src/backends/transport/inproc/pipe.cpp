// SPDX-License-Identifier: BSD-3-Clause
#include "pipe.h"

#include <algorithm>

namespace halo::inproc {

Pipe::Pipe(int32_t source_rank) : source(source_rank) {
    replenish();
    first_ = last_ = spare_;
    spare_ = take_free();
}

// Grows fast, so that a pipe which has seen its usual traffic allocates no more.
void Pipe::replenish() {
    spare_ = take_free();
    if (spare_ != nullptr) return;
    size_t n = std::max<size_t>(32, 3 * n_nodes_);
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(std::make_unique<Node[]>(n));
    n_nodes_ += n;
    for (size_t i = n; i-- > 0;) reuse(chunks_.back()[i]);
    spare_ = take_free();
}

} // namespace halo::inproc
