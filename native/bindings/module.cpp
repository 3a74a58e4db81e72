// The extension module: a submodule for the engine of each benchmark.
#include "arrays.h"

namespace topple {

void bind_phyre(nb::module_& m);     // phyre.cpp
void bind_iphyre(nb::module_& m);    // iphyre.cpp
void bind_chipmunk(nb::module_& m);  // chipmunk.cpp

}  // namespace topple

NB_MODULE(_native, m) {
#if defined(NDEBUG)
  // An object that a daemon thread or another library holds at exit is no leak of ours.
  nb::set_leak_warnings(false);
#endif
  m.doc() = "The native engines of Topple.";
  nb::module_ phyre = m.def_submodule("phyre", "The PHYRE engine.");
  nb::module_ iphyre = m.def_submodule("iphyre", "The I-PHYRE engine.");
  topple::bind_phyre(phyre);
  topple::bind_chipmunk(phyre);
  topple::bind_iphyre(iphyre);
}
