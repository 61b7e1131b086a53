// Writes the entries of rows in slices (spmv.h): an invocation processes four rows, whose indices
// are one texel of `order`, over the positions of the slice. Column -1: no entry. Defines: GROUP;
// VALUE_DOUBLE.
#include "shared/parameters.glsl"
#include "shared/spmv_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[SPMV_P_VECTORS];

layout(binding = 0) uniform usamplerBuffer begins_in;
layout(binding = 1) uniform usamplerBuffer columns_in;
layout(binding = 2) uniform usamplerBuffer values_in;
layout(binding = 3) uniform usamplerBuffer first_in;
layout(binding = 4) uniform usamplerBuffer order_in;
layout(std430, binding = 1) writeonly buffer Columns { ivec4 columns_out[]; };
layout(std430, binding = 2) writeonly buffer Values { uvec4 values_out[]; };

// Read once, since compilers may not move them out of loops.
int rows = int(PARAMETER(SPMV_P_ROWS)), begins_first = int(PARAMETER(SPMV_P_OFFSETS));
int columns_first = int(PARAMETER(SPMV_P_COLUMNS)), values_first = int(PARAMETER(SPMV_P_VALUES));

int word(usamplerBuffer s, int i) { return int(texelFetch(s, i).x); }
ivec4 words(usamplerBuffer s, ivec4 i) { return ivec4(word(s, i.x), word(s, i.y), word(s, i.z), word(s, i.w)); }

void main()
{
    int n = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    const int quads = SPMV_SLICE / 4;
    int slice = n / quads, first = int(PARAMETER(SPMV_P_FIRST)) + slice;
    if (slice * SPMV_SLICE < rows) {
        int from = word(first_in, first), places = word(first_in, first + 1) - from, q = from * quads + n % quads;
        ivec4 place = 4 * n + ivec4(0, 1, 2, 3), at = int(PARAMETER(SPMV_P_ORDER)) + min(place, rows - 1);
        ivec4 row = begins_first + words(order_in, at);
        ivec4 begin = words(begins_in, row), end = words(begins_in, row + 1);
        end = ivec4(place.x < rows ? end.x : 0, place.y < rows ? end.y : 0, place.z < rows ? end.z : 0,
                    place.w < rows ? end.w : 0);
        for (int k = 0; k < places; k++) {
            ivec4 i = begin + k;
            bvec4 none = greaterThanEqual(i, end);
            i = ivec4(none.x ? 0 : i.x, none.y ? 0 : i.y, none.z ? 0 : i.z, none.w ? 0 : i.w);
            ivec4 c = words(columns_in, columns_first + i);
            columns_out[q] = ivec4(none.x ? -1 : c.x, none.y ? -1 : c.y, none.z ? -1 : c.z, none.w ? -1 : c.w);
#ifdef VALUE_DOUBLE
            ivec4 low = words(values_in, values_first + 2 * i), high = words(values_in, values_first + 2 * i + 1);
            values_out[2 * q] = uvec4(low.x, high.x, low.y, high.y);
            values_out[2 * q + 1] = uvec4(low.z, high.z, low.w, high.w);
#else
            values_out[q] = uvec4(words(values_in, values_first + i));
#endif
            q += quads;
        }
    }
}
