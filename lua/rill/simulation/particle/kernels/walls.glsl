$section(inputs)
int wall_count, vec4 wall[],
$for(n, wall_fields){float distance_$n$brackets, $V low_$n, $V high_$n, $V scale_$n, float restitution_$n, float friction_$n,}

$section(reflect)
if (away < 0.0) {
    float into = min(dot(speed, normal), 0.0);
    $V along = speed - dot(speed, normal) * normal;
    here -= (1.0 + kind.y) * away * normal;
    speed = into < 0.0 ? (1.0 - kind.z) * along - kind.y * into * normal : speed;
}

$section(collide)
$if(wall_list){
// Planes and boxes are rows of three: type (0: plane, 1: obstacle box), restitution, friction, distance of a plane;
// normal or center; half the sides. A particle in a box leaves it by the nearest side, by the first one if several
// are equally near. All rows are processed twice, because a corner has more than one.
for (int n = 0; n < 2 * wall_count; n++) {
    int at = 3 * (n < wall_count ? n : n - wall_count);
    vec4 kind = wall[at];
    $V normal = $V(wall[at + 1].$fields), side = $V(wall[at + 2].$fields);
    float away = dot(normal, here) - kind.w;
    if (kind.x > 0.5) {
        $V apart = here - normal, depth = abs(apart) - side;
        away = $if(rank == 2){max(depth.x, depth.y)}$else{max(max(depth.x, depth.y), depth.z)};
        normal = $V(depth.x == away, $if(rank == 2){depth.x != away}$else{depth.x != away && depth.y == away, max(depth.x, depth.y) != away});
        normal *= mix($V(1.0), $V(-1.0), lessThan(apart, $V(0.0)));
    }
    $call(wall_reflect)
}
}
$for(n, wall_fields){
// `at` is the position in nodes. The gradient is taken over one node, or the part of it inside the field. Its length
// is 1 for a distance. If it is below 1e-6, the direction is undefined and there is no wall.
{
    vec4 kind = vec4(0.0, restitution_$n, friction_$n, 0.0);
    bool inside = all(greaterThanEqual(here, low_$n)) && all(lessThanEqual(here, high_$n));
    $V last = $V(sizeof_stream(distance_$n).$fields) - 1.0, at = clamp((here - low_$n) * scale_$n, $V(0.0), last);
    $V from = max(at - 0.5, $V(0.0)), to = min(at + 0.5, last);
    float away = inside ? sample(distance_$n, at) : 1.0;
    $V normal = scale_$n / (to - from) * $V($if(rank == 2){sample(distance_$n, $V(to.x, at.y)) - sample(distance_$n, $V(from.x, at.y)),
        sample(distance_$n, $V(at.x, to.y)) - sample(distance_$n, $V(at.x, from.y))}$else{sample(distance_$n, $V(to.x, at.yz)) - sample(distance_$n, $V(from.x, at.yz)),
        sample(distance_$n, $V(at.x, to.y, at.z)) - sample(distance_$n, $V(at.x, from.y, at.z)),
        sample(distance_$n, $V(at.xy, to.z)) - sample(distance_$n, $V(at.xy, from.z))});
    float steep = length(normal);
    away = steep > 1e-6 ? away / max(steep, 1.0) : 1.0;
    normal /= max(steep, 1e-6);
    $call(wall_reflect)
}
}
