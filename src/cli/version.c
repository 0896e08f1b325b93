/* `icf --version`: the program and the libraries it runs on. */
#include <cblas.h>
#include <dmumps_c.h>
#include <hdf5.h>
#include <metis.h>
#include <string.h>

#include "cli/blas.h"
#include "cli/command.h"

/* First line of the MPI library's description, up to its first comma. */
static void print_mpi(FILE *file)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&major, &minor);
    text[strcspn(text, ",\n")] = '\0';
    fprintf(file, "MPI    %s (standard %d.%d)\n", text, major, minor);
}

static void print_hdf5(FILE *file)
{
    unsigned major, minor, release;
    H5get_libversion(&major, &minor, &release);
    fprintf(file, "HDF5   %u.%u.%u\n", major, minor, release);
}

void icf_print_version(FILE *file)
{
    fprintf(file, "icf    %s\n", ICF_VERSION);
    print_mpi(file);
    fprintf(file, "MUMPS  %s\n", MUMPS_VERSION);
    fprintf(file, "METIS  %d.%d.%d\n", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
    fprintf(file, "BLAS   %s\n", openblas_get_config());
    fprintf(file, "       kernel %s\n", icf_blas_kernel());
    print_hdf5(file);
}
