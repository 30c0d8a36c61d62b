/* SPDX-License-Identifier: BSD-3-Clause */
/* The built library, its header and the project have one version. */
#include <halo.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[64];
    const int loaded = (int)halo_version();
    snprintf(text, sizeof text, "%d.%d.%d", loaded / 10000, loaded / 100 % 100, loaded % 100);
    printf("library %s, header %d.%d.%d, project %s\n", text, HALO_VERSION_MAJOR, HALO_VERSION_MINOR, HALO_VERSION_PATCH, EXPECTED);
    return strcmp(text, EXPECTED) != 0 || loaded != HALO_VERSION_MAJOR * 10000 + HALO_VERSION_MINOR * 100 + HALO_VERSION_PATCH;
}
