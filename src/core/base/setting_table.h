// SPDX-License-Identifier: BSD-3-Clause
// The one table of settings. Environment, files, calls, halo_info and docs/configuration.md all follow from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace halo {

enum class SettingType : unsigned char {
    boolean, // yes no, true false, on off, 1 0; and `words`
    integer,
    duration, // seconds: "30s", "5ms", "2min", a bare number; "none" or "inf": no limit
    bytes,    // "64K", "1.5G" (powers of 1024), a bare number; "inf": no limit
    word,     // one of `words`
    text,
};

struct Setting {
    const char *key;
    SettingType type;
    const char *default_value;
    double low; // bounds of numbers, both included, in seconds or bytes where these are meant
    double high;
    const char *words; // "aggregate|per_channel"; booleans: "full" or nothing; texts: what else to say about the values
    bool changeable;   // by halo_context_set
    bool agrees;       // must be the same on all ranks
    const char *doc;
};

std::span<const Setting> setting_table();

// nullptr: no such key.
const Setting *find_setting(std::string_view key);

// "pool.cap" -> "HALO_POOL_CAP"
std::string environment_name(std::string_view key);

// Key nearest to a mistyped one; nullptr when none is near.
const char *nearest_key(std::string_view key);

const char *type_name(SettingType type);

// What values are allowed: "1 to 1024", "one of aggregate, per_channel"...
std::string describe_values(const Setting &setting);

} // namespace halo
