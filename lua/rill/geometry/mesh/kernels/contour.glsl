// A voxel is inside if it is less than iso. Crossings of edges are computed in double precision, so that differences
// of floats neither overflow nor underflow.
int under(float s[][][], ivec3 p, float iso) { return s[p.z][p.y][p.x] < iso ? 1 : 0; }

// The crossed edges of the voxel (a bit for each axis), and their number.
kernel void crossings(float s[][][], float iso, out int bits<>, out int count<>) {
    ivec3 p = indexof(bits).xyz, last = sizeof_stream(s).xyz - 1;
    int own = under(s, p, iso);
    int x = own ^ under(s, ivec3(min(p.x + 1, last.x), p.yz), iso);
    int y = own ^ under(s, ivec3(p.x, min(p.y + 1, last.y), p.z), iso);
    int z = own ^ under(s, ivec3(p.xy, min(p.z + 1, last.z)), iso);
    bits = x | y << 1 | z << 2;
    count = x + y + z;
}
// The inside corners of the voxel's cube as bits; 0 if there is no cube.
kernel void masks(float s[][][], float iso, out int mask<>) {
    ivec3 p = indexof(mask).xyz;
    int m = 0;
    for (int c = 0; c < 8; c++) {
        ivec3 q = min(p + ivec3(c & 1, c >> 1 & 1, c >> 2), sizeof_stream(s).xyz - 1);
        m |= under(s, q, iso) << c;
    }
    mask = all(lessThan(p, sizeof_stream(s).xyz - 1)) ? m : 0;
}
ivec3 place(int i, ivec2 size) { return ivec3(i % size.x, i / size.x % size.y, i / size.x / size.y); }

kernel void vertices(float s[][][], float iso, ivec2 size, vec3 spacing, vec3 origin, int at<>, int bits[],
                     vout vec3 position<>) {
    int crossed = bits[at];
    ivec3 p = place(at, size);
    float own = s[p.z][p.y][p.x];
    for (int axis = 0; axis < 3; axis++) {
        if ((crossed >> axis & 1) == 1) {
            ivec3 q = p;
            q[axis] += 1;
            vec3 v = vec3(p);
            v[axis] += float((double(iso) - double(own)) / (double(s[q.z][q.y][q.x]) - double(own)));
            push(position, origin + spacing * v);
        }
    }
}
// The index of the vertex on an edge of the cube at p.
int vertex(int edge, int at, ivec2 size, int starts[], int bits[], int before[]) {
    int low = starts[edge];
    int q = at + (low & 1) + size.x * ((low >> 1 & 1) + size.y * (low >> 2));
    return before[q] + bitCount(bits[q] & (1 << edge / 4) - 1);
}
kernel void triangles(int at<>, int mask[], ivec2 size, int first[], int list[], int starts[], int bits[],
                      int before[], vout ivec3 t<>) {
    int m = mask[at];
    for (int i = first[m]; i < first[m + 1]; i++) {
        int e = list[i];
        push(t, ivec3(vertex(e & 15, at, size, starts, bits, before),
                      vertex(e >> 4 & 15, at, size, starts, bits, before),
                      vertex(e >> 8, at, size, starts, bits, before)));
    }
}
