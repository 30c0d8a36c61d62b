// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a settings file: either a configuration that keeps its promises, or an error of the right kind.
#include <cstdlib>
#include <string>

#include "base/config_text.h"
#include "base/error.h"

namespace {

void check(bool holds) {
    if (!holds)
        std::abort();
}

void check_values(const halo::Config &config) {
    for (const halo::Setting &setting : halo::setting_table()) {
        check(config.value(setting.key) && config.source(setting.key));
        if (setting.type == halo::SettingType::integer)
            check(config.integer(setting.key) >= setting.low && config.integer(setting.key) <= setting.high);
        if (setting.type == halo::SettingType::duration)
            check(config.duration(setting.key) >= setting.low && config.duration(setting.key) <= setting.high);
        if (setting.type == halo::SettingType::bytes)
            check(static_cast<double>(config.bytes(setting.key)) >= setting.low);
    }
    check(!halo::render_settings(config).empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    try {
        halo::Config config(halo::parse_config_text(text, "/fuzz"));
        check_values(config);
        config.set("timeout", text);
        check_values(config);
    } catch (const halo::Error &error) {
        check(error.status() == HALO_ERR_CONFIG && !error.text().empty());
    }
    return 0;
}
