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
        for (int r = c; r < $k; r++) { w[c][r] = a[i][r][c]; }
    }
    eigen_symmetric(w, lambda, found);
    for (int c = 0; c < $k; c++) {
        values[i][c] = lambda[c];
        $if(vectors){for (int r = 0; r < $k; r++) { vectors[i][r][c] = found[c][r]; }}
    }
}
