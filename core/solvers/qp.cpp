#include "solvers/qp.hpp"

#include <stdexcept>

namespace headlong {

void solve_qp(const Maximizer&, std::span<const double>, double, ActiveSet&, QpWorkspace&, std::span<double>) {
  throw std::logic_error("not written yet");
}

}  // namespace headlong
