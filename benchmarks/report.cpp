// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace bench {

namespace {

std::string text_of(const Cell &cell) {
    if (const auto *text = std::get_if<std::string>(&cell)) return *text;
    if (const auto *number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    const double value = std::get<double>(cell);
    if (std::isnan(value)) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", std::abs(value) < 10 ? 3 : std::abs(value) < 1000 ? 1 : 0, value);
    return text;
}

std::string quoted(const std::string &text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

} // namespace

void Report::condition(const std::string &name, const std::string &text) { conditions_.emplace_back(name, text); }

void Report::begin(const std::string &title, const std::string &note) { tables_.push_back({ title, note, {}, {} }); }

void Report::row(Row row) { tables_.back().rows.push_back(std::move(row)); }

void Report::remark(const std::string &text) { tables_.back().remarks.push_back(text); }

void Report::end() const {
    if (!speaks_) return;
    if (style_ == Style::json) return print_json();
    for (const auto &[name, text] : conditions_) std::printf("%s%s: %s\n", style_ == Style::csv ? "# " : "", name.c_str(), text.c_str());
    for (const Table &table : tables_) {
        if (style_ == Style::csv)
            print_csv(table);
        else
            print_table(table);
    }
}

void Report::print_table(const Table &table) const {
    std::printf("\n%s%s%s\n", table.title.c_str(), table.note.empty() ? "" : ": ", table.note.c_str());
    if (!table.rows.empty()) {
        const size_t n = table.rows.front().cells.size();
        std::vector<size_t> width(n);
        for (size_t i = 0; i < n; ++i) {
            width[i] = table.rows.front().cells[i].first.size();
            for (const Row &row : table.rows) width[i] = std::max(width[i], text_of(row.cells[i].second).size());
        }
        const auto print = [&](size_t i, const std::string &text) {
            std::printf(i == 0 ? "  %-*s" : "  %*s", static_cast<int>(width[i]), text.c_str());
        };
        for (size_t i = 0; i < n; ++i) print(i, table.rows.front().cells[i].first);
        std::printf("\n");
        for (const Row &row : table.rows) {
            for (size_t i = 0; i < n; ++i) print(i, text_of(row.cells[i].second));
            std::printf("\n");
        }
    }
    for (const std::string &remark : table.remarks) std::printf("  %s\n", remark.c_str());
}

void Report::print_csv(const Table &table) const {
    std::printf("table");
    if (!table.rows.empty())
        for (const auto &[name, cell] : table.rows.front().cells) std::printf(",%s", quoted(name).c_str());
    std::printf("\n");
    for (const Row &row : table.rows) {
        std::printf("%s", quoted(table.title).c_str());
        for (const auto &[name, cell] : row.cells) std::printf(",%s", quoted(text_of(cell)).c_str());
        std::printf("\n");
    }
    for (const std::string &remark : table.remarks) std::printf("# %s\n", remark.c_str());
}

void Report::print_json() const {
    nlohmann::ordered_json document;
    for (const auto &[name, text] : conditions_) document["conditions"][name] = text;
    for (const Table &table : tables_) {
        nlohmann::ordered_json entry{ { "title", table.title }, { "note", table.note }, { "remarks", table.remarks } };
        for (const Row &row : table.rows) {
            nlohmann::ordered_json cells;
            for (const auto &[name, cell] : row.cells) std::visit([&cells, &key = name](const auto &value) { cells[key] = value; }, cell);
            entry["rows"].push_back(cells);
        }
        document["tables"].push_back(entry);
    }
    std::printf("%s\n", document.dump(2).c_str());
}

} // namespace bench
