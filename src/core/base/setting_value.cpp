// SPDX-License-Identifier: BSD-3-Clause
#include "base/setting_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace halo {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr Unit time_units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "min", 60 }, { "h", 3600 } };
constexpr double kibi = 1024;
constexpr Unit size_units[] = {
    { "", 1 }, { "b", 1 }, { "k", kibi }, { "m", kibi *kibi }, { "g", kibi *kibi *kibi }, { "t", kibi *kibi *kibi *kibi }
};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char &c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> parse_boolean(std::string_view text) {
    const std::string word = lower(text);
    if (word == "yes" || word == "true" || word == "on" || word == "1" || word == "y") return 1;
    if (word == "no" || word == "false" || word == "off" || word == "0" || word == "n") return 0;
    return std::nullopt;
}

std::optional<double> parse_integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(value);
}

// A decimal number without sign or exponent, then a unit.
template <size_t n>
std::optional<double> parse_measure(std::string_view text, const Unit (&units)[n]) {
    double value = 0;
    if (text.empty() || !digit(text[0])) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    for (const Unit &unit : units)
        if (text == unit.name) return value * unit.factor;
    return std::nullopt;
}

std::optional<double> parse_bytes(std::string_view written) {
    std::string text = lower(written);
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text.size() > 3 && text.ends_with("ib"))
        text.resize(text.size() - 2);
    else if (text.size() > 2 && text.ends_with('b') && !digit(text[text.size() - 2]) && text[text.size() - 2] != ' ')
        text.resize(text.size() - 1);
    const auto value = parse_measure(text, size_units);
    return value ? std::optional(std::floor(*value)) : std::nullopt;
}

std::optional<double> parse_word(std::string_view words, std::string_view text) {
    for (int index = 0; !words.empty(); ++index) {
        const size_t end = std::min(words.find('|'), words.size());
        if (words.substr(0, end) == text) return index;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return std::nullopt;
}

} // namespace

std::optional<double> parse_value(const Setting &setting, std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return std::nullopt;
    std::optional<double> value;
    switch (setting.type) {
    case SettingType::text: return 0;
    case SettingType::boolean: return setting.words && lower(text) == setting.words ? 2 : parse_boolean(text);
    case SettingType::word: return parse_word(setting.words, text);
    case SettingType::integer: value = parse_integer(text); break;
    case SettingType::bytes: value = parse_bytes(text); break;
    case SettingType::duration:
        if (text == "none" || text == "inf") return 0;
        value = parse_measure(text, time_units);
        break;
    }
    return value && *value >= setting.low && *value <= setting.high ? value : std::nullopt;
}

} // namespace halo
