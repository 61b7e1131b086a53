$section(passes)
// The heat flow into a cell, with the mean of its diffusivity and its neighbor's. `k`: diffusivity relative to D;
// `q`: source. A boundary mode has one temperature for all sides; `more` is the difference of the temperature at each
// side.
#define SIDES $if(differ){ivec4 at = indexof(k), last = sizeof_stream(k) - 1; $for(n, neighbors){rest += at.$n.axis == $n.edge ? per.$n.axis * k[0] * more.$n.axis : 0.0;}}

float inflow(float here, float there, float a, float b) { return 0.5 * (a + b) * (there - here); }

kernel void first(float share, float d, vec3 per, vec3 more, neighbor float u<>, neighbor float k<>, float q<>, out float flow<>, out float y<>) {
    float here = u[0], rest = 0.0;
    $for(n, neighbors){rest += per.$n.axis * inflow(here, u[$n.offset], k[0], k[$n.offset]);}
    SIDES
    flow = d * rest + q;
    y = here + share * flow;
}

// Stage j, from the two previous stages, the initial state and the initial flow.
kernel void stage(float mu, float nu, float share, float share0, float d, vec3 per, vec3 more, neighbor float y<>, neighbor float k<>, float q<>,
                  float before<>, float u<>, float flow<>, out float r<>) {
    float here = y[0], rest = 0.0;
    $for(n, neighbors){rest += per.$n.axis * inflow(here, y[$n.offset], k[0], k[$n.offset]);}
    SIDES
    r = mu * here + nu * before + (1.0 - mu - nu) * u + share * (d * rest + q) + share0 * flow;
}

$section(picture)
kernel void glow(float low, float high, float u<>, out vec3 color<>) {
    float t = u > low ? min((u - low) / (high - low), 1.0) : 0.0;
    color = mix(vec3(0.03, 0.02, 0.08), vec3(0.45, 0.08, 0.35), smoothstep(0.0, 0.35, t));
    color = mix(color, vec3(0.96, 0.45, 0.15), smoothstep(0.3, 0.7, t));
    color = mix(color, vec3(1.0, 0.97, 0.80), smoothstep(0.65, 1.0, t));
}
