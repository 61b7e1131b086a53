-- rill.image.canny: edges one pixel wide (Canny, "A computational approach to edge detection", 1986). Which weak ones hang together with a strong
-- one is found by union of sets, in one launch over all pixels whatever their shape (Playne and Hawick, "A new algorithm for parallel
-- connected-component labelling on GPUs", 2018), so that nothing is read back.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local picture = require "rill.image.arguments"
local smooth = require "rill.image.smooth"
local weighted = require "rill.image.kernel_sum"
local fail <const> = errors.fail

local LIGHT <const> = [=[
    kernel void light(T p<>, out float r<>) { r = dot(p.rgb, vec3(0.2126, 0.7152, 0.0722)); }
]=]

-- Gradients by Sobel's weights; `size` is the square of their length, `way` which neighbours lie along them.
local GRADIENT <const> = [=[
    kernel void gradient(neighbor float s<>, out float size<>, out int way<>) {
        float a = s[-1][-1], b = s[-1][1], c = s[1][-1], d = s[1][1];
        float x = ((b - a) + 2.0 * (s[0][1] - s[0][-1]) + (d - c)) / 8.0;
        float y = ((c - a) + 2.0 * (s[1][0] - s[-1][0]) + (d - b)) / 8.0;
        size = x * x + y * y;
        way = abs(y) <= 0.41421356 * abs(x) ? 0 : abs(x) <= 0.41421356 * abs(y) ? 2 : (x > 0.0) == (y > 0.0) ? 1 : 3;
    }
]=]

-- 2 on strong ridges, 1 on weak ones, else 0. Of two pixels as high the first is the ridge.
local RIDGES <const> = [=[
    kernel void ridges(neighbor float size<>, int way<>, float low, float high, out int mark<>) {
        float here = size[0][0], before, after;
        if (way == 0) { before = size[0][-1]; after = size[0][1]; }
        else if (way == 1) { before = size[-1][-1]; after = size[1][1]; }
        else if (way == 2) { before = size[-1][0]; after = size[1][0]; }
        else { before = size[-1][1]; after = size[1][-1]; }
        bool ridge = here > before && here >= after && here > 0.0;
        mark = !ridge || !(here >= low) ? 0 : here >= high ? 2 : 1;
    }
]=]

-- Every set is a tree of pixels in `parent`, its root the first of them. A pixel joins its neighbours before it, of those that hang together anyway one.
local HYSTERESIS <const> = [=[
    #define ROOT(i) for (int up = parent[i]; up != i; up = parent[i]) i = up
    #define JOIN(i, k) for (int a = i, b = k;;) { \
        ROOT(a); ROOT(b); \
        if (a == b) break; \
        int more = max(a, b), less = min(a, b), was = atomicMin(parent[more], less); \
        if (was == more) break; \
        a = was; b = less; \
    }
    kernel void unite(int mark<>, int marks[][], inout int parent[]) {
        ivec4 at = indexof(mark), size = sizeof_stream(mark);
        int i = at.y * size.x + at.x;
        if (mark > 0) {
            bool inner = at.x > 0, above = at.y > 0;
            bool north = above && marks[at.y - 1][at.x] > 0;
            bool west = inner && marks[at.y][at.x - 1] > 0;
            bool corner = inner && above && marks[at.y - 1][at.x - 1] > 0;
            bool east = above && at.x + 1 < size.x && marks[at.y - 1][at.x + 1] > 0;
            int first = north ? i - size.x : west ? i - 1 : corner ? i - size.x - 1 : -1;
            int second = !north && east ? i - size.x + 1 : -1;
            if (first >= 0) JOIN(i, first)
            if (second >= 0) JOIN(i, second)
        }
    }
    kernel void roots(int mark<>, int parent[], out int root<>, inout int strong[]) {
        int i = indexof(mark).y * sizeof_stream(mark).x + indexof(mark).x;
        if (mark > 0) ROOT(i);
        root = i;
        if (mark == 2) strong[i] = 1;
    }
    kernel void kept(int mark<>, int root<>, int strong[], out bool r<>) { r = mark > 0 && strong[root] != 0; }
]=]

local hysteresis
local function keep_strong(marks)
    hysteresis = hysteresis or rill.program(HYSTERESIS)
    local parent <close> = rill.iota(marks.size)
    local strong <close> = rill.stream("int", marks.size)
    hysteresis.unite(marks, marks, parent)
    local root <close> = hysteresis.roots(marks, parent, nil, strong)
    return hysteresis.kept(marks, root, strong)
end

local function marks_of(light, o)
    local size, way = picture.kernel(GRADIENT)(light)
    local bounded <close> = size:boundary "zero"
    local marks = picture.kernel(RIDGES)(bounded, way, o.low ^ 2, o.high ^ 2)
    size:close()
    way:close()
    return marks
end

local OPTIONS <const> = {
    sigma = option.number(0.0, 1e5, 1.4), low = option.number(0.0, 1e15, 0.04), high = option.number(0.0, 1e15, 0.1),
}

--- rill.image.canny(s [, {low=, high=, sigma=}]): a stream of bool: where s, of colours its luminance, has an edge after it was smoothed by
-- rill.image.gaussian with sigma (1.4 unless told): ridges of the gradient's length, in values per pixel, of at least `high` (0.1), and those of at
-- least `low` (0.04) that hang together with them, by any of eight neighbours.
local function canny(s, options)
    local where <const> = "rill.image.canny"
    local type
    s, type = picture.take(where, s)
    local o = option.take(where, options, OPTIONS)
    if o.low > o.high then
        fail("%s: option 'low' is %g, above 'high', %g", where, o.low, o.high)
    end
    local bright = type == "float" and s or picture.with_border(picture.kernel(LIGHT, type)(s), s)
    local weights = smooth.weights(o.sigma)
    local smoothed <close> = picture.with_border(weighted.cross(bright, "float", weights, weights), s)
    local marks <close> = marks_of(smoothed, o)
    if bright ~= s then bright:close() end
    return keep_strong(marks)
end

return {canny = errors.guard(canny, "rill.image.canny")}
