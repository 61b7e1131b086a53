// Projections in double precision, for triangles that extend far beyond the image. `wide_clip(p, ...)` returns pixels right of and below the center of the image
// times w, w, and the distance along the camera's axis.
dvec4 wide_clip(vec3 p, dvec3 eye, dvec3 right, dvec3 above, dvec3 ahead, double focus, int parallel) {
    dvec3 d = dvec3(p) - eye;
    double far = dot(d, ahead);
    return dvec4(focus * dot(d, right), -focus * dot(d, above), parallel != 0 ? 1.0lf : far, far);
}
