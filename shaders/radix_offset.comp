// Turns the histograms of a row's runs into the places where each run stores its first key of each digit.
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[4];
layout(std430, binding = 1) writeonly buffer Offsets { uvec4 offsets[]; };
layout(binding = 0) uniform usamplerBuffer counts;
layout(binding = 1) uniform usamplerBuffer totals;

void main()
{
    int number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 8u + gl_LocalInvocationID.x);
    int runs = int(rill_p[0].y), row = number >> 6;
    if (row >= int(rill_p[0].w)) {
        return;
    }
    uint before = (uint(row) + rill_p[3].x) * rill_p[0].x;
    for (int k = row << 6; k < number; k++) {
        uvec4 t = texelFetch(totals, k);
        before += t.x + t.y + t.z + t.w;
    }
    uvec4 own = texelFetch(totals, number), at = uvec4(before);
    at.y += own.x;
    at.z += own.x + own.y;
    at.w += own.x + own.y + own.z;
    for (int k = 0; k < runs; k++) {
        int place = ((row * runs + k) << 6) + (number & 63);
        offsets[place] = at;
        at += texelFetch(counts, place);
    }
}
