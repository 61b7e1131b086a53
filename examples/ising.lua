-- The Ising model in two dimensions: Metropolis updates in two colors, with random numbers in the kernel.
--
--     lua5.4 examples/ising.lua [size [sweeps [directory]]]        256 1000 out
--
-- Each site of a periodic lattice has a spin, 1 or -1. The sites are colored like a chessboard: the spins of one color have neighbors of the other
-- color only, so that a launch updates all of them in place (Preis et al. 2009). Lattices at several temperatures are the layers of one stream. The script
-- compares the mean magnetization with Onsager's solution for the infinite lattice (Yang 1952): m = (1 - sinh(2 / T)^-4)^(1/8) below the critical
-- temperature 2.269, and 0 above it. The spins are the same on every device: a spin flips if a random number is less than an entry of a table.
local rill = require "rill"

local passes = rill.program [=[
    // Updates the spins of one color. Site c of row y is in column 2 c + (y + color) % 2. flip[layer] has the probabilities of a flip if the spin times
    // the sum of its neighbors is -4, -2, 0, 2, 4.
    kernel void update(float flip[][], int color, neighbor(wrap) int other<>, inout int spin<>) {
        ivec4 at = indexof(spin);
        int side = (at.y + color) % 2 == 0 ? -1 : 1;
        int around = other[0] + other[ivec3(side, 0, 0)] + other[ivec3(0, -1, 0)] + other[ivec3(0, 1, 0)];
        if (random() < flip[at.z][2 + spin * around / 2]) spin = -spin;
    }

    kernel void paint(int black[][][], int white[][][], int layer, out vec3 color<>) {
        ivec2 at = indexof(color).xy;
        int spin = (at.x + at.y) % 2 == 0 ? black[layer][at.y][at.x / 2] : white[layer][at.y][at.x / 2];
        color = spin > 0 ? vec3(0.98, 0.93, 0.82) : vec3(0.10, 0.22, 0.42);
    }
]=]

local CRITICAL <const> = 2 / math.log(1 + math.sqrt(2))

--- Returns the magnetization of the infinite lattice at temperature t.
local function onsager(t)
    return t < CRITICAL and (1 - ((math.exp(2 / t) - math.exp(-2 / t)) / 2) ^ -4) ^ (1 / 8) or 0
end

local Lattice = {}
Lattice.__index = Lattice

--- Returns one lattice of size x size spins per temperature, all of them 1. `size` is even.
local function create(size, temperatures)
    local flip = {}
    for i, t in ipairs(temperatures) do
        flip[i] = {1, 1, 1, math.exp(-4 / t), math.exp(-8 / t)}
    end
    local shape = {#temperatures, size, size // 2}
    local black, white = rill.stream("int", shape, 1), rill.stream("int", shape, 1)
    return setmetatable({flip = rill.from(flip), size = size, black = black, white = white}, Lattice)
end

--- Updates each spin `sweeps` times.
function Lattice:run(sweeps)
    for _ = 1, sweeps do
        passes.update(self.flip, 0, self.white, self.black)
        passes.update(self.flip, 1, self.black, self.white)
    end
end

--- Returns a table with the mean spin of each lattice.
function Lattice:magnetization()
    return ((self.black:sum {2, 3} + self.white:sum {2, 3}) / self.size ^ 2):read()
end

function Lattice:picture(layer)
    return passes.paint {black = self.black, white = self.white, layer = layer - 1, shape = {self.size, self.size}}
end

if ... == "module" then
    return {create = create, onsager = onsager, critical = CRITICAL}
end

local size, sweeps, directory = ...
size = assert(math.tointeger(tonumber(size or 256)), "size: expected a whole number")
sweeps = assert(math.tointeger(tonumber(sweeps or 1000)), "sweeps: expected a whole number")
assert(size >= 4 and size % 2 == 0, "size: expected an even number, 4 at least")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- The first third of the sweeps is not counted. The statistical error is the deviation of the mean from the means of 10 blocks.
local BLOCKS <const>, EVERY <const> = 10, 4
local temperatures <const> = {1.8, 2.0, 2.2, CRITICAL, 2.5, 3.0}
rill.seed(1925)
local start, lattice = rill.clock(), create(size, temperatures)
local progress <close> = rill.progress(BLOCKS, "ising")
local samples = math.max(1, sweeps * 2 // 3 // (BLOCKS * EVERY))
local sum, squares = {}, {}
lattice:run(sweeps // 3)
for _ = 1, BLOCKS do
    local block = {}
    for _ = 1, samples do
        lattice:run(EVERY)
        for i, m in ipairs(lattice:magnetization()) do block[i] = (block[i] or 0) + m / samples end
    end
    for i, m in ipairs(block) do
        sum[i], squares[i] = (sum[i] or 0) + m, (squares[i] or 0) + m * m
    end
    progress:step()
end
progress:close()
local seconds = rill.clock() - start

print "  temperature    magnetization          Onsager"
local agree = true
for i, t in ipairs(temperatures) do
    local mean = sum[i] / BLOCKS
    local err = math.sqrt(math.max(0, squares[i] / BLOCKS - mean ^ 2) / (BLOCKS - 1))
    local near = math.abs(mean - onsager(t)) <= 4 * err
    agree = agree and (near or t == CRITICAL)
    print(("  %.3f          %8.5f +- %.5f   %.5f%s"):format(t, mean, err, onsager(t),
        t == CRITICAL and "   critical: not compared" or near and "" or "   differs"))
end
print(agree and "  all agree within 4 standard errors" or "  not all agree within 4 standard errors")
local black <const> = rill.stream("vec3", {size, 4}, 0)
rill.image.save(rill.concat({lattice:picture(3), black, lattice:picture(4), black, lattice:picture(5)}, 2),
    directory .. "/ising.png")
print(("  %d x %d spins at %d temperatures, %.0f million updates per second"):format(size, size, #temperatures,
    size ^ 2 * #temperatures * (sweeps // 3 + BLOCKS * samples * EVERY) / seconds * 1e-6))
print(("  %s/ising.png: the spins at the temperatures 2.2, 2.269 and 2.5"):format(directory))
