# The manual page icf(1), made of the program's help; it is installed with the program.
set(ICF_MAN_PAGE ${CMAKE_BINARY_DIR}/icf.1)
add_custom_command(OUTPUT ${ICF_MAN_PAGE}
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 sh ${CMAKE_SOURCE_DIR}/cmake/man_page.sh $<TARGET_FILE:icf>
    ${PROJECT_VERSION} ${ICF_MAN_PAGE}
  DEPENDS icf ${CMAKE_SOURCE_DIR}/cmake/man_page.sh COMMENT "Writing the manual page" VERBATIM)
add_custom_target(man_page ALL DEPENDS ${ICF_MAN_PAGE})
install(FILES ${ICF_MAN_PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
