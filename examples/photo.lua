-- A darkroom: filters of chapter 28.3 and 28.4 of "GPGPU" on a photograph, side by side on one contact sheet.
--
--     lua examples/photo.lua [picture.png or .pgm [directory]]        a synthetic picture, out
--
-- A picture is a stream of vec3, {rows, columns}, 0 to 1; every filter works on the three channels alike and repeats the
-- border outside. A gray picture has three equal channels.
local rill = require "rill"

local passes = rill.program [=[
    float luminance(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
    kernel void brightness(vec3 p<>, out float r<>) { r = luminance(p); }

    // Counts by atomic additions, a bin per level of brightness.
    kernel void count(vec3 p<>, inout uint bins[]) {
        int last = sizeof_stream(bins).x - 1;
        atomicAdd(bins[clamp(int(round(luminance(p) * float(last))), 0, last)], 1u);
    }
    kernel void bars(uint bins[], float highest, out vec3 c<>) {
        ivec4 at = indexof(c), size = sizeof_stream(c);
        float level = (float(at.x) + 0.5) / float(size.x);
        float height = float(bins[int(level * float(sizeof_stream(bins).x))]) / highest;
        float above = float(size.y - at.y) / float(size.y) - 0.96 * sqrt(height);
        c = above < 0.0 ? mix(vec3(0.35, 0.15, 0.45), vec3(1.0, 0.75, 0.40), level) : vec3(0.06, 0.06, 0.09);
    }

    // The weights lie under the picture as they are, their middle on the pixel; a convolution turns them by half a turn.
    kernel void correlate(vec3 p[][], float weights[][], out vec3 r<>) {
        ivec2 size = sizeof_stream(weights).xy, corner = indexof(r).xy - size / 2;
        r = vec3(0.0);
        for (int j = 0; j < size.y; j++)
            for (int i = 0; i < size.x; i++)
                r += weights[j][i] * p[corner + ivec2(i, j)];
    }
    kernel void convolve(vec3 p[][], float weights[][], out vec3 r<>) {
        ivec2 size = sizeof_stream(weights).xy, corner = indexof(r).xy + size / 2;
        r = vec3(0.0);
        for (int j = 0; j < size.y; j++)
            for (int i = 0; i < size.x; i++)
                r += weights[j][i] * p[corner - ivec2(i, j)];
    }

    // The element of rank n/2: as many of its neighbours are below it as above, counting equals on either side.
    kernel void median(int radius, vec3 p[][], out vec3 r<>) {
        ivec2 here = indexof(r).xy;
        int side = 2 * radius + 1, n = side * side;
        r = vec3(0.0);
        for (int k = 0; k < n; k++) {
            vec3 one = p[here + ivec2(k % side, k / side) - radius], less = vec3(0.0), equal = vec3(0.0);
            for (int m = 0; m < n; m++) {
                vec3 other = p[here + ivec2(m % side, m / side) - radius];
                less += vec3(lessThan(other, one));
                equal += vec3(equal_to(other, one));
            }
            vec3 rank = vec3(n / 2);
            r = mix(r, one, lessThanEqual(less, rank) && greaterThan(less + equal, rank));
        }
    }
]=]
