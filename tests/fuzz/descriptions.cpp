// SPDX-License-Identifier: BSD-3-Clause
// Any description of the C interface, on one rank: it is refused by an error with a text, or what it makes can be asked, used and destroyed.
// Lists have their true length or one that no list can have: that a pointer leads to as many values as the caller says, nobody can check.
#include "descriptions.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    fuzz::Input in(data, size);
    const int kind = in.pick(0, fuzz::n_topology_kinds + 3);
    switch (kind - fuzz::n_topology_kinds) {
    case 0: fuzz::channels(in); break;
    case 1: fuzz::context(in); break;
    case 2: fuzz::reductions(in); break;
    case 3: fuzz::sections(in); break;
    default: fuzz::use(in, fuzz::topology_of(in, kind)); break;
    }
    return 0;
}
