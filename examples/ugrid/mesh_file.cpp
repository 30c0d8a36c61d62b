// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"
#include "netcdf_file.h"

#include <netcdf.h>

#include <algorithm>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace ugrid {

namespace {

constexpr double degree = std::numbers::pi / 180;

std::vector<double> angles(const NetcdfFile &file, const std::string &name) {
    const int variable = file.required_variable(name);
    const std::string units = file.text(variable, "units").value_or("none");
    std::vector<double> values = file.doubles(variable);
    if (units.starts_with("degree"))
        for (double &value : values) value *= degree;
    else if (!units.starts_with("rad"))
        throw std::runtime_error(file.name() + ": '" + name + "' has units '" + units + "': degrees or radians are wanted");
    return values;
}

/// A table of nodes by face: rows are faces, or columns. What is `fill`, or before the first node, is none.
void read_faces(const NetcdfFile &file, int table, bool by_column, std::int64_t start, std::int64_t fill, Mesh &mesh) {
    const auto lengths = file.lengths(table);
    if (lengths.size() != 2)
        throw std::runtime_error(file.name() + ": the table of nodes has " + std::to_string(lengths.size()) + " dimensions, not 2");
    const std::vector<std::int64_t> entries = file.integers(table);
    const std::size_t n_faces = lengths[by_column ? 1 : 0], most = lengths[by_column ? 0 : 1];
    const auto n_nodes = std::ssize(mesh.longitude);
    for (std::size_t face = 0; face < n_faces; ++face) {
        for (std::size_t k = 0; k < most; ++k) {
            const std::int64_t entry = entries[by_column ? k * n_faces + face : face * most + k];
            if (entry == fill || entry < start) continue;
            if (entry - start >= n_nodes)
                throw std::runtime_error(file.name() + ": face " + std::to_string(face) + " has node " + std::to_string(entry) + ", but there are " +
                                         std::to_string(n_nodes));
            mesh.nodes.push_back(entry - start);
        }
        mesh.first.push_back(std::ssize(mesh.nodes));
    }
}

int topology_variable(const NetcdfFile &file) {
    for (int variable = 0; variable < file.n_variables(); ++variable)
        if (file.text(variable, "cf_role") == "mesh_topology" && file.number(variable, "topology_dimension") == 2) return variable;
    return -1;
}

Mesh read_ugrid(const NetcdfFile &file, int topology) {
    const auto required = [&](const char *attribute) {
        const auto text = file.text(topology, attribute);
        if (!text) throw std::runtime_error(file.name() + ": the mesh has no attribute '" + attribute + "'");
        return *text;
    };
    Mesh mesh;
    std::istringstream coordinates(required("node_coordinates"));
    for (std::string name; coordinates >> name;) {
        const std::string kind = file.text(file.required_variable(name), "standard_name").value_or(name);
        (kind.find("lat") != std::string::npos ? mesh.latitude : mesh.longitude) = angles(file, name);
    }
    if (mesh.longitude.size() != mesh.latitude.size() || mesh.longitude.empty())
        throw std::runtime_error(file.name() + ": nodes want a longitude and a latitude");
    const int table = file.required_variable(required("face_node_connectivity"));
    const auto faces_along = file.text(topology, "face_dimension");
    const bool by_column = faces_along && file.dimensions(table).back() == *faces_along;
    read_faces(file, table, by_column, file.number(table, "start_index").value_or(0), file.number(table, "_FillValue").value_or(-1), mesh);
    return mesh;
}

Mesh read_icon(const NetcdfFile &file) {
    Mesh mesh;
    mesh.longitude = angles(file, "vlon");
    mesh.latitude = angles(file, "vlat");
    read_faces(file, file.required_variable("vertex_of_cell"), true, 1, 0, mesh);
    return mesh;
}

struct Table {
    std::size_t most = 0;
    std::vector<int> entries;
};

Table table_of(const Mesh &mesh, int start, int fill, bool by_column) {
    Table table;
    const auto n_faces = static_cast<std::size_t>(mesh.n_faces());
    for (std::int64_t face = 0; face < mesh.n_faces(); ++face) table.most = std::max(table.most, mesh.nodes_of(face).size());
    table.entries.assign(n_faces * table.most, fill);
    for (std::size_t face = 0; face < n_faces; ++face) {
        const auto around = mesh.nodes_of(static_cast<std::int64_t>(face));
        for (std::size_t k = 0; k < around.size(); ++k)
            table.entries[by_column ? k * n_faces + face : face * table.most + k] = static_cast<int>(around[k]) + start;
    }
    return table;
}

void write_ugrid(const Mesh &mesh, NetcdfFile &file) {
    constexpr int fill = -999;
    const Table table = table_of(mesh, 0, fill, false);
    const int nodes = file.add_dimension("n_nodes", mesh.longitude.size()),
              faces = file.add_dimension("n_faces", static_cast<std::size_t>(mesh.n_faces()));
    const int most = file.add_dimension("most_nodes_of_a_face", table.most);
    const int topology = file.add_variable("mesh", NC_INT, {});
    file.set_text(topology, "cf_role", "mesh_topology");
    file.set_number(topology, "topology_dimension", 2);
    file.set_text(topology, "node_coordinates", "node_lon node_lat");
    file.set_text(topology, "face_node_connectivity", "face_nodes");
    const int longitude = file.add_variable("node_lon", NC_DOUBLE, { nodes }), latitude = file.add_variable("node_lat", NC_DOUBLE, { nodes });
    file.set_text(longitude, "standard_name", "longitude");
    file.set_text(longitude, "units", "degrees_east");
    file.set_text(latitude, "standard_name", "latitude");
    file.set_text(latitude, "units", "degrees_north");
    const int connectivity = file.add_variable("face_nodes", NC_INT, { faces, most });
    file.set_text(connectivity, "cf_role", "face_node_connectivity");
    file.set_number(connectivity, "start_index", 0);
    file.set_number(connectivity, "_FillValue", fill);
    file.end_definitions();
    for (const auto &[variable, radians] : { std::pair{ longitude, &mesh.longitude }, std::pair{ latitude, &mesh.latitude } }) {
        std::vector<double> degrees = *radians;
        for (double &value : degrees) value /= degree;
        file.write(variable, degrees);
    }
    file.write(connectivity, table.entries);
}

void write_icon(const Mesh &mesh, NetcdfFile &file) {
    const Table table = table_of(mesh, 1, 0, true);
    const int vertices = file.add_dimension("vertex", mesh.longitude.size()),
              cells = file.add_dimension("cell", static_cast<std::size_t>(mesh.n_faces()));
    const int most = file.add_dimension("nv", table.most);
    const int longitude = file.add_variable("vlon", NC_DOUBLE, { vertices }), latitude = file.add_variable("vlat", NC_DOUBLE, { vertices });
    file.set_text(longitude, "units", "radian");
    file.set_text(latitude, "units", "radian");
    const int connectivity = file.add_variable("vertex_of_cell", NC_INT, { most, cells });
    file.end_definitions();
    file.write(longitude, mesh.longitude);
    file.write(latitude, mesh.latitude);
    file.write(connectivity, table.entries);
}

} // namespace

Mesh read_mesh(const std::string &name) {
    const NetcdfFile file = NetcdfFile::open(name);
    const int topology = topology_variable(file);
    if (topology < 0 && file.variable("vertex_of_cell") < 0)
        throw std::runtime_error(name + ": neither a two-dimensional mesh of UGRID nor a grid of ICON");
    return topology >= 0 ? read_ugrid(file, topology) : read_icon(file);
}

void write_mesh(const Mesh &mesh, const std::string &name, Format format) {
    NetcdfFile file = NetcdfFile::create(name);
    if (format == Format::ugrid)
        write_ugrid(mesh, file);
    else
        write_icon(mesh, file);
}

} // namespace ugrid
