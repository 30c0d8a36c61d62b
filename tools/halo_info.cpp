// SPDX-License-Identifier: BSD-3-Clause
// Tells what the library is, what it found, and how it is set. Exit code: 0, 1 when the library failed, 2 for wrong use.
#include <cstdio>
#include <cstring>
#include <string>

#include <halo.h>

namespace {

struct Section {
    const char *option;
    int32_t what;
    const char *heading;
    bool by_default;
    const char *help;
};

constexpr Section sections[] = {
    { "--version", HALO_INFO_VERSION, "Version", true, "version and build" },
    { "--modules", HALO_INFO_MODULES, "Modules", true,
      "transports and devices found, what would be used, why the others not, and how to get what is missing" },
    { "--settings", HALO_INFO_SETTINGS, "Settings", true, "every setting with value, source and meaning" },
    { "--manual", HALO_INFO_MANUAL, "Manual", false, "the text of docs/configuration.md" },
};

void print_usage(std::FILE *stream) {
    std::fprintf(stream, "usage: halo_info [option]...\nWithout options: version, modules and settings.\n");
    for (const Section &section : sections) std::fprintf(stream, "  %-11s %s\n", section.option, section.help);
    std::fprintf(stream, "  %-11s %s\n", "--help", "this text");
}

// A text may change between two calls (opening a module changes the process), so the size comes from the same call.
bool print_section(const Section &section) {
    std::string text(1 << 14, '\0');
    size_t bytes = 0;
    halo_status status = halo_info(nullptr, section.what, text.data(), text.size(), &bytes);
    while (status == HALO_SUCCESS && bytes > text.size()) {
        text.resize(2 * bytes);
        status = halo_info(nullptr, section.what, text.data(), text.size(), &bytes);
    }
    if (status == HALO_SUCCESS) return std::fputs(text.c_str(), stdout) >= 0;
    std::fprintf(stderr, "halo_info: %s: %s\n", halo_status_name(status), halo_last_error());
    return false;
}

bool print_overview() {
    bool good = true;
    for (const Section &section : sections)
        if (section.by_default) {
            std::printf("%s%s\n%s\n", &section == sections ? "" : "\n", section.heading, std::string(std::strlen(section.heading), '-').c_str());
            good = print_section(section) && good;
        }
    return good;
}

const Section *find_section(const char *option) {
    for (const Section &section : sections)
        if (std::strcmp(section.option, option) == 0) return &section;
    return nullptr;
}

} // namespace

int main(int argc, char **argv) {
    bool good = true;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--help") == 0) {
            print_usage(stdout);
            return 0;
        }
        if (!find_section(argv[i])) {
            std::fprintf(stderr, "halo_info: unknown option '%s'\n", argv[i]);
            print_usage(stderr);
            return 2;
        }
    }
    for (int i = 1; i < argc; ++i) good = print_section(*find_section(argv[i])) && good;
    if (argc == 1) good = print_overview();
    return good && std::fflush(stdout) == 0 ? 0 : 1;
}
