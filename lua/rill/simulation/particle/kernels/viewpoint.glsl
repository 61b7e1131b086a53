// Where a particle is on the picture: x, y in pixels, its depth in lengths, and pixels per length there. Two dimensions are seen along
// the third. Depths begin `lead` in front of the camera, at `eye` (camera.approach).
vec4 seen($V x, vec3 eye, float lead, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus) {
    $if(rank == 2){return vec4(middle + focus * (x - eye.xy) * vec2(1.0, -1.0), 1.0, focus);}$else{vec3 d = x - eye;
    vec2 aside = vec2(dot(d, right), -dot(d, above));
    // Pictures are at most 170 degrees wide: what is 89.9 degrees or more beside the axis is not seen.
    float depth = dot(d, ahead), far = lead + depth, scale = far > 1e-3 * (abs(aside.x) + abs(aside.y)) ? focus / far : 0.0;
    return vec4(middle + scale * aside, depth, scale);}
}

// The parameters of a kernel that calls `seen`; viewpoint.seen has the arguments.
#define CAMERA vec3 eye, float lead, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, ivec2 extent,
