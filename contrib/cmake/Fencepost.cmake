# include(Fencepost.cmake), then fencepost_add_project(NAME fencepost.toml): a test of ctest that checks the project. With
# set(CMAKE_EXPORT_COMPILE_COMMANDS ON) targets may say compile-commands = "build/compile_commands.json".
find_program(FENCEPOST_EXECUTABLE fencepost REQUIRED)

function(fencepost_add_project name file)
  get_filename_component(path "${file}" ABSOLUTE)
  add_test(NAME "${name}" COMMAND "${FENCEPOST_EXECUTABLE}" run "${path}" ${ARGN})
endfunction()
