// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_source.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/setting_table.h"

namespace halo {

namespace {

constexpr std::string_view prefix = "HALO_";
constexpr const char *job_file_variable = "HALO_CONFIG_FILE";
constexpr std::string_view launcher_prefix = "HALO_LAUNCH_"; // what halo_launch tells programs
constexpr size_t largest_file = 1 << 20;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view without_comment(std::string_view line) {
    for (size_t i = 0; i < line.size(); ++i)
        if (line[i] == '#' && (i == 0 || blank(line[i - 1]))) return line.substr(0, i);
    return line;
}

// Key of a variable: a setting's own, else what it would be.
std::string key_of_variable(std::string_view name) {
    for (const Setting &setting : setting_table())
        if (environment_name(setting.key) == name) return setting.key;
    std::string key;
    for (const char c : name.substr(prefix.size())) key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return key;
}

class File {
public:
    explicit File(const std::string &path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

// Empty: there is no such file. What would block, a FIFO or a device, is opened without waiting and refused.
std::optional<std::string> read_file(const std::string &path) {
    if (access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt; // this takes no descriptor
    const File file(path);
    struct stat status {};
    const auto unreadable = [&] { fail(HALO_ERR_CONFIG, "settings file %s: %s", path.c_str(), std::strerror(errno)); };
    if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0) unreadable();
    std::string text; // all there is, as some files, those of /proc, say that they have no size
    bool suits = S_ISREG(status.st_mode);
    for (ssize_t n = 1; suits && n > 0; suits = text.size() <= largest_file) {
        char more[4096];
        n = read(file.descriptor(), more, sizeof more);
        if (n < 0) unreadable();
        text.append(more, static_cast<size_t>(n));
    }
    if (!suits) fail(HALO_ERR_CONFIG, "settings file %s: not a regular file of at most %zu bytes", path.c_str(), largest_file);
    return text;
}

void append(std::vector<Assignment> &all, std::vector<Assignment> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append_user_file(std::vector<Assignment> &all) {
    const char *base = secure_getenv("XDG_CONFIG_HOME");
    const char *home = secure_getenv("HOME");
    std::string path;
    if (base && base[0] == '/')
        path = base;
    else if (home && home[0] == '/')
        path = std::string(home) + "/.config";
    else
        return;
    path += "/halo/halo.conf";
    if (const auto text = read_file(path)) append(all, parse_config_text(*text, path));
}

void append_job_file(std::vector<Assignment> &all) {
    const char *path = secure_getenv(job_file_variable);
    if (!path || !*path) return;
    if (path[0] != '/') fail(HALO_ERR_CONFIG, "%s is '%s': give an absolute path", job_file_variable, path);
    const auto text = read_file(path);
    if (!text) fail(HALO_ERR_CONFIG, "%s: there is no file %s", job_file_variable, path);
    append(all, parse_config_text(*text, path));
}

} // namespace

std::vector<Assignment> parse_config_text(std::string_view text, const std::string &path) {
    std::vector<Assignment> assignments;
    for (int number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(without_comment(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) continue;
        const std::string source = path + ":" + std::to_string(number);
        const size_t equals = line.find('=');
        const std::string_view key = trim(line.substr(0, equals));
        if (equals == std::string_view::npos || key.empty()) fail(HALO_ERR_CONFIG, "%s: expected 'key = value'", source.c_str());
        if (line.find('\0') != std::string_view::npos) fail(HALO_ERR_CONFIG, "%s: a zero byte", source.c_str());
        assignments.push_back({ std::string(key), std::string(trim(line.substr(equals + 1))), source, std::string(key) });
    }
    return assignments;
}

std::vector<Assignment> environment_assignments(const char *const *environment, bool secure) {
    std::vector<Assignment> assignments;
    for (; environment && *environment; ++environment) {
        const std::string_view variable = *environment;
        const size_t equals = variable.find('=');
        const std::string_view name = variable.substr(0, equals);
        const bool set = equals != std::string_view::npos && equals + 1 < variable.size();
        if (!set || !name.starts_with(prefix) || name == job_file_variable || name.starts_with(launcher_prefix)) continue;
        std::string key = key_of_variable(name);
        if (!secure || key != "plugin_path")
            assignments.push_back({ std::move(key), std::string(variable.substr(equals + 1)), "environment", std::string(name) });
    }
    return assignments;
}

std::vector<Assignment> process_assignments(std::span<const halo_setting> call) {
    std::vector<Assignment> all;
    append_user_file(all);
    append_job_file(all);
    append(all, environment_assignments(environ, getauxval(AT_SECURE) != 0));
    for (const halo_setting &setting : call) {
        if (!setting.key || !setting.value)
            fail(HALO_ERR_ARGUMENT, "setting %td of %zu: %s is NULL", &setting - call.data(), call.size(), setting.key ? "the value" : "the key");
        all.push_back({ setting.key, setting.value, "call", setting.key });
    }
    return all;
}

} // namespace halo
