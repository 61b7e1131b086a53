-- A user-defined address mapping: a translator of a few lines, composed with a page table, stores a band matrix by diagonals, so that
-- it needs only the pages that the band fills.
--
--     lua5.4 examples/mapping.lua [size]        4096
local rill = require "rill"

local n = ...
n = assert(math.tointeger(tonumber(n or 4096)), "size: expected a whole number")
local HALF <const>, PAGE <const> = 3, 16 -- diagonals on either side; sides of a page
local T <const> = rill.translator

-- Maps row y, column x to row y, column x - y + HALF.
local diagonals = T.new {name = "diagonals", rank = 2, to = 2, shape = {n, n}, glsl = ([[
    ivec2 translate(ivec2 v) { int d = v.x - v.y + H; return ivec2(d < W ? d : -1, v.y); }
    ivec2 inverse(ivec2 p) { return ivec2(p.x < W ? p.x + p.y - H : -1, p.y); }
]]):gsub("[HW]", {H = HALF, W = 2 * HALF + 1}), cpu = function(x, y)
    local d = x - y + HALF
    return d <= 2 * HALF and d or -1, y
end, ranges = function(first, last)
    local rows = {}
    for y = first[2], last[2] do
        local from, to = math.max(first[1], y - HALF), math.min(last[1], y + HALF)
        if from <= to then rows[#rows + 1] = {first = {from, y}, last = {to, y}, at = {from - y + HALF, y}} end
    end
    return rows
end}

-- Returns a container over pages of 16 x 16, of which `map` maps the ones that the band needs, and their number.
local function band(shape, mapping, map)
    local pages = T.pages {shape = shape, page = {PAGE, PAGE}}
    local count = map(pages)
    local t = mapping and T.compose(pages, mapping) or pages
    return rill.virtual(t, rill.physical("float", count * PAGE * PAGE)), count
end

local plain, many = band({n, n}, nil, function(pages)
    for p = 0, n - 1, PAGE do
        for q = math.max(p - PAGE, 0), math.min(p + PAGE, n - 1), PAGE do pages:map({q, p}, nil, pages.mapped) end
    end
    return pages.mapped
end)
local packed, few = band({n, 2 * HALF + 1}, diagonals, function(pages)
    return pages:map({0, 0}, {2 * HALF, n - 1}, 0).mapped
end)

local fill = rill.kernel "kernel void fill(inout float a<>) { ivec2 p = indexof(a).xy; a = p.x == p.y ? 2.0 : -1.0; }"
local multiply = rill.kernel((([[kernel void multiply(float a[][], float x[], out float r<>) {
    int y = indexof(r).x;
    r = 0.0;
    for (int x0 = y - H; x0 <= y + H; x0++) { r += x0 >= 0 && x0 < sizeof_stream(x).x ? a[y][x0] * x[x0] : 0.0; }
}]]):gsub("H", HALF)))

local x = rill.iota(n) * 0.001 + 1.0
local results = {}
for i, c in ipairs {plain, packed} do
    fill(c) -- runs over the mapped pages
    results[i] = multiply {a = c, x = x, shape = n}
end
print(("as it is      %6d pages"):format(many))
print(("by diagonals  %6d pages, the same product: %s"):format(few,
    tostring((results[1] - results[2]):eval():norm() == 0 and results[1]:get(2) ~= 0)))
