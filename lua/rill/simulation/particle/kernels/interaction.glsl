$section(own)
// An invocation computes $share consecutive particles, which have mostly the same neighbors. If the last invocation
// has fewer, it computes the last particle several times and must store it once, because sliced sums add to the
// stored value.
int own[$share];
$V mine[$share];
for (int k = 0; k < $share; k++) {
    own[k] = min($share * group + k, count - 1);
    mine[k] = xs[own[k]].$fields;
}

$section(passes)
$use(smoothing)
$use(particle_cells)
// Adds the sum of this launch to the sum of earlier launches. So the rounding error depends on the longest launch,
// not of all.
#define GO_ON(sum, place, none) { $if(sliced){sum += skip == 0 ? none : place;} place = sum; }
kernel void density($I mask, $V scale, float per_h, float norm, float mass, float rest, float stiff, float old_share, float new_share,
                    int count, int skip, int most, int group<>, float before[], vec4 pace[], vec4 xs[], $if(rank == 3){$V vs[],} int first[],
                    inout float partial[], inout float to_rho[], inout vec2 state[] $if(rank == 3){, inout vec4 near[], inout vec4 moving[]}) {
    $call(particle_own)
    float sum[$share], flow = old_share * pace[0].y + new_share * pace[0].x;
    for (int k = 0; k < $share; k++) sum[k] = 0.0;
    $call(particle_each){
        $V other = xs[j].$fields;
        $if(densities == continuity){$if(rank == 2){$V velocity = xs[j].zw;}$else{$V velocity = vs[j];}}
        for (int k = 0; k < $share; k++) {
            $V d = mine[k] - other;
            float part = $if(densities == sum){weight(sqrt(dot(d, d)) * per_h)}
                $else{slope(sqrt(dot(d, d)) * per_h) * dot($if(rank == 2){xs[own[k]].zw}$else{vs[own[k]]} - velocity, d)};
            sum[k] += on[k] == 1 ? part : 0.0;
        }
    }
    for (int k = 0; k < $share; k++) {
        int i = own[k];
        if ($share * group + k > i) break;
        GO_ON(sum[k], partial[i], 0.0)
        float rho = $if(densities == sum){mass * norm * sum[k]}$else{before[i] + flow * mass * norm * sum[k]}, p;
        $if(state == tait){float r = rho / rest, r2 = r * r; p = stiff * (r2 * r2 * r2 * r - 1.0);}
        $if(state == gas){p = stiff * rho;}
        p = $if(tension){p}$else{max(p, 0.0)};
        float volume = 1.0 / max(rho, 1e-6 * rest);
        to_rho[i] = rho;
        state[i] = vec2(p, volume);
        $if(rank == 3){near[i] = vec4(mine[k], p);
        moving[i] = vec4(vs[i], volume);}
    }
}

// Data of neighbors are stored in whole texels, which are fastest to fetch: position and velocity, and the state
// separately; in three dimensions, position and pressure, velocity and volume per mass. Forces are symmetric: the
// force of j on i is minus the force of i on j. A particle does not act on itself, because both differences are zero.
// `a` is the sum; settle converts it to an acceleration.
kernel void force($I mask, $V scale, float per_h, float push, float drag, int count, int skip, int most, int group<>, vec4 xs[],
                  $if(rank == 2){vec2 states[]}$else{vec4 vs[]}, int first[], inout $V a[]) {
    $call(particle_own)
    $V sum[$share], v[$share];
    float p[$share];
    for (int k = 0; k < $share; k++) {
        v[k] = $if(rank == 2){xs[own[k]].zw}$else{vs[own[k]].xyz};
        p[k] = $if(rank == 2){states[own[k]].x}$else{xs[own[k]].w};
        sum[k] = $V(0.0);
    }
    $call(particle_each){
        vec4 other = xs[j];
        $if(rank == 2){vec2 acts = states[j];
        $V velocity = other.zw;}$else{vec4 moving = vs[j];
        vec2 acts = vec2(other.w, moving.w);
        $V velocity = moving.xyz;}
        for (int k = 0; k < $share; k++) {
            $V d = mine[k] - other.$fields;
            float q = sqrt(dot(d, d)) * per_h;
            $V part = (push * (p[k] + acts.x) * acts.y * slope(q)) * d + (drag * acts.y * bend(q)) * (velocity - v[k]);
            sum[k] += on[k] == 1 ? part : $V(0.0);
        }
    }
    for (int k = 0; k < $share; k++) {
        if ($share * group + k > own[k]) break;
        GO_ON(sum[k], a[own[k]], $V(0.0))
    }
}
