// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_text.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace halo {

namespace {

// Blank-separated words in lines of at most `width`, each after `indent` blanks.
std::string wrap(std::string_view text, size_t indent, size_t width) {
    std::string result, line;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        if (!line.empty() && indent + line.size() + 1 + end > width) {
            result.append(indent, ' ').append(line).append(1, '\n');
            line.clear();
        }
        line.append(line.empty() ? 0 : 1, ' ').append(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result.append(indent, ' ').append(line).append(1, '\n');
}

const char *manual_head = R"(# Configuration

<!-- Written by `halo_info --manual`; a test compares the two. -->

A setting comes from, strongest first:

1. the call: `halo_context_options.settings`, and `halo_context_set` for those that may change at run time;
2. the environment: `HALO_` and the key in capitals, `.` as `_`: `HALO_POOL_CAP=1G`; an empty variable counts as none;
3. the job file: the absolute path in `HALO_CONFIG_FILE`;
4. the user file: `halo/halo.conf` in `$XDG_CONFIG_HOME`, else in `~/.config`;
5. the default.

A file has lines `key = value`; `#` starts a comment, at the start of a line or after a blank. The working directory is never read. A
process that runs with raised rights reads no file and no `HALO_PLUGIN_PATH`. A settings file that is no regular file, a FIFO or a directory,
is an error at once.

A bad value is an error that names the key, the value, where it came from and what is allowed. An unknown key is a warning with the
nearest known one, and an error with `strict = yes`. `halo_info --settings` and `halo_context_setting` show every value with its source.

Durations are a number and `ns`, `us`, `ms`, `s` (also without a unit), `min` or `h`, or `none`. Sizes are a number and `K`, `M`, `G` or
`T` (powers of 1024), or `inf`. "Run time": can be changed by `halo_context_set`. "Agrees": ranks compare it when a context is created.

| Key | Type | Values | Default | Run time | Agrees | Meaning |
|---|---|---|---|---|---|---|
)";

} // namespace

std::string render_settings(const Config &config) {
    std::string text;
    for (const std::string &warning : config.warnings()) text += format("warning: %s\n", warning.c_str());
    for (const Setting &setting : setting_table()) {
        const std::string &value = *config.value(setting.key);
        text += format("%s = %s%s# from %s\n", setting.key, value.c_str(), value.empty() ? "" : " ", config.source(setting.key)->c_str());
        text += wrap(setting.doc, 4, 120);
        text += format("    %s: %s; default %s; %s\n", type_name(setting.type), describe_values(setting).c_str(),
                       *setting.default_value ? setting.default_value : "empty", environment_name(setting.key).c_str());
    }
    return text;
}

std::string render_manual() {
    std::string text = manual_head;
    for (const Setting &setting : setting_table()) {
        const char *quote = *setting.default_value ? "`" : "";
        text += format("| `%s` | %s | %s | %s%s%s | %s | %s | %s |\n", setting.key, type_name(setting.type), describe_values(setting).c_str(), quote,
                       setting.default_value, quote, setting.changeable ? "yes" : "", setting.agrees ? "yes" : "", setting.doc);
    }
    return text;
}

} // namespace halo
