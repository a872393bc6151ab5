// Multiprecision types of the oracle: MPFR where the build found it, Boost's own cpp_bin_float otherwise.
// Fixed precisions only: Boost's variable precision keeps a global default that conversions can silently fall back to.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#ifdef PLUSMAX_HAVE_MPFR
#include <boost/multiprecision/mpfr.hpp>
#endif

#include <cstdint>

namespace plusmax::reference {

template <unsigned Bits>
using BinFloat = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<Bits, boost::multiprecision::digit_base_2, void, std::int32_t>,
    boost::multiprecision::et_off>;

#ifdef PLUSMAX_HAVE_MPFR
// MPFR is asked for decimal digits: enough of them for at least Bits.
template <unsigned Bits>
using MpfrFloat = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<static_cast<unsigned>(Bits * 0.30103) + 1>, boost::multiprecision::et_off>;

template <unsigned Bits>
using Real = MpfrFloat<Bits>;
#else
template <unsigned Bits>
using Real = BinFloat<Bits>;
#endif

}  // namespace plusmax::reference
