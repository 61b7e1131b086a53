$section(passes)
// `speed`: wave speed relative to c. `free`: 0 in walls, else 1. `kick`: seconds since the time of the velocity.
kernel void move(float kick, float dt, float damping, float c, vec3 per, vec3 leaves, neighbor float z<>, float speed<>,
                 float free<>, inout float v<>, out float r<>) {
    float here = z[0], local = c * speed, rest = 0.0;
    $for(n, neighbors){rest += per.$n.axis * (z[$n.offset] - here);}
    v = free * (v + kick * local * local * rest) / (1.0 + kick * damping);
    $if(leaves){
    // At absorbing sides the wave leaves at its own speed: dz/dt = c dz/dn, the first condition of Engquist and Majda
    // (1977), with dn towards the cell inside. In corners both sides contribute.
    ivec4 at = indexof(r), last = sizeof_stream(r) - 1;
    float inward = 0.0, sides = 0.0;
    $for(a, axes){
    if (leaves.$a.axis > 0.0 && last.$a.axis > 0 && (at.$a.axis == 0 || at.$a.axis == last.$a.axis)) {
        inward += sqrt(per.$a.axis) * ((at.$a.axis == 0 ? z[$a.step] : z[$a.back]) - here);
        sides += 1.0;
    }
    }
    v = sides > 0.0 ? free * local * inward / sides : v;
    }
    r = here + dt * v;
}

kernel void ahead(float kick, float damping, float c, vec3 per, neighbor float z<>, float speed<>, float free<>, float v<>,
                  out float r<>) {
    float here = z[0], local = c * speed, rest = 0.0;
    $for(n, neighbors){rest += per.$n.axis * (z[$n.offset] - here);}
    r = free * (v + kick * local * local * rest) / (1.0 + kick * damping);
}

// The kinetic energy of a cell, and its part of -z laplace z, whose sum is the energy of slopes.
kernel void energy(float c, vec3 per, neighbor float z<>, float speed<>, float v<>, out float r<>) {
    float here = z[0], slowness = v / (c * speed), rest = 0.0;
    $for(n, neighbors){rest += per.$n.axis * (z[$n.offset] - here);}
    r = 0.5 * (slowness * slowness - here * rest);
}

$section(picture)
kernel void water(float scale, neighbor float z<>, out vec3 color<>) {
    vec3 n = normalize(vec3(scale * (z[ivec2(-1, 0)] - z[ivec2(1, 0)]), scale * (z[ivec2(0, -1)] - z[ivec2(0, 1)]), 1.0));
    float light = max(dot(n, vec3(-0.46, -0.54, 0.70)), 0.0), shine = pow(max(dot(n, vec3(-0.25, -0.29, 0.92)), 0.0), 60.0);
    vec3 deep = vec3(0.02, 0.10, 0.22), high = vec3(0.20, 0.55, 0.68);
    color = mix(deep, high, smoothstep(-1.0, 1.0, scale * z[0])) * (0.35 + 0.9 * light) + 0.5 * shine;
}
