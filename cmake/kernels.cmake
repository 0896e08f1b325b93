# Kernels for vector units that not every CPU has: each file has its own options, the program picks one at run time.
# They may contract to fused multiply-adds.
#   kernels_avx2.c    Haswell (2013), Zen
#   kernels_avx512.c  Skylake-SP (2017), Zen 4
# of the front kernels, the pair kernels (src/solver/), the laws (src/contact/lagged_) and the element kernels
# (src/fem/element_).
# On another architecture they are left out, and ICF_X86_KERNELS is not defined.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  target_compile_definitions(icf_flags INTERFACE ICF_X86_KERNELS=1)
  foreach(kernels solver/kernels solver/single_kernels fem/element_kernels)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${kernels}_avx2.c PROPERTIES
      COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast")
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${kernels}_avx512.c PROPERTIES
      COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512vl;-mfma;-ffp-contract=fast")
  endforeach()
  foreach(kernels solver/pair_kernels contact/lagged_kernels)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${kernels}_avx2.c PROPERTIES
      COMPILE_OPTIONS "-mavx2;-mfma;-ffp-contract=fast")
  endforeach()
else()
  list(FILTER ICF_SOURCES EXCLUDE REGEX "/src/(solver/|solver/single_|solver/pair_|contact/lagged_|fem/element_)kernels_avx(2|512)\\.c$")
endif()

# Their vectors are wider than the base set's registers and never cross a call: how that would be done does not matter.
foreach(kernels solver/pair_kernels contact/lagged_kernels)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${kernels}_base.c PROPERTIES COMPILE_OPTIONS "-Wno-psabi")
endforeach()
