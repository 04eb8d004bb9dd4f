# How a folder becomes a target.
#
#   mdh_module(NAME hl DEPENDS scalar)
#
# makes the static library mdh_hl (alias mdh::hl) of the *.cpp in the folder and in its direct
# sub-folders, and the executable hl_test of the *_test.cpp in the same places.

include(GoogleTest)

# ---- Compiler cache ---------------------------------------------------------------------------

# Precompiled headers and ccache go together, on two conditions: gcc marks the use of the header in
# its preprocessed output (-fpch-preprocess), and ccache forgives the macros and time stamps of the
# header (CCACHE_SLOPPINESS), which it hashes as a file. A user's own launcher is left alone.
if(MDH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MDH_CCACHE_PROGRAM ccache)
  mark_as_advanced(MDH_CCACHE_PROGRAM)
  if(MDH_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${MDH_CCACHE_PROGRAM})
    message(STATUS "mdh: compiling through ${MDH_CCACHE_PROGRAM}")
  else()
    message(STATUS "mdh: compiling without ccache (optional; apt-get install ccache)")
  endif()
endif()

# ---- What all targets share -------------------------------------------------------------------

set(MDH_COMPILE_OPTIONS
    -Wall -Wextra
    # {.name = x} that leaves the other fields to their defaults is how we write calls.
    -Wno-missing-field-initializers)
set(MDH_LINK_OPTIONS "")

# Warnings about standard headers that are wrong in these versions of gcc, and right in later ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND MDH_COMPILE_OPTIONS
       -Wno-restrict              # "(" + string, gcc bug 105651
       -Wno-stringop-overflow     # the same copy with -O3: a length "between 2^63 and 2^64"
       -Wno-array-bounds)         # std::copy between vectors
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # Members of a std::variant or std::optional that the code in question does not hold.
  list(APPEND MDH_COMPILE_OPTIONS -Wno-maybe-uninitialized)
endif()
if(MDH_WERROR)
  list(APPEND MDH_COMPILE_OPTIONS -Werror)
endif()
if(MDH_SANITIZE)
  list(APPEND MDH_COMPILE_OPTIONS
       -fsanitize=${MDH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
       # What the address sanitizer finds anyway, at a fifth of the time to compile.
       -fno-sanitize=null,alignment,object-size,vptr
       -D_GLIBCXX_ASSERTIONS)
  list(APPEND MDH_LINK_OPTIONS -fsanitize=${MDH_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc loses track of std::variant and std::optional in instrumented code.
    list(APPEND MDH_COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
  message(STATUS "mdh: sanitizers ${MDH_SANITIZE}")
endif()
if(MDH_FUZZ)
  list(APPEND MDH_COMPILE_OPTIONS -fsanitize=fuzzer-no-link)  # the library tells what it reaches
endif()
if(MDH_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND MDH_COMPILE_OPTIONS -fpch-preprocess)
elseif(MDH_PCH AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND MDH_COMPILE_OPTIONS "SHELL:-Xclang -fno-pch-timestamp")
endif()

# Tests are compiled more often than they run long.
set(MDH_TEST_OPTIONS -O0)

# With MDH_UNITY a target's sources are compiled in groups of this many: most of the time to compile
# one goes into the headers and the templates that its neighbours use as well.
set(MDH_UNITY_SIZE 16)

function(mdh_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${MDH_UNITY}
                        UNITY_BUILD_BATCH_SIZE ${MDH_UNITY_SIZE})
  target_compile_options(${target} PRIVATE ${MDH_COMPILE_OPTIONS})
  target_link_options(${target} PUBLIC ${MDH_LINK_OPTIONS})
  target_include_directories(${target} PUBLIC ${mdh_SOURCE_DIR})
endfunction()

# ---- Precompiled headers ----------------------------------------------------------------------

# Two headers for the whole project, each compiled once by a target that has nothing else to do:
# mdh_pch for what is optimised, mdh_test_pch for other tests. Sources include what they use and
# compile with -DMDH_PCH=OFF as well.
function(mdh_add_pch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${source})
  mdh_target_defaults(${target})
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

if(MDH_PCH)
  set(headers <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string>
              <variant> <vector> <fmt/format.h>)
  mdh_add_pch(mdh_pch HEADERS ${headers} LINK fmt::fmt)
  if(MDH_BUILD_TESTS)
    mdh_add_pch(mdh_test_pch HEADERS ${headers} <gtest/gtest.h> LINK fmt::fmt GTest::gtest)
    target_compile_options(mdh_test_pch PRIVATE ${MDH_TEST_OPTIONS})
  endif()
endif()

# ---- Libraries, programs and tests ------------------------------------------------------------

# mdh_library(name SOURCES a.cpp ... [LINK_PUBLIC lib ...] [LINK lib ...])
# A static library; an interface library as long as there is no source.
function(mdh_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK_PUBLIC;LINK")
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    target_compile_features(${name} INTERFACE cxx_std_20)
    target_include_directories(${name} INTERFACE ${mdh_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${arg_LINK_PUBLIC} ${arg_LINK})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  mdh_target_defaults(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK_PUBLIC} PRIVATE ${arg_LINK})
  if(MDH_PCH)
    target_precompile_headers(${name} REUSE_FROM mdh_pch)
  endif()
endfunction()

# mdh_executable(name SOURCES a.cpp ... [LINK lib ...] [FOR_TESTS])
# One that is only FOR_TESTS is compiled like them.
function(mdh_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_TESTS" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  mdh_target_defaults(${name})
  target_link_libraries(${name} PRIVATE fmt::fmt ${arg_LINK})
  set(pch mdh_pch)
  if(arg_FOR_TESTS)
    target_compile_options(${name} PRIVATE ${MDH_TEST_OPTIONS})
    mdh_link_library_first(${name} ${arg_LINK})
    set(pch mdh_test_pch)
  endif()
  if(MDH_PCH)
    target_precompile_headers(${name} REUSE_FROM ${pch})
  endif()
endfunction()

# Tests are not optimised, the library is, and both contain code that headers define: methods in
# classes, instances of templates. Of several copies the linker keeps the first one it meets. If the
# library came behind the tests, as libraries do, its evaluators would call unoptimised copies, and
# tests would take twice as long. So a test links all of the library before its own sources.
function(mdh_link_library_first target)
  if(MDH_SANITIZE OR APPLE OR MSVC)
    return()  # nothing is optimised, or the linker has other options
  endif()
  mdh_optimised_libraries(libraries ${ARGN})
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  # Link options stand before sources, linked libraries behind them.
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${files} LINKER:--no-whole-archive)
endfunction()

# The static libraries of this project among `names` and all that they need.
function(mdh_optimised_libraries variable)
  set(open ${ARGN})
  set(found "")
  while(open)
    list(POP_FRONT open next)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" next "${next}")
    if(NOT next MATCHES "^mdh_" OR next IN_LIST found OR NOT TARGET ${next})
      continue()
    endif()
    get_target_property(type ${next} TYPE)
    get_target_property(options ${next} COMPILE_OPTIONS)
    if(type STREQUAL "STATIC_LIBRARY" AND NOT "${MDH_TEST_OPTIONS}" IN_LIST options)
      list(APPEND found ${next})
    endif()
    get_target_property(needed ${next} INTERFACE_LINK_LIBRARIES)
    if(needed)
      list(APPEND open ${needed})
    endif()
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# mdh_test(name LABEL unit SOURCES a_test.cpp ... [LINK lib ...] [DEFINE X=1 ...]
#          [ENVIRONMENT X=1 ...] [TOGETHER Suite.* ...] [OPTIMISED])
# The executable <name>_test, its cases known to ctest as <name>.Suite.case. They are listed when
# ctest starts (PRE_TEST): linking stays quick, and a crash while listing fails that test alone.
# With sanitizers the executable is four cases, <name>.0 to 3: the leak check at the end of a process
# takes seconds on aarch64, so it is not made for every test.
# TOGETHER are patterns of tests that share a process and are one case, <name>.<pattern>, because
# their first one is slow: it starts the compiler of a driver.
# OPTIMISED tests spend much time in their own code. They are compiled as the library is.
function(mdh_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "LABEL"
                        "SOURCES;LINK;DEFINE;ENVIRONMENT;TOGETHER")
  if(NOT MDH_BUILD_TESTS OR NOT arg_SOURCES)
    return()
  endif()
  set(target ${name}_test)
  set(private_cache ${mdh_SOURCE_DIR}/tests/environment/private_cache.cpp)
  set_source_files_properties(${private_cache} PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_DEFINITIONS MDH_TEST_CACHE="${mdh_BINARY_DIR}/test-cache")
  add_executable(${target} ${arg_SOURCES} ${private_cache})
  mdh_target_defaults(${target})
  set(pch mdh_pch)
  if(NOT arg_OPTIMISED)
    set(pch mdh_test_pch)
    target_compile_options(${target} PRIVATE ${MDH_TEST_OPTIONS})
  endif()
  target_compile_definitions(${target} PRIVATE MDH_SOURCE_DIR="${mdh_SOURCE_DIR}" ${arg_DEFINE})
  target_link_libraries(${target} PRIVATE fmt::fmt ${arg_LINK} GTest::gtest_main)
  mdh_link_library_first(${target} ${arg_LINK})
  if(MDH_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
  if(MDH_SANITIZE)
    # A few processes, so that all cores have work; one for each test would start up again and again.
    foreach(share RANGE 3)
      add_test(NAME ${name}.${share} COMMAND ${target})
      set_tests_properties(${name}.${share} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 1800
        ENVIRONMENT "${arg_ENVIRONMENT};GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${share}")
    endforeach()
  else()
    mdh_tests_together(${name} ${arg_LABEL} "${arg_ENVIRONMENT}" ${arg_TOGETHER})
    list(JOIN arg_TOGETHER ":" together)
    gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                         TEST_FILTER "*-${together}"
                         DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${arg_LABEL} TIMEOUT 600
                         ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
endfunction()

# One case per pattern. It is skipped if all of its tests are, or if there are none, and never if one
# fails: then the last lines name it behind those that were skipped.
function(mdh_tests_together name label environment)
  foreach(pattern IN LISTS ARGN)
    add_test(NAME ${name}.${pattern} COMMAND ${name}_test --gtest_filter=${pattern})
    set_tests_properties(${name}.${pattern} PROPERTIES LABELS ${label} TIMEOUT 600
      ENVIRONMENT "${environment}"
      SKIP_REGULAR_EXPRESSION
      "Running 0 tests from;PASSED  \\] 0 tests\\.\n(\\[  SKIPPED [^\n]*\n?)+\n*$")
  endforeach()
endfunction()

# Splits the *.cpp of the current folder and its direct sub-folders into sources and tests.
function(mdh_glob sources_variable tests_variable)
  file(GLOB all CONFIGURE_DEPENDS *.cpp */*.cpp)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER all EXCLUDE REGEX "_test\\.cpp$")
  set(${sources_variable} ${all} PARENT_SCOPE)
  set(${tests_variable} ${tests} PARENT_SCOPE)
endfunction()

# mdh_module(NAME name [DEPENDS module ...] [LINK_PUBLIC lib ...] [LINK lib ...]
#            [TOGETHER Suite.* ...])
# DEPENDS names other modules, without the prefix mdh_; what they export is exported further.
# LINK is for the module's own sources and tests, LINK_PUBLIC also for those that depend on it.
# TOGETHER is for its tests.
function(mdh_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "DEPENDS;LINK_PUBLIC;LINK;TOGETHER")
  if(NOT arg_NAME OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mdh_module(NAME name [DEPENDS module ...] [LINK_PUBLIC lib ...] "
                        "[LINK lib ...]): cannot read '${ARGV}'")
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND mdh_)
  mdh_glob(sources tests)
  mdh_library(mdh_${arg_NAME} SOURCES ${sources} LINK_PUBLIC ${arg_DEPENDS} ${arg_LINK_PUBLIC}
              LINK ${arg_LINK})
  add_library(mdh::${arg_NAME} ALIAS mdh_${arg_NAME})
  mdh_test(${arg_NAME} LABEL unit SOURCES ${tests} LINK mdh_${arg_NAME} ${arg_LINK}
           TOGETHER ${arg_TOGETHER})
endfunction()
