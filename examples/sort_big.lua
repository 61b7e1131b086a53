-- Sorting a file that is larger than the memory that the sort may use.
--
--     lua5.4 examples/sort_big.lua [size [directory]]        2000000 out
--
-- A file of random numbers is written tile by tile: each number follows from a seed and its index. b:sort sorts the file with 4 MiB of memory for its
-- tiles: it writes sorted runs, and merges them. The script checks that elements of the sorted file are ascending, and compares its quartiles with those
-- of the uniform distribution.
local rill = require "rill"

local size, directory = ...
size, directory = tonumber(size or 2000000), directory or "out"
assert(math.tointeger(size) and size > 0, "size: a whole number above 0")
size = math.tointeger(size)
os.execute("mkdir -p '" .. directory .. "'")

local function path(name)
    return directory .. "/" .. name .. ".npy"
end

-- Returns the big stream of a new file of n zeros, which the file system need not store.
local function zeros(name, n)
    local text = ("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }"):format(n)
    text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
    local file = assert(io.open(path(name), "wb"))
    file:write("\x93NUMPY\1\0", string.pack("<s2", text))
    file:seek("cur", n - 1)
    file:write "\0"
    file:close()
    return rill.big(path(name), {memory = 4 << 20})
end

local uniform = rill.kernel "kernel float uniform(uint zero<>) { return random(); }"
rill.seed(1)
local begin = rill.clock()
local numbers = zeros("zeros", size):map(uniform, path "numbers")
print(("wrote %d numbers in %.2f s: mean %.4f, standard deviation %.4f"):format(size, rill.clock() - begin,
    numbers:mean(), numbers:std()))

begin = rill.clock()
local sorted = numbers:sort(path "sorted")
print(("sorted them in %.2f s"):format(rill.clock() - begin))

assert(math.abs(sorted:sum() - numbers:sum()) < 1e-6 * size)
assert(sorted:min() == numbers:min() and sorted:max() == numbers:max())

-- Reads elements of the sorted file, whose numbers follow the header.
local file <close> = assert(io.open(sorted.path, "rb"))
local start = file:seek "end" - 4 * size
local function read(first, n)
    file:seek("set", start + 4 * first)
    return string.unpack("<" .. ("f"):rep(n), file:read(4 * n))
end

local step, before = math.max(1, size // 1000), -1
for first = 0, size - 1, step do
    local x = read(first, 1)
    assert(x >= before, "the file is not sorted")
    before = x
end

for _, q in ipairs {0.25, 0.5, 0.75} do
    local x = read(math.floor(q * (size - 1)), 1)
    print(("quantile %.2f: %.4f"):format(q, x))
    assert(math.abs(x - q) < 2 / math.sqrt(size) + 1e-3)
end
for _, name in ipairs {"zeros", "numbers", "sorted"} do os.remove(path(name)) end
