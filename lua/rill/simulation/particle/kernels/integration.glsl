$section(move)
float dt = pace[0].x;
$V speed = v + kick * dt * a, here = x + share * dt * speed;
$call(wall_collide)
x = here;
v = speed;

$section(passes)
$use(particle_cells)
// `pace` is {this time step, the previous one, the longest stable one, the largest ratio of a step to the longest
// stable one}. The limits are Monaghan's (1992): sound and particles travel a fraction of the smoothing length s = h
// / 2, and forces and viscosity act over it.
kernel void beat(float wanted, float part, float s, float sound, float viscous, vec2 most[], inout vec4 pace<>, inout float left<>,
                 inout double time<>) {
    vec2 m = sqrt(most[0]);
    float limit = s / (sound + m.x);
    limit = min(part * (m.y > 0.0 ? min(limit, sqrt(s / m.y)) : limit), viscous);
    float dt = wanted > 0.0 ? wanted : limit;
    if (wanted < 0.0) {
        dt = left / max(ceil(left / limit), 1.0);
        left = dt < left ? left - dt : 0.0;
    }
    pace = vec4(dt, pace.x, limit, max(pace.w, dt / limit));
    time += double(dt);
}
reduce void greatest(vec2 m<>, reduce vec2 r<>) { r = max(r, m); }

kernel void drift($I mask, $V scale, float kick, float share, $call(wall_inputs) vec4 pace[], $V a<>, inout $V x<>, inout $V v<>, inout int count[],
                  out int cell<>) {
    $call(particle_move)
    cell = cell_of($I(grid_place(x, scale)), mask);
    atomicAdd(count[cell], 1);
}

// `a` is the sum of forces, and becomes the acceleration. `measure`: squares of speed and acceleration.
kernel void settle(float kick, float share, $V gravity, $call(wall_inputs) vec4 pace[], vec2 state<>, inout $V a<>, inout $V x<>, inout $V v<>,
                   out vec2 measure<>) {
    a = a * state.y + gravity;
    $call(particle_move)
    measure = vec2(dot(v, v), dot(a, a));
}

$section(glide)
kernel void glide(float kick, float share, $call(wall_inputs) vec4 pace[], $V a<>, inout $V x<>, inout $V v<>) {
    $call(particle_move)
}
