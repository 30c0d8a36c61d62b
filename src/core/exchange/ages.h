// SPDX-License-Identifier: BSD-3-Clause
// How old parts of sparse fields are, for release by age, when what is in them is moved into parts of another list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace halo {

class Field;

class Ages {
public:
    // An age travels behind the values of its edge, which end at `end`.
    static constexpr int64_t bytes = sizeof(int64_t);
    static void write(std::byte *end, int64_t age);
    static int64_t read(const std::byte *end);

    void clear() { all_.clear(); }
    // A part is as old as the youngest of all that is moved into it.
    void note(int32_t field, int64_t part, int64_t age);
    void set(const std::vector<Field *> &fields) const;

private:
    std::map<std::pair<int32_t, int64_t>, int64_t> all_; // by field and part
};

} // namespace halo
