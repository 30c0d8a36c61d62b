# SPDX-License-Identifier: BSD-3-Clause
"""What pyproject.toml cannot say: LIBHALO_BUNDLE, the `lib` folder of an installed libhalo, puts the library and its modules inside the wheel, which then is
one of this system; without it the wheel is for any, and opens the libhalo that the loader finds."""
import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

BUNDLE = os.environ.get("LIBHALO_BUNDLE")


class Build(build_py):
    def run(self):
        super().run()
        inside = Path(self.build_lib) / "halo/lib"
        shutil.rmtree(inside, ignore_errors=True)
        if BUNDLE:
            libraries = list(Path(BUNDLE).glob("libhalo.so.*.*.*"))
            if len(libraries) != 1:
                raise SystemExit(f"LIBHALO_BUNDLE: {len(libraries)} files libhalo.so.*.*.* in {BUNDLE}, not one")
            (inside / "halo").mkdir(parents=True)
            soname = Path(BUNDLE).glob("libhalo.so.*")
            name = next(link.name for link in sorted(soname) if link.is_symlink())
            shutil.copy(libraries[0], inside / name)
            for module in Path(BUNDLE).glob("halo/libhalo_*.so"):
                shutil.copy(module, inside / "halo" / module.name)


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not BUNDLE

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})
