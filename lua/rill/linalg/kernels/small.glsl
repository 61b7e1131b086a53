$section(svd)
// Singular values of a matrix of $rows x $columns elements, at most 4 x 4, for each invocation. It is extended by zeros to a square matrix with at least as many
// rows as columns, whose further columns stay last and zero. wide: more columns than rows, so that the transpose is decomposed.
kernel void svd_small($T a[][][], inout $T s[][]$if(vectors){, inout $T u[][][], inout $T v[][][]}, iter int lane<>) {
    int i = indexof(lane).x;
    $M w = $M(0), left = $M(0), right = $M(0);
    $V values = $V(0);
    for (int c = 0; c < $k; c++) {
        for (int r = 0; r < $most; r++) { w[c][r] = $if(wide){a[i][c][r]}$else{a[i][r][c]}; }
    }
    svd(w, left, values, right);
    for (int c = 0; c < $k; c++) {
        s[i][c] = values[c];
        $if(vectors){for (int r = 0; r < $rows; r++) { u[i][r][c] = $if(wide){right}$else{left}[c][r]; }
        for (int r = 0; r < $columns; r++) { v[i][r][c] = $if(wide){left}$else{right}[c][r]; }}
    }
}

$section(eigen)
// Eigenvalues of a symmetric matrix of 2 x 2 to 4 x 4 elements for each invocation.
kernel void eigen_small($T a[][][], inout $T values[][]$if(vectors){, inout $T vectors[][][]}, iter int lane<>) {
    int i = indexof(lane).x;
    $M w = $M(0), found = $M(0);
    $V lambda = $V(0);
    for (int c = 0; c < $k; c++) {
        for (int r = 0; r < $k; r++) { w[c][r] = a[i][max(r, c)][min(r, c)]; }
    }
    eigen_symmetric(w, lambda, found);
    for (int c = 0; c < $k; c++) {
        values[i][c] = lambda[c];
        $if(vectors){for (int r = 0; r < $k; r++) { vectors[i][r][c] = found[c][r]; }}
    }
}

$section(eliminate)
// Gauss-Jordan elimination with partial pivoting of a matrix of 1 x 1 to 4 x 4 elements for each invocation: the inverse, or the determinant, its sign and the
// logarithm of its absolute value, which are double and are computed in double. $W is the type of the elimination. pivot: 0, or the first pivot that is 0.
$if(inverse){
kernel void invert_small($T a[][][], inout $T inverse[][][], out int pivot<>)
}$else{
kernel void determinant_small($T a[][][], out double value<>, out double sign<>, out double logarithm<>)
} {
    $if(inverse){int i = indexof(pivot).x, zero = 0;}$else{int i = indexof(value).x;}
    $W w[$size];
    $if(inverse){$W v[$size];}
    for (int r = 0; r < $k; r++) {
        for (int c = 0; c < $k; c++) {
            w[r * $k + c] = $W(a[i][r][c]);
            $if(inverse){v[r * $k + c] = r == c ? $W(1) : $W(0);}
        }
    }
    $if(inverse){}$else{double p = 1.0lf, l = 0.0lf;}
    for (int c = 0; c < $k; c++) {
        for (int r = c + 1; r < $k; r++) {
            bool swap = abs(w[r * $k + c]) > abs(w[c * $k + c]);
            for (int j = 0; j < $k; j++) {
                $W x = w[c * $k + j], y = w[r * $k + j];
                w[c * $k + j] = swap ? y : x;
                w[r * $k + j] = swap ? $if(inverse){x}$else{-x} : y;
                $if(inverse){x = v[c * $k + j];
                y = v[r * $k + j];
                v[c * $k + j] = swap ? y : x;
                v[r * $k + j] = swap ? x : y;}
            }
        }
        $W d = w[c * $k + c];
        $if(inverse){zero = d == $W(0) && zero == 0 ? c + 1 : zero;
        for (int j = 0; j < $k; j++) {
            w[c * $k + j] /= d;
            v[c * $k + j] /= d;
        }}$else{p *= d;
        l += log(abs(d));}
        for (int r = $if(inverse){0}$else{c + 1}; r < $k; r++) {
            $W f = r == c ? $W(0) : w[r * $k + c]$if(inverse){}$else{ / (d == $W(0) ? $W(1) : d)};
            for (int j = 0; j < $k; j++) {
                w[r * $k + j] -= f * w[c * $k + j];
                $if(inverse){v[r * $k + j] -= f * v[c * $k + j];}
            }
        }
    }
    $if(inverse){for (int r = 0; r < $k; r++) {
        for (int c = 0; c < $k; c++) { inverse[i][r][c] = v[r * $k + c]; }
    }
    pivot = zero;}$else{double s = 1.0lf;
    for (int c = 0; c < $k; c++) { s *= sign(w[c * $k + c]); }
    sign = s == 0.0lf ? 0.0lf : s;
    logarithm = l;
    value = p == 0.0lf || isinf(p) ? s * exp(l) : p;}
}
