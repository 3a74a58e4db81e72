# The engine's headers and the flags its exactness rests on: every operation rounds on
# its own, on the baseline target, which has no fused multiply-add.
add_library(topple_engine INTERFACE)
target_compile_features(topple_engine INTERFACE cxx_std_17)
target_include_directories(topple_engine INTERFACE ${CMAKE_CURRENT_LIST_DIR}/include
                                                   ${CMAKE_CURRENT_LIST_DIR}/src)
target_compile_options(
  topple_engine INTERFACE -ffp-contract=off -fno-fast-math -fno-math-errno -Wall -Wextra
                          -Wconversion -Wno-sign-conversion)
