// Returns (t + more) 2^e / n as the sum of two doubles. The remainder is exact: the products of the halves of the quotient and
// of n are (T. J. Dekker 1971).
dvec2 rill_halves(double x)
{
    precise double c = x * 134217729.0lf, high = c - (c - x), low = x - high;
    return dvec2(high, low);
}
dvec2 rill_center(double t, double more, int e, double n)
{
    double mean = rill_ratio(t, more, n);
    dvec2 a = rill_halves(mean), b = rill_halves(n);
    precise double product = mean * n;
    precise double error = ((a.x * b.x - product) + a.x * b.y + a.y * b.x) + a.y * b.y;
    precise double rest = (((t - product) - error) + more) / n;
    return dvec2(rill_times_power(mean, e), rill_times_power(rest, e));
}
