/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that shows what an MPI shows to a process that looks for one. */
int FAMILY_SYMBOL = 0;
int fake_mpi_initialised = 0;

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
