// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ugrid {

/// A NetCDF file, with errors as exceptions that name it.
class NetcdfFile {
public:
    static NetcdfFile open(const std::string &name);
    static NetcdfFile create(const std::string &name);
    ~NetcdfFile();
    NetcdfFile(const NetcdfFile &) = delete;
    NetcdfFile &operator=(const NetcdfFile &) = delete;

    const std::string &name() const { return name_; }
    int n_variables() const;
    /// -1: there is none.
    int variable(const std::string &name) const;
    int required_variable(const std::string &name) const;
    std::vector<std::string> dimensions(int variable) const;
    std::vector<std::size_t> lengths(int variable) const;
    std::optional<std::string> text(int variable, const char *attribute) const;
    std::optional<std::int64_t> number(int variable, const char *attribute) const;
    std::vector<double> doubles(int variable) const;
    std::vector<std::int64_t> integers(int variable) const;

    int add_dimension(const char *name, std::size_t length);
    int add_variable(const char *name, int type, const std::vector<int> &dimensions);
    void set_text(int variable, const char *attribute, const std::string &text);
    void set_number(int variable, const char *attribute, int number);
    void end_definitions();
    void write(int variable, const std::vector<double> &values);
    void write(int variable, const std::vector<int> &values);

private:
    NetcdfFile(int id, std::string name) : id_(id), name_(std::move(name)) {}
    std::size_t size(int variable) const;
    void check(int status, const std::string &what) const;

    int id_;
    std::string name_;
};

} // namespace ugrid
