# cmake --install: program, library, headers, and what other projects need to find them (CMake package, pkg-config).
include(CMakePackageConfigHelpers)
set(ICF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/icf)

install(TARGETS libicf EXPORT icf-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS icf RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Headers keep their folders below include/icf, so that #include "base/status.h" reads the same everywhere.
# *_private.h belongs to the files beside it; *_body.h is a piece of source, included with different macros.
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/icf
  FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN "*_body.h" EXCLUDE PATTERN "*_private.h" EXCLUDE)
foreach(folder partition io)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/icf
    FILES_MATCHING PATTERN "*.h" PATTERN "*_private.h" EXCLUDE)
endforeach()

install(EXPORT icf-targets NAMESPACE icf:: DESTINATION ${ICF_PACKAGE_DIR})
configure_package_config_file(cmake/icf-config.cmake.in ${CMAKE_BINARY_DIR}/icf-config.cmake
  INSTALL_DESTINATION ${ICF_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/icf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/icf-config.cmake ${CMAKE_BINARY_DIR}/icf-config-version.cmake
  cmake/dependencies.cmake DESTINATION ${ICF_PACKAGE_DIR})

# The prefix in icf.pc is relative to the file itself: an installed tree may be moved.
file(RELATIVE_PATH ICF_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/icf.pc.in ${CMAKE_BINARY_DIR}/icf.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/icf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
