/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that shows what an MPI shows to a process that looks for one. */
#ifdef FAMILY_SYMBOL
int FAMILY_SYMBOL = 0;
#endif
__attribute__((visibility("protected"))) int fake_mpi_initialised = 0; /* its own, whatever else is loaded */

int PMPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return 0;
}

int PMPI_Initialized(int *flag);
int PMPI_Initialized(int *flag) {
    *flag = fake_mpi_initialised;
    return 0;
}

int PMPI_Finalized(int *flag);
int PMPI_Finalized(int *flag) {
    *flag = 0;
    return 0;
}

#ifdef ABI_MAJOR
int PMPI_Abi_get_version(int *major, int *minor);
int PMPI_Abi_get_version(int *major, int *minor) {
    *major = ABI_MAJOR;
    *minor = ABI_MAJOR < 0 ? -1 : 0;
    return 0;
}
#endif

#ifdef VERSION_TEXT
int PMPI_Get_library_version(char *text, int *length);
int PMPI_Get_library_version(char *text, int *length) {
    const char version[] = VERSION_TEXT;
    for (*length = 0; version[*length] != '\0'; ++*length) text[*length] = version[*length];
    text[*length] = '\0';
    return 0;
}
#endif
