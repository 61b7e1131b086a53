// The position of a particle in the image (x, y in pixels), its depth, and pixels per length there. Two dimensions
// are viewed along the third. Depths begin `lead` in front of the camera, at `eye` (camera.approach).
vec4 seen($V x, vec3 eye, float lead, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus) {
    $if(rank == 2){return vec4(middle + focus * (x - eye.xy) * vec2(1.0, -1.0), 1.0, focus);}$else{vec3 d = x - eye;
    vec2 aside = vec2(dot(d, right), -dot(d, above));
    // Images are at most 170 degrees wide, so points 89.9 degrees or more from the axis are not visible.
    float depth = dot(d, ahead), far = lead + depth, scale = far > 1e-3 * (abs(aside.x) + abs(aside.y)) ? focus / far : 0.0;
    return vec4(middle + scale * aside, depth, scale);}
}

// The parameters of a kernel that calls `seen`. viewpoint.seen returns the arguments.
#define CAMERA vec3 eye, float lead, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, ivec2 extent,
