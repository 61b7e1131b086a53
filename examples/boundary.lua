-- A user-defined boundary: a few lines of GLSL make a plane a Klein bottle. Gliders that leave on one side return mirrored on
-- the other side.
--
--     lua5.4 examples/boundary.lua [steps]        60
local rill = require "rill"

local steps = ...
steps = assert(math.tointeger(tonumber(steps or 60)), "steps: expected a whole number")
local N <const> = 24

-- Wraps y as on a torus, and x with y mirrored each time.
local bottle = rill.translator.new {name = "bottle", rank = 2, to = 2, glsl = ([[
    int around(int i) { return i - N * int(floor(float(i) / float(N))); }
    ivec2 translate(ivec2 p) {
        int times = int(floor(float(p.x) / float(N)));
        return ivec2(around(p.x), around(times % 2 == 0 ? p.y : N - 1 - p.y));
    }
]]):gsub("N", N), cpu = function(x, y) return x % N, (x // N % 2 == 0 and y or N - 1 - y) % N end}

local life = rill.kernel [[
    kernel void life(neighbor int c<>, out int r<>) {
        int n = c[ivec2(-1, -1)] + c[ivec2(0, -1)] + c[ivec2(1, -1)] + c[ivec2(-1, 0)] + c[ivec2(1, 0)]
            + c[ivec2(-1, 1)] + c[ivec2(0, 1)] + c[ivec2(1, 1)];
        r = n == 3 || (n == 2 && c == 1) ? 1 : 0;
    }
]]

local cells, spare = rill.array("int", {N, N}, {boundary = bottle}), nil
cells:write({{0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {3, 19})

-- Prints two rows of cells as one line of text.
local function show(c)
    local v, marks = c:values(), {[0] = " ", "'", ".", ":"}
    for y = 0, N - 1, 2 do
        local line = {}
        for x = 1, N do line[x] = marks[v[y * N + x] + 2 * v[(y + 1) * N + x]] end
        print("|" .. table.concat(line) .. "|")
    end
end

show(cells)
for _ = 1, steps do cells, spare = life(cells, spare), cells end
print(("after %d steps, %d cells alive:"):format(steps, cells:sum()))
show(cells)
