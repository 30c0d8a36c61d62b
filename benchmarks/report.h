// SPDX-License-Identifier: BSD-3-Clause
// Results as rows of named figures: printed as tables for people, as JSON or as CSV. Only rank 0 prints.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "statistics.h"

namespace bench {

using Cell = std::variant<std::string, int64_t, double>;

struct Row {
    std::vector<std::pair<std::string, Cell>> cells; // name with its unit, e.g. "median us"

    Row &add(const std::string &name, Cell cell) {
        cells.emplace_back(name, std::move(cell));
        return *this;
    }
    // With its interval.
    Row &add(const std::string &name, const Estimate &estimate) {
        return add(name, estimate.median).add("low", estimate.low).add("high", estimate.high);
    }
};

enum class Style { table, json, csv };

class Report {
public:
    Report(Style style, bool speaks) : style_(style), speaks_(speaks) {}
    void condition(const std::string &name, const std::string &text);
    void begin(const std::string &title, const std::string &note);
    void row(Row row);
    void remark(const std::string &text);
    void end() const; // JSON is printed as one document

private:
    struct Table {
        std::string title, note;
        std::vector<Row> rows;
        std::vector<std::string> remarks;
    };
    void print_table(const Table &table) const;
    void print_csv(const Table &table) const;
    void print_json() const;

    Style style_;
    bool speaks_;
    std::vector<std::pair<std::string, std::string>> conditions_;
    std::vector<Table> tables_;
};

} // namespace bench
