// Integers in doubles as digits of 40 bits, for sums whose bits do not depend on the order of the elements.
#define RILL_CARRY 7427640235712281649394745344.0lf /* 1.5 2^92, which rounds integers to multiples of 2^40 */
#define RILL_DIGIT 1099511627776.0lf /* 2^40 */
#define RILL_SHIFT 9.094947017729282379150390625e-13lf /* 2^-40 */

double rill_power(int e) { return packDouble2x32(uvec2(0u, uint(clamp(e, -1022, 1023) + 1023) << 20)); }
int rill_biased(double v) { return int(unpackDouble2x32(v).y >> 20 & 0x7ffu); }
// Returns x if `kept`, else 0. A selection of doubles may be compiled incorrectly: see ratio.glsl.
double rill_keep(double x, bool kept)
{
    return packDouble2x32(unpackDouble2x32(x) & uint(kept) * 0xffffffffu);
}
// Moves what is above 40 bits to the carry, which counts in units of 2^40.
void rill_carry(inout double x, inout double carry, bool finite)
{
    precise double above = (x + RILL_CARRY) - RILL_CARRY;
    above = rill_keep(above, finite);
    x -= above;
    carry += above * RILL_SHIFT;
}

// Moves the multiples of 2^40 of an integer to the next digit, so that the digit is from 0 to 2^40 - 1.
void rill_digit(inout double x, inout double next)
{
    precise double above = (x + RILL_CARRY) - RILL_CARRY;
    above -= rill_keep(RILL_DIGIT, above > x);
    x -= above;
    next += above * RILL_SHIFT;
}
double rill_two_sum(double a, double b, out double error)
{
    precise double s = a + b;
    precise double z = s - a;
    precise double d = (a - (s - z)) + (b - z);
    error = d;
    return s;
}
// Returns x 2^e.
double rill_times_power(double x, int e)
{
    precise double first = x * rill_power(e / 2);
    precise double r = first * rill_power(e - e / 2);
    return r;
}
// Returns the same bits for every NaN.
double rill_one_nan(double x)
{
    return x != x ? packDouble2x32(uvec2(0u, 0x7ff80000u)) : x;
}
