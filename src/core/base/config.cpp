// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.h"

#include <cmath>

#include "base/error.h"
#include "base/setting_value.h"

namespace halo {

namespace {

constexpr const char *booleans[] = { "no", "yes", "full" }; // by number

size_t index_of(const Setting &setting) { return static_cast<size_t>(&setting - setting_table().data()); }

int shown(std::string_view text) { return static_cast<int>(std::min<size_t>(text.size(), 200)); }

std::string with_suggestion(std::string text, std::string_view key, bool as_variable) {
    if (const char *near = nearest_key(key)) text += "; did you mean '" + (as_variable ? environment_name(near) : near) + "'?";
    return text;
}

} // namespace

std::string unknown_key_text(const Assignment &assignment) {
    const std::string &name = assignment.written;
    return with_suggestion(format("%s: no setting '%.*s'", assignment.source.c_str(), shown(name), name.c_str()), assignment.key,
                           assignment.source == "environment");
}

Config::Config() {
    for (const Setting &setting : setting_table()) {
        values_.emplace_back();
        assign(setting, setting.default_value, "default");
    }
}

Config::Config(std::span<const Assignment> assignments) : Config() {
    for (const Assignment &assignment : assignments)
        if (const Setting *setting = find_setting(assignment.key))
            assign(*setting, assignment.value, assignment.source);
        else
            warnings_.push_back(unknown_key_text(assignment));
    if (!warnings_.empty() && boolean("strict"))
        fail(HALO_ERR_CONFIG, "%s (an error because strict = %s, from %s)", warnings_.front().c_str(), value("strict")->c_str(),
             source("strict")->c_str());
}

void Config::assign(const Setting &setting, std::string_view text, const std::string &source) {
    const auto number = parse_value(setting, text);
    if (!number)
        fail(HALO_ERR_CONFIG, "setting '%s' from %s: '%.*s' is not allowed; values are %s", setting.key, source.c_str(), shown(text), text.data(),
             describe_values(setting).c_str());
    values_[index_of(setting)] = { std::string(text), source, *number };
}

const Config::Value &Config::get(std::string_view key, SettingType type) const {
    const Setting *setting = find_setting(key);
    if (!setting || setting->type != type) fail(HALO_ERR_INTERNAL, "setting '%.*s' was asked for as %s", shown(key), key.data(), type_name(type));
    return values_[index_of(*setting)];
}

bool Config::boolean(std::string_view key) const { return get(key, SettingType::boolean).number != 0; }

int64_t Config::integer(std::string_view key) const { return static_cast<int64_t>(get(key, SettingType::integer).number); }

double Config::duration(std::string_view key) const { return get(key, SettingType::duration).number; }

int64_t Config::bytes(std::string_view key) const {
    const double number = get(key, SettingType::bytes).number;
    return number < 0x1p63 ? static_cast<int64_t>(number) : INT64_MAX;
}

const std::string &Config::word(std::string_view key) const { return get(key, SettingType::word).text; }

const std::string &Config::text(std::string_view key) const { return get(key, SettingType::text).text; }

void Config::set(std::string_view key, std::string_view value) {
    const Setting *setting = find_setting(key);
    if (!setting) fail(HALO_ERR_NOT_FOUND, "%s", with_suggestion(format("no setting '%.*s'", shown(key), key.data()), key, false).c_str());
    if (!setting->changeable)
        fail(HALO_ERR_STATE, "setting '%s' is fixed when a context is created; it is '%s'", setting->key, values_[index_of(*setting)].text.c_str());
    assign(*setting, value, "call");
}

void Config::decide(std::string_view key, std::string_view value, const std::string &by) {
    const Setting *setting = find_setting(key);
    if (!setting) fail(HALO_ERR_INTERNAL, "setting '%.*s' was decided", shown(key), key.data());
    assign(*setting, value, by);
}

const std::string *Config::value(std::string_view key) const {
    const Setting *setting = find_setting(key);
    return setting ? &values_[index_of(*setting)].text : nullptr;
}

const char *Config::told(std::string_view key) const {
    const Setting *setting = find_setting(key);
    if (!setting) return nullptr;
    const Value &value = values_[index_of(*setting)];
    return setting->type == SettingType::boolean ? booleans[static_cast<size_t>(value.number)] : value.text.c_str();
}

const std::string *Config::source(std::string_view key) const {
    const Setting *setting = find_setting(key);
    return setting ? &values_[index_of(*setting)].source : nullptr;
}

std::vector<std::pair<std::string, std::string>> Config::agreement() const {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const Setting &setting : setting_table()) {
        if (!setting.agrees) continue;
        const Value &value = values_[index_of(setting)];
        const bool spelled = setting.type == SettingType::word || setting.type == SettingType::text;
        const bool yes_no = setting.type == SettingType::boolean;
        pairs.emplace_back(setting.key, spelled ? value.text : yes_no ? booleans[static_cast<size_t>(value.number)] : format("%.17g", value.number));
    }
    return pairs;
}

} // namespace halo
