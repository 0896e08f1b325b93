# How tests are declared.  Each has labels (what kind), a time limit and the environment below.
#   labels: unit laws golden cli mpi benchmark install report   slow (over 20 s)   paraview slurm
include_guard()

# Several jobs share the cores of a test machine: nobody spins, nobody is pinned, more ranks than cores are fine.
# Memory that nobody has set is -5e303 (bytes 0xfe), not zero.
set(ICF_TEST_ENVIRONMENT MALLOC_PERTURB_=1
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMP_WAIT_POLICY=passive
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none) # Open MPI 5
if(ICF_SANITIZE MATCHES "address")
  # What Open MPI and its plug-ins never free is named in a list; to be named they must stay loaded (keep_plugins.c).
  add_library(icf_keep_plugins OBJECT ${CMAKE_SOURCE_DIR}/tests/support/keep_plugins.c)
  list(APPEND ICF_TEST_ENVIRONMENT UBSAN_OPTIONS=print_stacktrace=1
    ASAN_OPTIONS=fast_unwind_on_malloc=0:intercept_tls_get_addr=0:verify_asan_link_order=0
    LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/leaks.txt:print_suppressions=0)
elseif(ICF_SANITIZE MATCHES "thread")
  # The libraries below us are not instrumented; what they do among themselves looks like a race.
  list(APPEND ICF_TEST_ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1)
endif()

# icf_keep_plugins(target): with the address sanitizer, leaks of the program are listed but for those of libraries.
function(icf_keep_plugins target)
  if(TARGET icf_keep_plugins)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:icf_keep_plugins>)
    target_link_options(${target} PRIVATE -rdynamic)
  endif()
endfunction()

# icf_set_test(name kind [LABELS label...] [TIMEOUT seconds] [THREADS n] [RANKS n])
# Labels (the kind is one), time limit (default 300 s, three times that with a sanitizer), threads (default 2) and ranks
# of a test.  Other arguments are left to the caller.
function(icf_set_test name kind)
  set(arg_TIMEOUT 300)
  set(arg_THREADS 2)
  set(arg_RANKS 1)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "TIMEOUT;THREADS;RANKS" "LABELS")
  foreach(key TIMEOUT THREADS RANKS)
    if(DEFINED given_${key})
      set(arg_${key} ${given_${key}})
    endif()
  endforeach()
  if(ICF_SANITIZE)
    math(EXPR arg_TIMEOUT "3 * ${arg_TIMEOUT}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${kind};${given_LABELS}" TIMEOUT ${arg_TIMEOUT}
    PROCESSORS ${arg_RANKS} SKIP_RETURN_CODE 77 ENVIRONMENT "${ICF_TEST_ENVIRONMENT};OMP_NUM_THREADS=${arg_THREADS}")
endfunction()

# icf_add_test_program(name source...): a cmocka program against the library.
function(icf_add_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE libicf icf_flags PkgConfig::CMOCKA)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE ICF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  icf_keep_plugins(${name})
endfunction()

# icf_add_unit_test(name source... [LABELS ...] [TIMEOUT s] [THREADS n]): unit.<name>, one process.
function(icf_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;THREADS" "LABELS")
  icf_add_test_program(${name} ${arg_UNPARSED_ARGUMENTS})
  add_test(NAME unit.${name} COMMAND ${name})
  icf_set_test(unit.${name} unit ${ARGN})
endfunction()

# icf_add_cli_test(name COMMAND word... [LABELS ...] [TIMEOUT s] [THREADS n])
# cli.<name>: a command line that drives the program; "icf" as its first word stands for the built program.
function(icf_add_cli_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;THREADS" "COMMAND;LABELS")
  add_test(NAME cli.${name} COMMAND ${arg_COMMAND})
  icf_set_test(cli.${name} cli ${ARGN})
endfunction()

# icf_add_mpi_test(name program ranks threads [LABELS ...] [TIMEOUT s]): mpi.<name>.<ranks>x<threads> under mpirun.
function(icf_add_mpi_test name program ranks threads)
  set(test mpi.${name}.${ranks}x${threads})
  add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${program}>)
  icf_set_test(${test} mpi RANKS ${ranks} THREADS ${threads} ${ARGN})
endfunction()

# icf_add_golden_test(name scene setting threads [ranks]), icf_add_golden_test(name scene refused key)
# golden.<name>: a reference case through run_golden; results stay in tests/golden/<name> of the build.
function(icf_add_golden_test name scene what how)
  set(launcher)
  set(ranks 1)
  if(ARGC GREATER 4)
    set(ranks ${ARGV4})
    set(launcher ${MPIEXEC_EXECUTABLE} ${ranks})
  endif()
  add_test(NAME golden.${name}
    COMMAND run_golden $<TARGET_FILE:icf> ${scene} ${what} ${how} ${CMAKE_CURRENT_BINARY_DIR}/golden/${name} ${launcher})
  icf_set_test(golden.${name} golden RANKS ${ranks})
  # Leaks are looked for in the other tests: the deep stacks that it takes make a run six times as long.
  if(ICF_SANITIZE MATCHES "address")
    set_property(TEST golden.${name} APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
endfunction()
