// SPDX-License-Identifier: BSD-3-Clause
// The messages between ranks. The first byte of the input picks the receiver; see wire.h.
#include "wire.h"

// All that will come is there before anybody waits for it.
static const halo::TwoContexts &impatient_ranks() {
    static const halo::TwoContexts ranks;
    static const bool set = [] {
        ranks.context().set("timeout", "1ns");
        ranks.context().set("wait.spin", "0");
        return true;
    }();
    fuzz::check(set);
    return ranks;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size == 0) return 0;
    const halo::TwoContexts &ranks = impatient_ranks();
    const fuzz::Input input(data + 1, size - 1);
    constexpr unsigned char for_inquiries = 0xff;
    if (data[0] == for_inquiries) return fuzz::inquiries(ranks, input), 0;
    switch (data[0] % 4) {
    case 0: fuzz::collectives(ranks, input); break;
    case 1: fuzz::group(ranks, input); break;
    case 2: fuzz::mailbox(ranks, input); break;
    default: fuzz::stream(ranks, input); break;
    }
    return 0;
}
