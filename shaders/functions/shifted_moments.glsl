// Sums of the differences from one of the elements, and of their squares, in doubles. Since that
// element is one of the summands, subtracting the contribution of the mean loses at most a factor
// of the number of elements. RILL_ABOVE(x, y) is x > y component by component.
u_Moments rill_first(T x, int t)
{
    W k = W(x);
    precise W zero = k - k; // or NaN
    return u_Moments(k, zero, zero, 1.0lf);
}

u_Moments rill_step(u_Moments a, T x, int t)
{
    precise W d = W(x) - a.element;
    return u_Moments(a.element, a.sum + d, a.squares + d * d, a.n + 1.0lf);
}

u_Moments rill_merge(u_Moments a, u_Moments b)
{
    precise W d = b.element - a.element;
    W sum = b.sum + d * b.n;
    W squares = b.squares + d * (b.sum + sum);
    return u_Moments(a.element, a.sum + sum, a.squares + squares, a.n + b.n);
}

W rill_mean(u_Moments a) { return a.element + a.sum / a.n; }
// Returns the sum of the squared differences from the mean, divided by unit^2.
W rill_squares(u_Moments a, out W unit)
{
    precise W q = a.squares - a.sum * (a.sum / a.n);
    precise W above = mix(q, W(0), RILL_ABOVE(W(0), q)); // precise, since a compiler would make it a maximum, which drops NaN
    unit = W(1);
    return above;
}
