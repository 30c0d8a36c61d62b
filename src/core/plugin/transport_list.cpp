// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/transport_list.h"

#include <algorithm>

#include "base/error.h"
#include "plugin/known_modules.h"
#include "plugin/registry.h"

namespace halo {

bool is_mpi_module(const std::string &name) { return name.starts_with("mpi_"); }

namespace {

std::string set_by(const Config &config, const char *key) {
    return format("%s = %s from %s", key, config.value(key)->c_str(), config.source(key)->c_str());
}

// "a,b" -> a, b
std::vector<std::string> names_in(const Config &config, const char *key) {
    const std::string &list = config.text(key);
    std::vector<std::string> names;
    for (size_t begin = 0; begin < list.size();) {
        const size_t end = std::min(list.find(',', begin), list.size());
        const size_t first = std::min(list.find_first_not_of(' ', begin), end), last = list.find_last_not_of(' ', end - 1) + 1;
        names.push_back(first < end ? list.substr(first, last - first) : std::string());
        const bool nothing = names.back().empty() || names.back() == "^";
        if (nothing || end + 1 == list.size()) fail(HALO_ERR_CONFIG, "%s = '%s': a name is empty", key, list.c_str());
        begin = end + 1;
    }
    return names;
}

[[noreturn]] void refuse(const Config &config, const char *key, const char *why) {
    fail(HALO_ERR_CONFIG, "%s = '%s': %s", key, config.text(key).c_str(), why);
}

// Of names with others behind them, which get what these do not reach.
void require_first(const Config &config, const char *key, const std::vector<std::string> &names) {
    for (const std::string &name : names) {
        if (name.front() == '^') refuse(config, key, "^ belongs into the setting transport, where it leaves a name out of what auto takes");
        if (name == "auto") refuse(config, key, "auto takes the rest: it is the last name of the setting transport");
        if (name == "mpi" || is_mpi_module(name)) refuse(config, key, "an MPI reaches all ranks: it is the last name of the setting transport");
    }
}

// One that is not here may be on another machine; one that is nowhere is misspelt.
void require_known(const Config &config, const std::string &left_out) {
    const auto is_it = [&](const std::string &name) { return name == left_out; };
    const auto comes_with_the_library = [&](const KnownModule &known) { return known.kind == PluginKind::transport && is_it(known.name); };
    if (left_out == "mpi" || std::ranges::any_of(known_modules(), comes_with_the_library)) return;
    if (std::ranges::any_of(Registry::instance().built_in(PluginKind::transport), is_it)) return;
    if (std::ranges::any_of(module_names(PluginKind::transport, module_directories(config)), is_it)) return;
    refuse(config, "transport", format("there is no transport %s to be left out", left_out.c_str()).c_str());
}

} // namespace

bool TransportList::leaves_out(const std::string &name) const {
    return std::any_of(left_out.begin(), left_out.end(),
                       [&](const std::string &one) { return one == name || (one == "mpi" && is_mpi_module(name)); });
}

TransportList transport_list(const Config &config) {
    TransportList list;
    for (const std::string &name : names_in(config, "transport"))
        if (name.front() == '^')
            list.left_out.push_back(name.substr(1));
        else
            list.first.push_back(name);
    if (!list.first.empty()) {
        list.rest = list.first.back();
        list.first.pop_back();
    } else if (!list.left_out.empty()) {
        list.rest = "auto";
    }
    require_first(config, "transport", list.first);
    if (!list.left_out.empty() && list.rest != "auto")
        refuse(config, "transport", "^ leaves a name out of what auto takes, and auto is not the last name");
    for (const std::string &name : list.left_out) require_known(config, name);
    return list;
}

std::vector<Beside> transports_besides(const Config &config) {
    std::vector<Beside> all;
    for (const std::string &name : transport_list(config).first) all.push_back({ name, set_by(config, "transport") });
    const std::vector<std::string> others = names_in(config, "transport.besides");
    require_first(config, "transport.besides", others);
    for (const std::string &name : others) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const Beside &one) { return one.name == name; });
        if (!known) all.push_back({ name, set_by(config, "transport.besides") });
    }
    return all;
}

std::string why_not_unasked(const Config &config) {
    const TransportList list = transport_list(config);
    if (list.rest != "auto" || list.leaves_out(unasked_transport)) return set_by(config, "transport");
    if (!config.boolean("shared_memory")) return set_by(config, "shared_memory");
    return config.word("messages") == "neighbourhood" ? set_by(config, "messages") + ", which wants one transport" : "";
}

std::string besides_as_written(const Config &config) {
    std::string text;
    for (const std::string &name : transport_list(config).first) text += (text.empty() ? "" : ",") + name;
    const std::string &others = config.text("transport.besides");
    return text + (text.empty() || others.empty() ? "" : ",") + others;
}

std::string transport_as_set(const Config &config) { return config.text("transport") == "auto" ? "" : set_by(config, "transport") + "; "; }

} // namespace halo
