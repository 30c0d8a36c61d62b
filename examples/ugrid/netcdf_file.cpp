// SPDX-License-Identifier: BSD-3-Clause
#include "netcdf_file.h"

#include <netcdf.h>

#include <stdexcept>
#include <utility>

namespace ugrid {

NetcdfFile NetcdfFile::open(const std::string &name) {
    int id = 0;
    if (const int status = nc_open(name.c_str(), NC_NOWRITE, &id); status != NC_NOERR) throw std::runtime_error(name + ": " + nc_strerror(status));
    return { id, name };
}

NetcdfFile NetcdfFile::create(const std::string &name) {
    int id = 0;
    if (const int status = nc_create(name.c_str(), NC_CLOBBER | NC_64BIT_OFFSET, &id); status != NC_NOERR)
        throw std::runtime_error(name + ": " + nc_strerror(status));
    return { id, name };
}

NetcdfFile::~NetcdfFile() { nc_close(id_); }

void NetcdfFile::check(int status, const std::string &what) const {
    if (status != NC_NOERR) throw std::runtime_error(name_ + ": " + what + ": " + nc_strerror(status));
}

int NetcdfFile::n_variables() const {
    int n = 0;
    check(nc_inq_nvars(id_, &n), "variables");
    return n;
}

int NetcdfFile::variable(const std::string &name) const {
    int variable = -1;
    return nc_inq_varid(id_, name.c_str(), &variable) == NC_NOERR ? variable : -1;
}

int NetcdfFile::required_variable(const std::string &name) const {
    int variable = -1;
    check(nc_inq_varid(id_, name.c_str(), &variable), "variable '" + name + "'");
    return variable;
}

std::vector<std::string> NetcdfFile::dimensions(int variable) const {
    int n = 0;
    check(nc_inq_varndims(id_, variable, &n), "dimensions");
    std::vector<int> ids(static_cast<std::size_t>(n));
    check(nc_inq_vardimid(id_, variable, ids.data()), "dimensions");
    std::vector<std::string> names;
    for (const int id : ids) {
        char name[NC_MAX_NAME + 1];
        check(nc_inq_dimname(id_, id, name), "dimensions");
        names.emplace_back(name);
    }
    return names;
}

std::vector<std::size_t> NetcdfFile::lengths(int variable) const {
    std::vector<std::size_t> lengths;
    for (const std::string &name : dimensions(variable)) {
        int id = 0;
        std::size_t length = 0;
        check(nc_inq_dimid(id_, name.c_str(), &id), "dimension " + name);
        check(nc_inq_dimlen(id_, id, &length), "dimension " + name);
        lengths.push_back(length);
    }
    return lengths;
}

std::size_t NetcdfFile::size(int variable) const {
    std::size_t size = 1;
    for (const std::size_t length : lengths(variable)) size *= length;
    return size;
}

std::optional<std::string> NetcdfFile::text(int variable, const char *attribute) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(id_, variable, attribute, &type, &length) != NC_NOERR || type != NC_CHAR) return std::nullopt;
    std::string text(length, '\0');
    check(nc_get_att_text(id_, variable, attribute, text.data()), attribute);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

std::optional<std::int64_t> NetcdfFile::number(int variable, const char *attribute) const {
    long long number = 0;
    return nc_get_att_longlong(id_, variable, attribute, &number) == NC_NOERR ? std::optional<std::int64_t>(number) : std::nullopt;
}

std::vector<double> NetcdfFile::doubles(int variable) const {
    std::vector<double> values(size(variable));
    check(nc_get_var_double(id_, variable, values.data()), "values");
    return values;
}

std::vector<std::int64_t> NetcdfFile::integers(int variable) const {
    std::vector<long long> values(size(variable));
    check(nc_get_var_longlong(id_, variable, values.data()), "values");
    return { values.begin(), values.end() };
}

int NetcdfFile::add_dimension(const char *name, std::size_t length) {
    int id = 0;
    check(nc_def_dim(id_, name, length, &id), name);
    return id;
}

int NetcdfFile::add_variable(const char *name, int type, const std::vector<int> &dimensions) {
    int id = 0;
    check(nc_def_var(id_, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id), name);
    return id;
}

void NetcdfFile::set_text(int variable, const char *attribute, const std::string &text) {
    check(nc_put_att_text(id_, variable, attribute, text.size(), text.data()), attribute);
}

void NetcdfFile::set_number(int variable, const char *attribute, int number) {
    check(nc_put_att_int(id_, variable, attribute, NC_INT, 1, &number), attribute);
}

void NetcdfFile::end_definitions() { check(nc_enddef(id_), "definitions"); }
void NetcdfFile::write(int variable, const std::vector<double> &values) { check(nc_put_var_double(id_, variable, values.data()), "values"); }
void NetcdfFile::write(int variable, const std::vector<int> &values) { check(nc_put_var_int(id_, variable, values.data()), "values"); }

} // namespace ugrid
