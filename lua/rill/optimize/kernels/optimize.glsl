// Updates of a parameter p by its gradient g. $T is the type of their elements, $S the scalar type of $T. "streams"
// declares g and p, or those of a group of parameters, of which "load" reads and "store" writes element i.
$section(adam)
kernel void adam($S rate, $S root, $S epsilon, $S first, $S second, $S decay, $S keep, $streams,
                 inout $T m<>, inout $T v<>$if(amsgrad){, inout $T most<>}) {
    $load
    $T slope = g + decay * p;
    m = first * m + ($S(1) - first) * slope;
    v = second * v + ($S(1) - second) * slope * slope;
    $if(amsgrad){most = max(most, v);}
    p = keep * p - rate * m / (sqrt($if(amsgrad){most}$else{v}) * root + $T(epsilon));
    $store
}

$section(sgd)
kernel void sgd($S rate, $S decay, $if(momentum){$S momentum, $S share, }$streams$if(momentum){, inout $T m<>}) {
    $load
    $T slope = g + decay * p;
    $if(momentum){m = momentum * m + share * slope;
    slope = $if(nesterov){slope + momentum * m}$else{m};}
    p -= rate * slope;
    $store
}
