# Writes a C file that holds texts as bytes:
#   cmake -DOUTPUT=file.c "-DPARTS=name=file;name=file;name=file,file" -P embed.cmake
# gives for each name  const unsigned char icf_<name>[]  and  const size_t icf_<name>_size; files joined by commas are put one
# behind the other.  The paths do not reach the program.
cmake_minimum_required(VERSION 3.25)

file(WRITE ${OUTPUT}.tmp "#include \"io/report_page.h\"\n")
foreach(part IN LISTS PARTS)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" unused "${part}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
  set(bytes)
  foreach(file IN LISTS files)
    file(READ ${file} hex HEX)
    string(APPEND bytes ${hex})
  endforeach()
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(APPEND ${OUTPUT}.tmp "const unsigned char icf_${name}[] = {${bytes}0};\nconst size_t icf_${name}_size = ${size};\n")
endforeach()
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
