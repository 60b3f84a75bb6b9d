# What `make install` and `make package` put on a machine. The program finds its data from its own
# place (sim/api/data_folder.cpp), so that the folders below a prefix may be moved together.
install(TARGETS simtrain RUNTIME DESTINATION bin)
install(DIRECTORY hardware scenarios validation DESTINATION share/simtrain
  PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE NOTICE THIRD_PARTY DESTINATION share/doc/simtrain)
install(DIRECTORY docs DESTINATION share/doc/simtrain
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png)

# The library: headers, libsimtrain.so, and what find_package(simtrain) reads. It needs no package of
# ours at link time.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/simtrainConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/simtrainConfig.cmake.in simtrainConfig.cmake @ONLY)
install(TARGETS libsimtrain EXPORT simtrain LIBRARY DESTINATION lib
  PUBLIC_HEADER DESTINATION include/simtrain)
install(EXPORT simtrain NAMESPACE simtrain:: FILE simtrainTargets.cmake DESTINATION lib/cmake/simtrain)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simtrainConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/simtrainConfigVersion.cmake DESTINATION lib/cmake/simtrain)
install(DIRECTORY examples DESTINATION share/doc/simtrain)

# The engine: the floors that the program is made of, as headers and static libraries. They are as large
# as all else, so that `cmake --install BUILD --component engine` brings them and nothing else does.
set(engine COMPONENT engine EXCLUDE_FROM_ALL)
install(TARGETS simtrain_engine simtrain_hdf5 ${SIMTRAIN_FLOORS} EXPORT simtrain_engine
  ARCHIVE DESTINATION lib/simtrain ${engine})
install(EXPORT simtrain_engine NAMESPACE simtrain:: FILE simtrainEngineTargets.cmake
  DESTINATION lib/cmake/simtrain ${engine})
install(DIRECTORY sim DESTINATION include/simtrain-engine ${engine}
  FILES_MATCHING PATTERN "*.h" PATTERN app EXCLUDE PATTERN api EXCLUDE)

# The manual pages and the completion are what the program prints.
add_custom_command(OUTPUT completion
  COMMAND ${CMAKE_SOURCE_DIR}/cmake/manual $<TARGET_FILE:simtrain>
  DEPENDS simtrain cmake/manual VERBATIM)
add_custom_target(manual ALL DEPENDS completion)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man1 DESTINATION share/man)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion
  DESTINATION share/bash-completion/completions RENAME simtrain)
# ECharts is part of the pages that the program writes.
install(FILES web/echarts/LICENSE web/echarts/NOTICE DESTINATION share/doc/simtrain/echarts)

# What Debian wants to find in every package: whose it is and under which terms, and what is new. Its
# tool lintian looks at it (tests/cli/program/install_test.cpp).
set(CPACK_PACKAGE_CONTACT "The developers of simtrain <developers@simtrain.invalid>")
file(READ NOTICE NOTICE)
file(READ THIRD_PARTY THIRD_PARTY)
configure_file(cmake/copyright.in copyright @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS NOTICE THIRD_PARTY)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or SOURCE_DATE_EPOCH
configure_file(cmake/changelog.in changelog @ONLY)
execute_process(COMMAND gzip -9nkf changelog WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/copyright ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz
  DESTINATION share/doc/simtrain)
install(FILES cmake/lintian-overrides DESTINATION share/lintian/overrides RENAME simtrain)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME simtrain)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts the step time of LLM training on a GPU cluster")
set(CPACK_PACKAGE_DESCRIPTION "A discrete-event simulator of one training step of a large language model:\n\
step time, MFU, where the time goes, memory. It comes with GPUs, nodes,\n\
clusters and recipes, and needs no GPU.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# A trigger tells ldconfig of the library. CPack would call it by scripts, unless their names are here;
# there are no such files, so that the package has none.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/cmake/triggers ${CMAKE_SOURCE_DIR}/cmake/none/postinst
  ${CMAKE_SOURCE_DIR}/cmake/none/postrm)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
