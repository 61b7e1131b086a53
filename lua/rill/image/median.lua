-- Medians: windows of 3 x 3 and 5 x 5 by networks of minima and maxima (K. E. Batcher, Sorting networks and their applications, 1968), larger
-- ones by narrowing down the median's bits, two at a time. Both compare the bits of floats as whole numbers, which have the order of the floats.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local picture = require "rill.image.arguments"

local median = {}

local MOST_RADIUS <const> = 16383 -- whose windows have elements that an int can count
local MOST_BY_NETWORK <const> = 2

-- ---- order of floats

-- I: int, or a vector of it; F: float, or a vector of it. -0 comes before 0, and NaN, whatever its sign, behind all numbers.
local key_text <const> = [[
    I key(F v) {
        I k = floatBitsToInt(v);
        k ^= (k >> 31) & 0x7fffffff;
        return k ^ -I(lessThan(k, I(-2139095041)));
    }
    F value(I k) { return intBitsToFloat(k ^ ((k >> 31) & 0x7fffffff)); }
]]

local INTEGERS <const> = {float = "int", vec3 = "ivec3", vec4 = "ivec4"}

local function for_type(text, type)
    if type == "float" then
        text = text:gsub("lessThan(%b())", function(pair) return "bool" .. pair:gsub(",", " <") end)
    end
    return (text:gsub("%f[%w_]I%f[^%w_]", INTEGERS[type]):gsub("%f[%w_]F%f[^%w_]", type))
end

-- ---- networks

-- The exchanges that sort n elements, as pairs of places from 1: Batcher's merges of odd and even places.
local function exchanges(n)
    local list, p = {}, 1
    while p < n do
        local k = p
        while k >= 1 do
            for j = k % p, n - 1 - k, 2 * k do
                for i = 0, math.min(k, n - j - k) - 1 do
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p) then
                        list[#list + 1] = {i + j + 1, i + j + k + 1}
                    end
                end
            end
            k = k // 2
        end
        p = 2 * p
    end
    return list
end

-- The exchanges that the middle one depends on, as statements: of some only the smaller is needed, of some only the larger.
local function network_text(n)
    local needed, lines = {[n // 2 + 1] = true}, {}
    local list <const> = exchanges(n)
    for e = #list, 1, -1 do
        local a, b = table.unpack(list[e])
        local both = ("t = min(a%d, a%d); a%d = max(a%d, a%d); a%d = t;"):format(a, b, b, a, b, a)
        local one = needed[a] and ("a%d = min(a%d, a%d);"):format(a, a, b) or
            needed[b] and ("a%d = max(a%d, a%d);"):format(b, a, b)
        if one then
            table.insert(lines, 1, needed[a] and needed[b] and both or one)
            needed[a], needed[b] = true, true
        end
    end
    return table.concat(lines, "\n")
end

local function window_text(radius)
    local lines, side <const> = {}, 2 * radius + 1
    for k = 0, side * side - 1 do
        lines[#lines + 1] = ("I a%d = key(u[ivec2(%d, %d)]);"):format(k + 1, k % side - radius, k // side - radius)
    end
    return table.concat(lines, "\n")
end

local networks = {}
local function network(type, radius)
    local name <const> = type .. radius
    if networks[name] then
        return networks[name]
    end
    local n <const> = (2 * radius + 1) * (2 * radius + 1)
    local text <const> = key_text .. "kernel void median(neighbor F u<>, out F r<>) {\n" .. window_text(radius) ..
        "\nI t;\n" .. network_text(n) .. ("\nr = value(a%d); }"):format(n // 2 + 1)
    networks[name] = rill.kernel(for_type(text, type))
    return networks[name]
end

-- ---- selection

-- Four pixels of a row together. `low`: the largest number known not to be above the median's key. A pass counts the window's keys below three
-- numbers that cut what is left into four.
local select_text <const> = [=[
    void count(uint keys[][], ivec2 at, int radius, int first, int last, uvec4 low, int shift, inout ivec4 n1,
            inout ivec4 n2, inout ivec4 n3) {
        uvec4 p1 = low + (1u << uint(shift)), p2 = p1 + (1u << uint(shift)), p3 = p2 + (1u << uint(shift));
        for (int j = at.y + first; j <= at.y + last; j++) {
            uvec4 w = uvec4(0u, keys[j][at.x - radius], keys[j][at.x - radius + 1], keys[j][at.x - radius + 2]);
            for (int i = at.x - radius + 3; i <= at.x + radius + 3; i++) {
                w = uvec4(w.yzw, keys[j][i]);
                n1 += ivec4(lessThan(w, p1));
                n2 += ivec4(lessThan(w, p2));
                n3 += ivec4(lessThan(w, p3));
            }
        }
    }
    uvec4 chosen(ivec4 n1, ivec4 n2, ivec4 n3, int rank, int shift) {
        ivec4 r = ivec4(rank);
        return (uvec4(lessThanEqual(n1, r)) + uvec4(lessThanEqual(n2, r)) + uvec4(lessThanEqual(n3, r))) << uint(shift);
    }
    kernel void narrow(uint keys[][], int radius, int rank, int shift, inout uvec4 low<>) {
        ivec4 n1 = ivec4(0), n2 = ivec4(0), n3 = ivec4(0);
        count(keys, ivec2(4, 1) * indexof(low).xy, radius, -radius, radius, low, shift, n1, n2, n3);
        low += chosen(n1, n2, n3, rank, shift);
    }

    // The same in parts, for windows of more elements than loops may have trips.
    kernel void part(uint keys[][], int radius, int first, int last, int shift, uvec4 low<>, inout ivec4 n1<>,
            inout ivec4 n2<>, inout ivec4 n3<>) {
        ivec4 m1 = n1, m2 = n2, m3 = n3;
        count(keys, ivec2(4, 1) * indexof(low).xy, radius, first, last, low, shift, m1, m2, m3);
        n1 = m1; n2 = m2; n3 = m3;
    }
    kernel void choose(ivec4 n1<>, ivec4 n2<>, ivec4 n3<>, int rank, int shift, inout uvec4 low<>) {
        low += chosen(n1, n2, n3, rank, shift);
    }
]=]

local plane_texts <const> = {
    float = key_text .. [[
        kernel void split(float s<>, out uint x<>) { x = uint(key(s)) ^ 0x80000000u; }
        kernel void join(uvec4 x[][], out float r<>) {
            ivec2 at = indexof(r).xy;
            r = value(int(x[ivec2(at.x / 4, at.y)][at.x % 4] ^ 0x80000000u));
        }
    ]],
    vec3 = key_text .. [[
        kernel void split(vec3 s<>, out uint x<>, out uint y<>, out uint z<>) {
            uvec3 k = uvec3(key(s)) ^ 0x80000000u;
            x = k.x; y = k.y; z = k.z;
        }
        kernel void join(uvec4 x[][], uvec4 y[][], uvec4 z[][], out vec3 r<>) {
            ivec2 at = indexof(r).xy, from = ivec2(at.x / 4, at.y);
            uint i = uint(at.x % 4);
            r = value(ivec3(uvec3(x[from][i], y[from][i], z[from][i]) ^ 0x80000000u));
        }
    ]],
    vec4 = key_text .. [[
        kernel void split(vec4 s<>, out uint x<>, out uint y<>, out uint z<>, out uint w<>) {
            uvec4 k = uvec4(key(s)) ^ 0x80000000u;
            x = k.x; y = k.y; z = k.z; w = k.w;
        }
        kernel void join(uvec4 x[][], uvec4 y[][], uvec4 z[][], uvec4 w[][], out vec4 r<>) {
            ivec2 at = indexof(r).xy, from = ivec2(at.x / 4, at.y);
            uint i = uint(at.x % 4);
            r = value(ivec4(uvec4(x[from][i], y[from][i], z[from][i], w[from][i]) ^ 0x80000000u));
        }
    ]],
}

local programs = {}
local function program(text)
    programs[text] = programs[text] or rill.program(text)
    return programs[text]
end

local BITS <const>, AT_ONCE <const> = 32, 2
local MOST_TRIPS <const> = 60000 -- of an invocation's loops: some devices cut them short at 65,535

-- The bits of `low` at `shift`, in parts of so many rows of the window.
local function narrow_in_parts(keys, radius, rank, shift, low, rows)
    local p <const> = program(select_text)
    local counts = {}
    for i = 1, 3 do counts[i] = rill.stream("ivec4", low.shape) end
    for first = -radius, radius, rows do
        p.part(keys, radius, first, math.min(first + rows - 1, radius), shift, low, table.unpack(counts))
    end
    p.choose(counts[1], counts[2], counts[3], rank, shift, low)
    for _, s in ipairs(counts) do s:close() end
end

-- The keys of the medians of a plane of keys, four to an element.
local function selected(keys, radius)
    local side <const>, rank <const> = 2 * radius + 1, 2 * radius * (radius + 1)
    local low = rill.stream("uvec4", {keys.shape[1], (keys.shape[2] + 3) // 4})
    for shift = BITS - AT_ONCE, 0, -AT_ONCE do
        if side * (side + 1) <= MOST_TRIPS then
            program(select_text).narrow(keys, radius, rank, shift, low)
        else
            narrow_in_parts(keys, radius, rank, shift, low, MOST_TRIPS // (side + 1))
        end
    end
    return low
end

-- The key of a number.
local function key(value)
    local bits = ("=I4"):unpack(("=f"):pack(value))
    return bits < 0x80000000 and bits | 0x80000000 or ~bits & 0xffffffff
end

-- What is outside of keys as outside of `s`.
local function bordered(keys, s)
    local modes = core._boundary(s)
    for d, mode in ipairs(modes or {}) do
        modes[d] = mode == "zero" and key(0) or type(mode) == "number" and key(mode) or mode
    end
    return keys:boundary(table.unpack(modes or {"clamp"}))
end

local function by_selection(s, type, radius)
    local p <const> = program(for_type(plane_texts[type], type))
    local planes = table.pack(p.split(s))
    for i, keys in ipairs(planes) do
        local outside <close> = bordered(keys, s)
        planes[i] = selected(outside, radius)
        keys:close()
    end
    local arguments = {shape = s.shape}
    for i, plane in ipairs(planes) do arguments[("xyzw"):sub(i, i)] = plane end
    local r = p.join(arguments)
    for _, plane in ipairs(planes) do plane:close() end
    return r
end

--- rill.image.median(s, radius): a new picture of the medians of the squares of 2 radius + 1 pixels around each, component by component: the bits of
-- one of the square's. -0 counts as less than 0, NaN as more than all numbers. Outside is what s says (s:boundary), its border unless told.
median.median = errors.guard(function(s, radius)
    local where <const> = "rill.image.median"
    local type
    s, type = picture.take(where, s)
    radius = picture.number(where, 2, "radius", radius, 0, MOST_RADIUS)
    if radius == 0 or s.size == 0 then
        return s:cast(type)
    end
    return radius <= MOST_BY_NETWORK and network(type, radius)(s) or by_selection(s, type, radius)
end, "rill.image.median")

return median
