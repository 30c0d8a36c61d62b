// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a settings file: either a configuration that keeps its promises, or an error of the right kind.
#include <cstdlib>
#include <string>

#include "base/config.h"
#include "base/error.h"

namespace {

void check(bool holds) {
    if (!holds) std::abort();
}

void check_values(const halo::Config &config) {
    for (const halo::Setting &setting : halo::setting_table()) {
        check(config.value(setting.key) && config.source(setting.key));
        if (setting.type == halo::SettingType::integer)
            check(config.integer(setting.key) >= setting.low && config.integer(setting.key) <= setting.high);
        if (setting.type == halo::SettingType::duration)
            check(config.duration(setting.key) >= setting.low && config.duration(setting.key) <= setting.high);
        if (setting.type == halo::SettingType::bytes) check(static_cast<double>(config.bytes(setting.key)) >= setting.low);
    }
}

} // namespace

// The first byte picks a setting, whose value the rest is, or else the rest is a file.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size == 0) return 0;
    const auto table = halo::setting_table();
    const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
    try {
        if (data[0] < table.size()) {
            const halo::Assignment assignment{ table[data[0]].key, text, "call", table[data[0]].key };
            check_values(halo::Config(std::span(&assignment, 1)));
        } else {
            check_values(halo::Config(halo::parse_config_text(text, "/fuzz")));
        }
    } catch (const halo::Error &error) {
        check(error.status() == HALO_ERR_CONFIG && !error.text().empty());
    }
    return 0;
}
