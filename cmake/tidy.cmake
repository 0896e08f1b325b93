# cmake --build build --target tidy: clang-tidy over our sources, with the rules of .clang-tidy.
find_program(ICF_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(ICF_RUN_CLANG_TIDY)
  add_custom_target(tidy
    COMMAND ${ICF_RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR} "^${CMAKE_SOURCE_DIR}/(src|partition|io|benchmark|tests)/"
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)
endif()
