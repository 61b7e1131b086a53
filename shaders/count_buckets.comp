// Sums weights of many bins, whose numbers were partitioned into 256 buckets of WIDTH adjacent bins: a
// number's bucket is the remainder of number / WIDTH and 256. The ends of the buckets and the
// multiples of RUN divide the numbers into segments, at most one per lane, which are summed in double.
// Defines: GROUP; PART: 0 finds the start of each bucket, 1 adds the weights of a segment to a row
// of WIDTH sums, 2 adds up the rows of each bin, in order.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];

#define COUNT int(PARAMETER(COUNT_P_COUNT))
#define BINS PARAMETER(COUNT_P_BINS)
#define RUN int(PARAMETER(COUNT_P_RUN))
#define LANES int(PARAMETER(COUNT_P_LANES))
#define WIDTH int(PARAMETER(COUNT_P_WIDTH))
#define LAST_BUCKET 255
#define BUCKET(number) int((number) / uint(WIDTH) & 255u)

int lane = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);

#if PART == 0

layout(binding = 0) uniform usamplerBuffer numbers;
layout(std430, binding = 1) writeonly buffer Starts { int starts[]; };

void main()
{
    int low = 0, high = COUNT;
    while (low < high) {
        int middle = (low + high) >> 1;
        if (BUCKET(texelFetch(numbers, middle).x) < lane) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (lane <= LAST_BUCKET + 1) {
        starts[lane] = low;
    }
}

#elif PART == 1

layout(binding = 0) uniform usamplerBuffer numbers;
layout(binding = 1) uniform usamplerBuffer weights;
layout(binding = 2) uniform usamplerBuffer starts;
layout(std430, binding = 1) buffer Rows { double rows[]; };
#define START(bucket) int(texelFetch(starts, bucket).x)

// A number of another segment or outside of the bins adds to the element after the row's sums, which is not read.
void put(int row, bool inside, uint number, float weight)
{
    rows[row + (inside && number < BINS ? int(number) & (WIDTH - 1) : WIDTH)] += double(weight);
}

void main()
{
    // Segment `lane` is in run r and bucket b, where r + b = lane: the smallest b that ends after run r begins.
    int b = 0, last = min(lane, LAST_BUCKET);
    while (b < last) {
        int middle = (b + last) >> 1;
        if (START(middle + 1) > (lane - middle) * RUN) {
            last = middle;
        } else {
            b = middle + 1;
        }
    }
    int begin = max((lane - b) * RUN, START(b)), end = min((lane - b + 1) * RUN, START(b + 1));
    if (lane < LANES && begin < end) {
        int row = lane * (WIDTH + 1);
        for (int k = 0; k <= WIDTH; k++) {
            rows[row + k] = 0.0lf;
        }
        for (int at = begin & ~3; at < end; at += 4) {
            uvec4 number = texelFetch(numbers, at >> 2);
            vec4 weight = uintBitsToFloat(texelFetch(weights, at >> 2));
            put(row, at >= begin, number.x, weight.x);
            put(row, at + 1 >= begin && at + 1 < end, number.y, weight.y);
            put(row, at + 2 >= begin && at + 2 < end, number.z, weight.z);
            put(row, at + 3 >= begin && at + 3 < end, number.w, weight.w);
        }
    }
}

#else

layout(binding = 0) uniform usamplerBuffer starts;
layout(binding = 1) uniform usamplerBuffer rows;
layout(std430, binding = 1) writeonly buffer Sums { float sums[]; };

void main()
{
    if (lane >= int(BINS)) {
        return;
    }
    int bucket = lane / WIDTH, begin = int(texelFetch(starts, bucket).x), end = int(texelFetch(starts, bucket + 1).x);
    double sum = 0.0lf;
    for (int at = begin; at < end; at = (at / RUN + 1) * RUN) {
        int i = 2 * ((at / RUN + bucket) * (WIDTH + 1) + lane % WIDTH);
        sum += packDouble2x32(uvec2(texelFetch(rows, i).x, texelFetch(rows, i + 1).x));
    }
    sums[lane] = float(sum);
}

#endif
