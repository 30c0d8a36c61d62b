// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/ages.h"

#include <algorithm>
#include <cstring>

#include "field/field.h"

namespace halo {

void Ages::write(std::byte *end, int64_t age) { std::memcpy(end, &age, sizeof age); }

int64_t Ages::read(const std::byte *end) {
    int64_t age;
    std::memcpy(&age, end, sizeof age);
    return age;
}

void Ages::note(int32_t field, int64_t part, int64_t age) {
    int64_t &least = all_.try_emplace({ field, part }, age).first->second;
    least = std::min(least, age);
}

void Ages::set(const std::vector<Field *> &fields) const {
    for (const auto &[of, age] : all_) fields[static_cast<size_t>(of.first)]->set_age(of.second, age);
}

} // namespace halo
