// Functions made of +, -, *, / and sqrt only: IEEE 754 rounds these alike on every machine, a maths library does not.
#pragma once

namespace plusmax::properties {

double portable_log(double x);        // 0 < x < inf; relative error below 2^-50, 0 at 1
double portable_cos_turns(double t);  // cos(2 pi t), 0 <= t < 1; absolute error below 2^-50

}  // namespace plusmax::properties
