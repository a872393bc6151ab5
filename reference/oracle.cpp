#include "reference/oracle.hpp"

#include "reference/row_kernel.hpp"

#include <limits>

namespace plusmax::reference {

const OracleBackend& oracle() {
  const OracleBackend* mpfr = mpfr_oracle();
  return mpfr != nullptr ? *mpfr : cpp_bin_float_oracle();
}

const char* oracle_backend() { return oracle().name; }

OracleLse logsumexp_oracle(std::span<const double> row, unsigned bits) {
  const RowScan scan = portable_row_kernel().scan_f64(row.data(), row.size());
  if (scan.has_nan) return {{std::numeric_limits<double>::quiet_NaN(), 0}, 0};
  if (classify(scan.max) != ValueClass::finite) return {{scan.max, 0}, 0};
  const OracleRow r = oracle().row(row, bits);
  return {r.lse, r.error};
}

}  // namespace plusmax::reference
