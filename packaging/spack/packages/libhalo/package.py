# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack: `spack repo add packaging/spack`, then `spack install libhalo`. The sources are the checkout that the recipe lies in."""
from pathlib import Path

from spack.package import *


class Libhalo(CMakePackage, CudaPackage):
    """Ghost (halo) exchange for solvers, over transports that are chosen at run time."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("shared", default=True, description="Build libhalo.so; without, libhalo.a alone")
    variant("static", default=False, description="Build libhalo.a beside libhalo.so", when="+shared")
    variant("tools", default=True, description="Build halo_info and halo_launch")
    variant("openmp", default=False, description="Let the host device use OpenMP threads")
    variant("mpi", default="none", values=("none", "openmpi", "mpich"), multi=False, description="The MPI that has a module")
    variant("ucx", default=False, description="Build the UCX module")
    variant("opencl", default=False, description="Build the OpenCL module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openmpi", when="mpi=openmpi")
    depends_on("mpich", when="mpi=mpich")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("opencl@2:", when="+opencl")

    conflicts("%gcc@:10", msg="C++20 is wanted")
    conflicts("platform=darwin", msg="Linux is wanted")
    conflicts("cuda_arch=none", when="+cuda", msg="CUDA wants a value of cuda_arch")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("HALO_EXAMPLES", False),
            self.define("HALO_BENCHMARKS", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HALO_STATIC", "static"),
            self.define_from_variant("HALO_TOOLS", "tools"),
            self.define_from_variant("HALO_OPENMP", "openmp"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit", not self.spec.satisfies("+cuda")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenCL", not self.spec.satisfies("+opencl")),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("HALO_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
