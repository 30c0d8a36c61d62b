# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack 1.0 or newer: `spack repo add packaging/spack/spack_repo/libhalo`, then `spack install libhalo`. The sources are the checkout that the recipe lies in."""
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Libhalo(CMakePackage, CudaPackage, ROCmPackage):
    """Ghost (halo) exchange for solvers, over transports that are chosen at run time."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("shared", default=True, description="Build libhalo.so; without, libhalo.a alone")
    variant("static", default=False, description="Build libhalo.a beside libhalo.so", when="+shared")
    variant("fortran", default=False, description="Build the Fortran module", when="+shared")
    variant("tools", default=True, description="Build halo_info and halo_launch")
    variant("openmp", default=False, description="Let the host device use OpenMP threads")
    variant("mpi", default="none", values=("none", "openmpi", "mpich"), multi=False, description="The MPI that has a module")
    variant("ucx", default=False, description="Build the UCX module")
    variant("pmix", default=False, description="Build the PMIx module")
    variant("opencl", default=False, description="Build the OpenCL module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("openmpi", when="mpi=openmpi")
    depends_on("mpich", when="mpi=mpich")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("pmix", when="+pmix")
    depends_on("opencl@2:", when="+opencl")
    depends_on("hip", when="+rocm")

    conflicts("%gcc@:10", msg="C++20 is wanted")
    conflicts("platform=darwin", msg="Linux is wanted")
    conflicts("cuda_arch=none", when="+cuda", msg="CUDA wants a value of cuda_arch")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("BUILD_TESTING", False),
            self.define("HALO_EXAMPLES", False),
            self.define("HALO_BENCHMARKS", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HALO_STATIC", "static"),
            self.define("HALO_FORTRAN", spec.satisfies("+fortran")),
            self.define_from_variant("HALO_TOOLS", "tools"),
            self.define_from_variant("HALO_OPENMP", "openmp"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit", not spec.satisfies("+cuda")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenCL", not spec.satisfies("+opencl")),
            self.define("HALO_HIP_ARCHITECTURES", spec.variants["amdgpu_target"].value if spec.satisfies("+rocm") else "none"),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("HALO_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        return args
