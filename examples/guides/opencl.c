/* SPDX-License-Identifier: BSD-3-Clause */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <string.h>

#include "need.h"

enum { BLOCKS = 4, CELLS = 16, N = BLOCKS * CELLS, STEPS = 20 };

/* All blocks of the rank, `part` doubles apart, (0, 0) of the first at `first`; rows are `pitch` apart. */
static const char *const text = "#pragma OPENCL FP_CONTRACT OFF\n"
                                "kernel void diffuse(global const double *u, global double *to, long part, long first, long pitch) {\n"
                                "    const long at = get_global_id(2) * part + first + get_global_id(1) * pitch + get_global_id(0);\n"
                                "    to[at] = u[at] + 0.2 * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch] - 4 * u[at]);\n"
                                "}\n";

static double begin(int64_t x, int64_t y) { return (double)(x * x % 17 + y * y % 13); }

/* The same on the host, for the whole periodic grid. */
static double grid[2][N][N];
static void diffuse_on_host(int step) {
    double(*const u)[N] = grid[step % 2], (*const to)[N] = grid[(step + 1) % 2];
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x)
            to[y][x] = u[y][x] + 0.2 * (u[y][(x + N - 1) % N] + u[y][(x + 1) % N] + u[(y + N - 1) % N][x] + u[(y + 1) % N][x] - 4 * u[y][x]);
}

static void need_cl(cl_int error, const char *what) {
    if (error != CL_SUCCESS) fprintf(stderr, "%s: OpenCL error %d\n", what, error), exit(1);
}

/* The first that shares memory as libhalo wants it. */
static cl_device_id find_device(void) {
    enum { MOST = 8 };
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint n_platforms = 0, n = 0;
    clGetPlatformIDs(MOST, platforms, &n_platforms);
    for (cl_uint p = 0; p < n_platforms && p < MOST; ++p) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &n) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < n && d < MOST; ++d) {
            cl_device_svm_capabilities shares = 0;
            clGetDeviceInfo(devices[d], CL_DEVICE_SVM_CAPABILITIES, sizeof shares, &shares, NULL);
            if (shares & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) return devices[d];
        }
    }
    puts("no OpenCL device with fine-grained shared virtual memory");
    exit(77);
}

int main(void) {
    cl_device_id device = find_device();
    cl_int error;
    cl_context mine = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(mine, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(mine, 1, (const char **)&text, NULL, &error);
    need_cl(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel diffuse = clCreateKernel(program, "diffuse", &error);
    need_cl(error, "clCreateKernel");

    char address[32]; /* libhalo works in the program's context */
    snprintf(address, sizeof address, "%p", (void *)mine);
    const halo_setting settings[] = { { "device", "opencl" }, { "device.context", address } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings, options.n_settings = 2;
    halo_context *context;
    need(halo_context_create(&options, &context));

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    halo_field_desc desc = HALO_FIELD_DESC_INIT; /* two sets, old and new */
    desc.name = "u", desc.n_sets = 2;
    desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = 1;
    halo_topology *topology;
    halo_field *field;
    halo_exchange *ghosts;
    const int64_t *gids;
    int64_t n;
    need(halo_topology_create_blocks(context, &blocks, &topology));
    need(halo_topology_local_parts(topology, &gids, &n));
    need(halo_field_create(topology, &desc, &field));
    halo_layout at = HALO_LAYOUT_INIT; /* the same for all blocks */
    need(halo_field_layout(field, gids[0], &at));

    const size_t bytes = (size_t)(n * at.elements) * sizeof(double);
    double *u[2], *host = calloc(1, bytes);
    for (int set = 0; set < 2; ++set) {
        u[set] = clSVMAlloc(mine, CL_MEM_READ_WRITE, bytes, 64);
        halo_binding binding = HALO_BINDING_INIT;
        binding.set = set, binding.data = u[set], binding.memory = HALO_MEMORY_DEVICE;
        need(halo_field_bind_many(field, at.elements, &binding));
    }
    need(halo_exchange_create(&field, 1, NULL, &ghosts));

    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        need(halo_topology_part(topology, gids[i], &part));
        for (int64_t y = 0; y < CELLS; ++y)
            for (int64_t x = 0; x < CELLS; ++x)
                host[i * at.elements + at.first_owned + y * at.stride[1] + x] = begin(part.cells.low[0] + x, part.cells.low[1] + y);
    }
    need_cl(clEnqueueSVMMemcpy(queue, CL_TRUE, u[0], host, bytes, 0, NULL, NULL), "clEnqueueSVMMemcpy");
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x) grid[0][y][x] = begin(x, y);

    for (int step = 0; step < STEPS; ++step) { /* everything in one queue: the host waits for nothing but what peers send */
        const int32_t old = step % 2;
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 1, run.sets = &old;
        need(halo_exchange_start(ghosts, &run, queue));
        need(halo_exchange_finish(ghosts, queue));
        const size_t cells[3] = { CELLS, CELLS, (size_t)n };
        const cl_long numbers[3] = { at.elements, at.first_owned, at.stride[1] };
        clSetKernelArgSVMPointer(diffuse, 0, u[old]);
        clSetKernelArgSVMPointer(diffuse, 1, u[1 - old]);
        for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(diffuse, 2 + i, sizeof numbers[i], &numbers[i]);
        need_cl(clEnqueueNDRangeKernel(queue, diffuse, 3, NULL, cells, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        diffuse_on_host(step);
    }
    need_cl(clEnqueueSVMMemcpy(queue, CL_TRUE, host, u[STEPS % 2], bytes, 0, NULL, NULL), "clEnqueueSVMMemcpy");

    int wrong = 0; /* the same bits */
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        need(halo_topology_part(topology, gids[i], &part));
        for (int64_t y = 0; y < CELLS; ++y)
            wrong += memcmp(&host[i * at.elements + at.first_owned + y * at.stride[1]], &grid[STEPS % 2][part.cells.low[1] + y][part.cells.low[0]],
                            CELLS * sizeof(double)) != 0;
    }
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&topology));
    need(halo_context_destroy(&context));
    for (int set = 0; set < 2; ++set) clSVMFree(mine, u[set]);
    free(host);
    clReleaseKernel(diffuse), clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(mine);
    return wrong > 0;
}
