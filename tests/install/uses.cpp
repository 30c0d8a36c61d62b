// SPDX-License-Identifier: BSD-3-Clause
// Uses the installed library from C++, and says which modules it found.
#include <halo_access.hpp>

#include <cstdio>
#include <string>

int main() {
    const halo::Context context;
    size_t bytes = 0;
    halo::check(halo_info(nullptr, HALO_INFO_MODULES, nullptr, 0, &bytes));
    std::string text(bytes, '\0');
    halo::check(halo_info(nullptr, HALO_INFO_MODULES, text.data(), text.size(), nullptr));
    halo::Reduction<std::int32_t> ranks(context, HALO_SUM);
    ranks.begin(1);
    std::printf("%s\nranks: %d\n", text.c_str(), ranks.end());
    return halo_version() / 10000 == HALO_VERSION_MAJOR ? 0 : 1;
}
