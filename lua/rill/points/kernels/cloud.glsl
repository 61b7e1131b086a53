// $V: the type of points, vec3 or dvec3. $R: that of their distances.

// The covariances of the nearest points of each point, relative to the point, so that they are as accurate as the distances.
// `near` has -1 where there are fewer points.
kernel void normals($V p[], int near[][], $V toward, int turned, out vec3 normal<>, out vec3 variances<>) {
    int i = indexof(normal).x, k = sizeof_stream(near).x, count = 0;
    $V center = p[i];
    vec3 sum = vec3(0.0);
    float reach = 0.0;
    for (int j = 0; j < k; j++) {
        int n = near[i][j];
        vec3 d = n < 0 ? vec3(0.0) : vec3(p[n] - center);
        reach = max(reach, max(max(abs(d.x), abs(d.y)), abs(d.z)));
        count += n < 0 ? 0 : 1;
    }
    // Differences are scaled to about 1, so that their squares are in the range of floats.
    int e = int(floatBitsToUint(reach) >> 23) - 127;
    float down = uintBitsToFloat(uint(clamp(127 - e, 1, 253)) << 23), up = uintBitsToFloat(uint(clamp(127 + e, 1, 253)) << 23);
    for (int j = 0; j < k; j++) {
        int n = near[i][j];
        sum += n < 0 ? vec3(0.0) : vec3(p[n] - center) * down;
    }
    vec3 mean = sum / float(max(count, 1));
    mat3 a = mat3(0.0), v;
    for (int j = 0; j < k; j++) {
        int n = near[i][j];
        vec3 d = n < 0 ? vec3(0.0) : vec3(p[n] - center) * down - mean;
        a += outerProduct(d, d);
    }
    vec3 values;
    eigen_symmetric(a, values, v);
    vec3 u = v[0], seen = turned != 0 ? vec3(toward - center) : vec3(0.0);
    float s = turned != 0 ? dot(u, seen) : (u.z != 0.0 ? u.z : (u.y != 0.0 ? u.y : u.x));
    normal = s < 0.0 ? -u : u;
    variances = max(values, vec3(0.0)) / float(max(count, 1)) * up * up;
}

// The mean distance of each row. Infinite distances are those of missing points.
kernel void reaches($R distance[][], out float mean<>) {
    int i = indexof(mean).x, k = sizeof_stream(distance).x, count = 0;
    double sum = 0.0lf;
    for (int j = 0; j < k; j++) {
        $R d = distance[i][j];
        if (!isinf(d)) {
            sum += double(d);
            count++;
        }
    }
    mean = float(sum / double(max(count, 1)));
}
kernel void above(float mean<>, double limit, out bool outlier<>) { outlier = double(mean) > limit; }

ivec3 cell_of($V p, double size) { return ivec3(floor(dvec3(p) / size)); }
kernel void cells($V p<>, double size, out int x<>, out int y<>, out int z<>) {
    ivec3 c = cell_of(p, size);
    x = c.x;
    y = c.y;
    z = c.z;
}
// `count`: the numbers of cells, of which the first one is not needed.
kernel void keys($V p<>, double size, ivec3 low, uvec3 count, out uint key<>) {
    uvec3 c = uvec3(cell_of(p, size) - low);
    key = (c.x * count.y + c.y) * count.z + c.z;
}
// The corner of a cell that is nearest to the origin, so that positions relative to it are not less accurate than coordinates,
// however large cells are.
dvec3 corner_of(ivec3 cell, double size) { return dvec3(cell + ivec3(lessThan(cell, ivec3(0)))) * size; }
// Whether the point order[i] is the first of its cell, and where it is in the cell.
kernel void sorted($V p[], int order[], double size, out int first<>, out dvec3 offset<>) {
    int i = indexof(first).x;
    $V q = p[order[i]];
    ivec3 c = cell_of(q, size);
    first = i == 0 || any(notEqual(c, cell_of(p[order[max(i - 1, 0)]], size))) ? 1 : 0;
    offset = dvec3(q) - corner_of(c, size);
}
kernel void means(int first<>, int count<>, dvec3 sum<>, $V p[], int order[], double size, out $V mean<>) {
    mean = $V(corner_of(cell_of(p[order[first]], size), size) + sum / double(count));
}
kernel void moved($V p<>, dvec4 a, dvec4 b, dvec4 c, out $V q<>) {
    dvec4 x = dvec4(dvec3(p), 1.0lf);
    q = $V(dot(a, x), dot(b, x), dot(c, x));
}
