$if(kernel == spiky){
float weight(float q) { float a = max(1.0 - q, 0.0); return a * a * a; }
float slope(float q) { float a = max(1.0 - q, 0.0); return -3.0 * a * a / max(q, 1e-6); }
}
$if(kernel == poly6){
float weight(float q) { float a = max(1.0 - q * q, 0.0); return a * a * a; }
float slope(float q) { float a = max(1.0 - q * q, 0.0); return -6.0 * a * a; }
}
$if(kernel == cubic){
float weight(float q) {
    float a = max(2.0 - 2.0 * q, 0.0), b = max(1.0 - 2.0 * q, 0.0);
    return 0.25 * (a * a * a - 4.0 * b * b * b);
}
float slope(float q) {
    float a = max(2.0 - 2.0 * q, 0.0), b = max(1.0 - 2.0 * q, 0.0);
    return -1.5 * (a * a - 4.0 * b * b) / max(q, 1e-6);
}
}

// The weight of velocity differences for viscosity: the Laplacian of W is norm / h^(D + 2) bend(q). "linear" is
// proportional to h - d, positive everywhere, and its norm makes the Laplacian of a quadratic field exact. "printed"
// is the Laplacian of the printed spiky kernel, which is negative for q < 1/2 (1/3 in two dimensions): it increases
// the velocity difference of close pairs, which creates energy.
float bend(float q) {
    $if(laplacian == linear){return max(1.0 - q, 0.0);}
    $if(laplacian == printed){
        $if(rank == 2){return 3.0 * max(1.0 - q, 0.0) * (3.0 * q - 1.0) / max(q, 1e-6);}
        $else{return 6.0 * max(1.0 - q, 0.0) * (2.0 * q - 1.0) / max(q, 1e-6);}
    }
}
