# Finds what the library stands on, as one target icf::dependencies.
# Used twice: by this build and, installed beside the package configuration, by every project that uses the library.
find_package(MPI REQUIRED COMPONENTS C)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ICF_HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi)
pkg_check_modules(ICF_JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ICF_YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(ICF_EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(ICF_ZLIB REQUIRED IMPORTED_TARGET zlib)

# OpenBLAS built with OpenMP first: the one built with threads of its own would start them inside our threads.
find_library(ICF_OPENBLAS_LIBRARY NAMES openblas
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
find_library(ICF_OPENBLAS_LIBRARY NAMES openblas REQUIRED)
find_path(ICF_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas REQUIRED)
find_path(ICF_MUMPS_INCLUDE_DIR dmumps_c.h REQUIRED)
find_library(ICF_DMUMPS_LIBRARY dmumps REQUIRED)
find_library(ICF_MUMPS_COMMON_LIBRARY mumps_common REQUIRED)
find_path(ICF_METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(ICF_METIS_LIBRARY metis REQUIRED)
find_path(ICF_AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(ICF_AMD_LIBRARY amd REQUIRED)
find_path(ICF_QHULL_INCLUDE_DIR libqhull_r/qhull_ra.h REQUIRED)
find_library(ICF_QHULL_LIBRARY qhull_r REQUIRED)

if(NOT TARGET icf::dependencies)
  add_library(icf::dependencies INTERFACE IMPORTED)
  target_include_directories(icf::dependencies SYSTEM INTERFACE
    ${ICF_CBLAS_INCLUDE_DIR} ${ICF_MUMPS_INCLUDE_DIR} ${ICF_METIS_INCLUDE_DIR} ${ICF_AMD_INCLUDE_DIR}
    ${ICF_QHULL_INCLUDE_DIR})
  target_link_libraries(icf::dependencies INTERFACE ${ICF_DMUMPS_LIBRARY} ${ICF_MUMPS_COMMON_LIBRARY}
    ${ICF_METIS_LIBRARY} ${ICF_AMD_LIBRARY} ${ICF_QHULL_LIBRARY} ${ICF_OPENBLAS_LIBRARY} PkgConfig::ICF_HDF5 PkgConfig::ICF_JANSSON
    PkgConfig::ICF_YAML PkgConfig::ICF_EXPAT PkgConfig::ICF_ZLIB MPI::MPI_C OpenMP::OpenMP_C m)
endif()
