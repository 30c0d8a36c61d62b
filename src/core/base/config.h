// SPDX-License-Identifier: BSD-3-Clause
// The settings of one context: a value and its source per row of the setting table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_source.h"
#include "base/setting_table.h"

namespace halo {

class Config {
public:
    // All defaults.
    Config();
    // Weakest assignment first. Bad values fail with HALO_ERR_CONFIG; unknown keys are warnings, or fail too when "strict" is on.
    explicit Config(std::span<const Assignment> assignments);
    // From the process and the call's settings.
    explicit Config(std::span<const halo_setting> call) : Config(process_assignments(call)) {}

    // Getters fail with HALO_ERR_INTERNAL on a wrong key or type: that is a defect of the caller.
    bool boolean(std::string_view key) const;
    int64_t integer(std::string_view key) const;
    double duration(std::string_view key) const; // seconds; 0: no limit
    int64_t bytes(std::string_view key) const;   // INT64_MAX: no limit
    const std::string &word(std::string_view key) const;
    const std::string &text(std::string_view key) const;

    // Change a setting at run time. HALO_ERR_NOT_FOUND: no such key; HALO_ERR_STATE: fixed at creation; HALO_ERR_CONFIG: bad value.
    void set(std::string_view key, std::string_view value);
    // The value that a setting comes to which leaves it to the library.
    void decide(std::string_view key, std::string_view value, const std::string &by);

    // The value as it was written, and its source. nullptr: no such key. They live until the setting changes.
    const std::string *value(std::string_view key) const;
    const std::string *source(std::string_view key) const;
    // The value as modules are told: booleans in one form of writing. nullptr: no such key.
    const char *told(std::string_view key) const;

    // What was wrong but not fatal; to be logged by whoever made the configuration.
    const std::vector<std::string> &warnings() const { return warnings_; }

    // Key and value, in one form of writing, of the settings that must be the same on all ranks.
    std::vector<std::pair<std::string, std::string>> agreement() const;

private:
    struct Value {
        std::string text;
        std::string source;
        double number = 0; // 0, 1 or 2 (full), integer, seconds, bytes, index of the word
    };
    void assign(const Setting &setting, std::string_view text, const std::string &source);
    const Value &get(std::string_view key, SettingType type) const;

    std::vector<Value> values_; // in the order of the table
    std::vector<std::string> warnings_;
};

// "no setting 'timeot'; did you mean 'timeout'?"
std::string unknown_key_text(const Assignment &assignment);

} // namespace halo
