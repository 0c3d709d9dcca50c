# BUILD_DIR is installed below WORK_DIR, then CONSUMER_DIR is configured, built and tested against
# it: alone, and in a project that has found RapidCheck itself.
cmake_minimum_required(VERSION 3.24)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)

foreach(file shardproof.py pytest_shardproof.py)
  if(NOT EXISTS ${WORK_DIR}/prefix/share/shardproof/${file})
    message(FATAL_ERROR "share/shardproof/${file} was not installed")
  endif()
endforeach()
# The program has its templates wherever it is.
run(${CMAKE_COMMAND} -E chdir ${WORK_DIR} ${WORK_DIR}/prefix/bin/shardproof init python)
if(NOT EXISTS ${WORK_DIR}/my_reducer.py)
  message(FATAL_ERROR "shardproof init wrote no file")
endif()

# What only our .cpp files use is no user's dependency.
file(GLOB_RECURSE package_files ${WORK_DIR}/prefix/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no package file was installed")
endif()
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  if(text MATCHES "Eigen|Boost|nlohmann|CLI11|fmt::" OR text MATCHES "${BUILD_DIR}")
    message(FATAL_ERROR "${file} mentions ${CMAKE_MATCH_0}")
  endif()
endforeach()

foreach(rapidcheck_first OFF ON)
  set(build ${WORK_DIR}/rapidcheck_first_${rapidcheck_first})
  run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${build} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D
      CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D
      CMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER} -D RAPIDCHECK_FIRST=${rapidcheck_first})
  run(${CMAKE_COMMAND} --build ${build})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${build} --output-on-failure --no-tests=error)
endforeach()
