# What a build may choose, and the flags of our own code (icf_flags; never passed on to users of the library).
option(ICF_BUILD_TESTS "build the tests" ON)
set(ICF_SANITIZE "" CACHE STRING "instrumentation, as after -fsanitize= (address,undefined or thread)")

# Warnings stop the build with the compilers the project is checked with; a newer one may know more of them.
set(icf_newest_GNU 12)
set(icf_newest_Clang 14)
if(CMAKE_C_COMPILER_VERSION VERSION_LESS_EQUAL "${icf_newest_${CMAKE_C_COMPILER_ID}}.999")
  option(ICF_WERROR "warnings are errors" ON)
else()
  option(ICF_WERROR "warnings are errors" OFF)
endif()

# No -march: the program runs on every CPU of the architecture; kernels.cmake adds what is picked at run time.
# Same bits everywhere: contraction to fused multiply-add only where a kernel file asks for it.
add_library(icf_flags INTERFACE)
target_compile_options(icf_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
  -ffp-contract=off -fno-math-errno -fno-trapping-math $<$<BOOL:${ICF_WERROR}>:-Werror>)
target_compile_definitions(icf_flags INTERFACE _GNU_SOURCE)

if(ICF_SANITIZE)
  add_compile_options(-fsanitize=${ICF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ICF_SANITIZE})
endif()
