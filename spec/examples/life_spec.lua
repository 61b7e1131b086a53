local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local life = assert(loadfile "examples/life.lua")("module")

-- Returns the world after some generations.
local function run(cells, generations)
    for _ = 1, generations do cells = life.step(cells) end
    return cells
end

describe("the game of life example", function()
    leaks.watch(setup, teardown)
    it("moves a glider by one cell in four generations", function()
        local glider = {".#.", "..#", "###"}
        assert.are.same(life.world(11, glider, 5, 6):read(), run(life.world(11, glider, 4, 5), 4):read())
    end)

    it("brings it back around the torus", function()
        local glider = {".#.", "..#", "###"}
        local start = life.world(9, glider, 2, 3)
        assert.are.same(start:read(), run(start, 36):read())
        assert.are_not.same(start:read(), run(start, 32):read())
    end)

    it("turns a blinker every generation", function()
        local lying = life.world(5, {"###"}, 3, 2)
        local standing = life.world(5, {"#", "#", "#"}, 2, 3)
        assert.are.same(standing:read(), life.step(lying):read())
        assert.are.same(lying:read(), run(lying, 2):read())
    end)

    it("leaves a block alone and lets a lonely cell die", function()
        local block = life.world(6, {"##", "##"}, 5, 1)
        assert.are.same(block:read(), life.step(block):read())
        assert.are.equal(0, life.step(life.world(6, {"#"}, 3, 3)):sum())
    end)

    local function boil(n)
        local state = 7
        local grid, rows = {}, {}
        for i = 1, n do
            local row = {}
            for j = 1, n do
                state = (state * 1103515245 + 12345) % 2147483648
                row[j] = (state >> 16) % 3 == 0 and 1 or 0
            end
            grid[i] = row
            rows[i] = table.concat(row):gsub("1", "#")
        end
        local cells = life.world(n, rows, 1, 1)
        for _ = 1, 20 do
            local next = {}
            for i = 1, n do
                next[i] = {}
                for j = 1, n do
                    local around = -grid[i][j]
                    for y = i - 2, i do
                        for x = j - 2, j do around = around + grid[y % n + 1][x % n + 1] end
                    end
                    next[i][j] = (around == 3 or (around == 2 and grid[i][j] == 1)) and 1 or 0
                end
            end
            grid, cells = next, life.step(cells)
            assert.are.same(grid, cells:read())
        end
    end

    it("agrees with a plain loop on a random world", function() boil(23) end)

    it("does so where rows are whole words #long", function() boil(24) end)

    describe("as a script #slow #long", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws a strip", function()
            script:run("life", 20, script.directory)
            script:picture("life.png", 384, 1932)
            script:says "generation    0: 6050 cells alive" -- 3/8 of 16384 are 6144, with a standard deviation of 62
            script:run("life", 20, script.directory, "pentomino")
            script:says "generation    0:   5 cells alive"
        end)
    end)

    it("begins with a random grid of the given density", function()
        local cells = life.random_world(64, 5)
        assert.same({"int8", "64x64"}, {cells.type, tostring(cells.shape)})
        assert.near(64 * 64 * 3 / 8, cells:sum(), 5 * math.sqrt(64 * 64 * 15 / 64))
        assert.same(cells:read(), life.random_world(64, 5):read())
        assert.are_not.same(cells:read(), life.random_world(64, 6):read())
        assert.equal(0, cells:ne(0):sum() - cells:sum())
    end)
end)
