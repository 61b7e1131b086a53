// Kernels of recursive filters y[i] = v[i] - a[1] y[i - 1] - ... - a[n] y[i - n], in doubles. Signals are the rows of
// matrices, and are divided into blocks of `size` samples. The state of a block are the last n outputs before it.
$section(alone)
// The outputs of blocks whose state is 0.
kernel void alone(double v[][], double a[], int size, inout double y[][], out int done<>) {
    ivec2 p = indexof(done).xy;
    int n = sizeof_stream(v).x, first = p.x * size, last = min(first + size, n);
    $for(k, terms){double y$k.i = 0.0lf, a$k.i = a[$k.i];}
    for (int i = first; i < last; i++) {
        double r = v[p.y][i]$for(k, terms){ - a$k.i * y$k.i};
        $for(k, moves){y$k.i = y$k.before;}
        y1 = r;
        y[p.y][i] = r;
    }
    done = 0;
}

$section(ends)
// The last outputs of blocks, the newest first: {signals, blocks, n}.
kernel void ends(double y[][], int size, out double r<>) {
    ivec3 p = indexof(r).xyz;
    int i = (p.y + 1) * size - 1 - p.x;
    r = i < sizeof_stream(y).x ? y[p.z][i] : 0.0lf;
}

$section(carry)
$if(guarded){double part(double m, double s) { return s == 0.0lf ? 0.0lf : m * s; } // m may be infinite
}// The states before the blocks of groups of `size` blocks, each of which begins with the state start[signal][group]: the state
// after a block is m times the state before it, plus e. `next`: the state after the last block of each group.
kernel void carry(double e[][][], double m[], double start[][][], int size, inout double s[][][], inout double next[][][],
    out int done<>) {
    ivec2 p = indexof(done).xy;
    int count = sizeof_stream(e).y, first = p.x * size, last = min(first + size, count);
    $for(k, terms){double s$k.i = start[p.y][p.x][$k.c];}
    for (int i = first; i < last; i++) {
        $for(k, terms){s[p.y][i][$k.c] = s$k.i; double t$k.i = e[p.y][i][$k.c]$for(j, terms){ + $if(guarded){part(}m[$k.row + $j.c]$if(guarded){, }$else{ * }s$j.i$if(guarded){)}};
        }
        $for(k, terms){s$k.i = t$k.i;}
    }
    $for(k, terms){next[p.y][p.x][$k.c] = s$k.i;}
    done = 0;
}

$section(join)
// The outputs of blocks with their states: `h` has the outputs that follow from a state with one 1, {n, size}.
kernel void join(double y<>, double s[][][], double h[], int size, out $T r<>) {
    ivec2 p = indexof(r).xy;
    int block = p.x / size, i = p.x - block * size;
    double sum = y;
    $for(k, terms){sum += s[p.y][block][$k.c] * h[$k.c * size + i];}
    r = $T(sum);
}

$section(odd)
// The signal with `before` samples at both ends, which are reflected at the first and the last point.
kernel void odd($T x[][], int before, out double r<>) {
    ivec2 p = indexof(r).xy;
    int n = sizeof_stream(x).x, i = p.x - before, j = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
    double y = double(x[p.y][j]);
    r = i < 0 ? 2.0lf * double(x[p.y][0]) - y : i >= n ? 2.0lf * double(x[p.y][n - 1]) - y : y;
}
