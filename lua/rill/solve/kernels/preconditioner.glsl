$section(next)
kernel void next($T r<>, $T m<>, $T az<>, $T keep, $T by, inout $T d<>, inout $T z<>) {
    d = keep * d + by * m * (r - az);
    z += d;
}
