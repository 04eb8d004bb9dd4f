# The program tests/threads/calls.cpp, compiled with the thread sanitizer where that is installed and
# runs here; elsewhere its tests say SKIP.

include(CheckCXXSourceRuns)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
set(CMAKE_REQUIRED_LIBRARIES -fsanitize=thread)
if(NOT MDH_SANITIZE)
  check_cxx_source_runs("int main() { return 0; }" MDH_HAS_THREAD_SANITIZER)
endif()
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LIBRARIES)

if(MDH_BUILD_TESTS AND MDH_HAS_THREAD_SANITIZER)
  # What loads and calls kernels, and what it needs.
  set(sources kernel/module support/cores support/diagnostic support/files support/hash support/json_text
              support/text runtime/alignment runtime/cache runtime/process runtime/host/build
              runtime/host/compiler runtime/host/float_mode runtime/host/isa runtime/host/isa_program
              runtime/host/library)
  list(TRANSFORM sources PREPEND ${mdh_SOURCE_DIR}/mdh/)
  list(TRANSFORM sources APPEND .cpp)
  add_executable(thread_calls threads/calls.cpp ${sources})
  mdh_target_defaults(thread_calls)
  target_compile_options(thread_calls PRIVATE -O1 -g1 -fsanitize=thread)
  target_link_options(thread_calls PRIVATE -fsanitize=thread)
  set(compiler gcc)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(compiler clang)  # two kinds of sanitizers do not live in one process
  endif()
  target_compile_definitions(thread_calls PRIVATE MDH_TSAN_CC="${compiler}"
                             MDH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(thread_calls PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
  add_test(NAME threads.calls_have_workspaces_of_their_own COMMAND thread_calls)
  # Where other programs use the cores, the threads of one try may never run at the same time.
  add_test(NAME threads.shared_workspace_is_noticed
           COMMAND sh -c "for n in 1 2 3 4 5 6 7 8 9 10; do '$<TARGET_FILE:thread_calls>' --shared; done")
  set_tests_properties(threads.calls_have_workspaces_of_their_own PROPERTIES
                       ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1")
  set_tests_properties(threads.shared_workspace_is_noticed PROPERTIES
                       PASS_REGULAR_EXPRESSION "ThreadSanitizer: data race")
else()
  foreach(name calls_have_workspaces_of_their_own shared_workspace_is_noticed)
    add_test(NAME threads.${name} COMMAND ${CMAKE_COMMAND} -E echo "SKIP: no thread sanitizer")
    set_tests_properties(threads.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP")
  endforeach()
endif()
set_tests_properties(threads.calls_have_workspaces_of_their_own threads.shared_workspace_is_noticed
                     PROPERTIES LABELS threads TIMEOUT 300)
