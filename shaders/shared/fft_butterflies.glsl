// Transforms of few elements in registers. Elements have type C, R is their real type. turn(v) is v
// times -i, or i for the inverse transform. cosN_k and sinN_k, the cosine and sine of k Nths of a
// turn, are defined by C, since literals of doubles are written differently.

void butterfly2(inout C a, inout C b)
{
    C t = a - b;
    a += b;
    b = t;
}

void butterfly3(inout C a, inout C b, inout C c)
{
    C sum = b + c, middle = a + sum * cos3_1, side = turn(b - c) * sin3_1;
    a += sum;
    b = middle + side;
    c = middle - side;
}

void butterfly4(inout C a, inout C b, inout C c, inout C d)
{
    C p = a + c, q = a - c, r = b + d, s = turn(b - d);
    a = p + r;
    b = q + s;
    c = p - r;
    d = q - s;
}

void butterfly5(inout C a, inout C b, inout C c, inout C d, inout C e)
{
    C p = b + e, q = c + d, r = b - e, s = c - d;
    C k = a + p * cos5_1 + q * cos5_2, x = turn(r * sin5_1 + s * sin5_2);
    C l = a + p * cos5_2 + q * cos5_1, y = turn(r * sin5_2 - s * sin5_1);
    a += p + q;
    b = k + x;
    c = l + y;
    d = l - y;
    e = k - x;
}

void butterfly7(inout C a, inout C b, inout C c, inout C d, inout C e, inout C f, inout C g)
{
    C p = b + g, q = c + f, r = d + e, s = b - g, t = c - f, u = d - e;
    C k = a + p * cos7_1 + q * cos7_2 + r * cos7_3, x = turn(s * sin7_1 + t * sin7_2 + u * sin7_3);
    C l = a + p * cos7_2 + q * cos7_3 + r * cos7_1, y = turn(s * sin7_2 - t * sin7_3 - u * sin7_1);
    C m = a + p * cos7_3 + q * cos7_1 + r * cos7_2, z = turn(s * sin7_3 - t * sin7_1 + u * sin7_2);
    a += p + q + r;
    b = k + x;
    c = l + y;
    d = m + z;
    e = m - z;
    f = l - y;
    g = k - x;
}

void butterfly8(inout C a, inout C b, inout C c, inout C d, inout C e, inout C f, inout C g, inout C h)
{
    butterfly4(a, c, e, g);
    butterfly4(b, d, f, h);
    C p = (d + turn(d)) * cos8_1, q = turn(f), r = (turn(h) - h) * cos8_1;
    C x1 = c + p, x5 = c - p, x2 = e + q, x6 = e - q, x3 = g + r, x7 = g - r, x4 = a - b;
    a += b;
    b = x1;
    c = x2;
    d = x3;
    e = x4;
    f = x5;
    g = x6;
    h = x7;
}

// Return v times the root of unity of order 16 to the first, second and third power.
C turn1(C v) { return v * cos16_1 + turn(v) * sin16_1; }
C turn2(C v) { return (v + turn(v)) * cos8_1; }
C turn3(C v) { return v * sin16_1 + turn(v) * cos16_1; }

void butterfly16(inout C v[16])
{
    butterfly4(v[0], v[4], v[8], v[12]);
    butterfly4(v[1], v[5], v[9], v[13]);
    butterfly4(v[2], v[6], v[10], v[14]);
    butterfly4(v[3], v[7], v[11], v[15]);
    C a = v[0], b = v[1], c = v[2], d = v[3];
    butterfly4(a, b, c, d);
    C e = v[4], f = turn1(v[5]), g = turn2(v[6]), h = turn3(v[7]);
    butterfly4(e, f, g, h);
    C i = v[8], j = turn2(v[9]), k = turn(v[10]), l = turn(turn2(v[11]));
    butterfly4(i, j, k, l);
    C m = v[12], n = turn3(v[13]), o = turn(turn2(v[14])), p = -turn1(v[15]);
    butterfly4(m, n, o, p);
    v = C[16](a, e, i, m, b, f, j, n, c, g, k, o, d, h, l, p);
}
