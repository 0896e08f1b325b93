# The page of a report (report/, third_party/three) as bytes in the library.
set(ICF_REPORT_SCRIPTS data.js colours.js meshes.js view.js readout.js player.js plots.js tables.js main.js)
list(TRANSFORM ICF_REPORT_SCRIPTS PREPEND ${CMAKE_SOURCE_DIR}/report/)
set(ICF_REPORT_FILES ${CMAKE_SOURCE_DIR}/report/page.html ${CMAKE_SOURCE_DIR}/report/style.css ${ICF_REPORT_SCRIPTS}
  ${CMAKE_SOURCE_DIR}/third_party/three/three.min.js)
list(JOIN ICF_REPORT_SCRIPTS "," scripts)
set(items "report_html=${CMAKE_SOURCE_DIR}/report/page.html;report_style=${CMAKE_SOURCE_DIR}/report/style.css")
string(APPEND items ";report_script=${scripts};report_three=${CMAKE_SOURCE_DIR}/third_party/three/three.min.js")
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/report_page.c
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_BINARY_DIR}/report_page.c "-DPARTS=${items}" -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${ICF_REPORT_FILES} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake COMMENT "Embedding the page of reports" VERBATIM)
