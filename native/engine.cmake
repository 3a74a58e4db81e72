# The engine's headers and the flags its exactness rests on: every operation rounds on its own,
# also where the target has a fused multiply-add, as arm64 does and the x86-64 baseline does not.
if(MSVC AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "The engine needs GCC or Clang; on Windows, configure with -T ClangCL")
endif()
set(exact -ffp-contract=off -fno-fast-math -fno-math-errno)
set(warnings -Wall -Wextra -Wconversion -Wno-sign-conversion)
if(MSVC)
  list(TRANSFORM exact PREPEND /clang:)
  set(warnings /W3)
endif()

add_library(topple_engine INTERFACE)
target_compile_features(topple_engine INTERFACE cxx_std_17)
target_include_directories(topple_engine INTERFACE ${CMAKE_CURRENT_LIST_DIR}/include
                                                   ${CMAKE_CURRENT_LIST_DIR}/src)
target_compile_options(topple_engine INTERFACE ${exact} ${warnings})
