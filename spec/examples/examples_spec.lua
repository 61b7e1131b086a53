-- Every example runs as a script, small, and leaves the pictures it names.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

describe("the example", function()
    leaks.watch(setup, teardown)
    local files, said
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- Runs an example with what it prints collected in `said`.
    local function run(name, ...)
        local lines = {}
        local function say(...)
            local words = table.pack(...)
            for i = 1, words.n do words[i] = tostring(words[i]) end
            lines[#lines + 1] = table.concat(words, "\t", 1, words.n)
        end
        local world = setmetatable({print = say}, {__index = _G})
        assert(loadfile("examples/" .. name .. ".lua", "t", world))(...)
        said = table.concat(lines, "\n")
    end

    -- The picture of that name: of this shape, and not all of one colour.
    local function picture(name, rows, columns)
        local path = files:path(name)
        local s = rill.image.load(path, "vec3")
        assert.are.same({rows, columns}, {table.unpack(s.shape)})
        local first, bytes = s:bytes({1, 1}, {1, 1}), s:bytes()
        assert.are_not.equal(first:rep(rows * columns), bytes)
        return bytes
    end

    local function names(path)
        assert.is_truthy(said:find(path, 1, true), "says where " .. path .. " is: " .. said)
    end

    it("adaptor draws balls of voxels from above, and carves no pages", function()
        run("adaptor", files.directory)
        picture("adaptor.png", 256, 256)
        names(files:path "adaptor.png")
        assert.is_truthy(said:find("container<uint8>[256x256x256], pages, ", 1, true))
        local voxels = loadfile "examples/adaptor.lua" "module".voxels()
        local function filled() return voxels:filter("x > 0").size end
        assert.are.equal(33, voxels:ball(100, 100, 100, 2, 3) and filled()) -- points of a ball of radius 2
        assert.are.equal(3, voxels:get(101, 101, 103))
        local mapped = voxels.pages.mapped
        assert.are.equal(32, voxels:carve(100, 100, 100, 0.5):carve(200, 200, 200, 9) and filled())
        assert.are.equal(mapped, voxels.pages.mapped)
    end)

    it("allocator, boundary and mapping are policies of a few lines", function()
        run "allocator"
        local rows = {}
        for share in said:gmatch "(%d+) %% of neighbours are near" do rows[#rows + 1] = tonumber(share) end
        assert.are.equal(3, #rows)
        assert.is_true(rows[3] > rows[2])
        run("boundary", 48)
        assert.is_truthy(said:find("after 48 steps, 5 cells alive", 1, true))
        run("mapping", 128)
        assert.is_truthy(said:find("as it is +22 pages\nby diagonals +8 pages, the same product: true"))
    end)

    it("tour draws rings and heat", function()
        run("tour", files.directory)
        picture("rings.png", 256, 256)
        picture("heat.png", 256, 256)
        names(files:path "heat.png")
    end)

    it("mandelbrot draws two views", function()
        run("mandelbrot", 96, files.directory)
        assert.are_not.equal(picture("mandelbrot.png", 96, 96), picture("mandelbrot-valley.png", 96, 96))
        names(files:path "mandelbrot.png")
    end)

    it("laplacian4d draws slices of three structures that agree", function()
        run("laplacian4d", 16, files.directory)
        picture("laplacian4d.png", 2 * 192 + 4, 5 * 192 + 4 * 4)
        names(files:path "laplacian4d.png")
        assert.is_truthy(said:find "  array .*  sparse .*  hashgrid ", said)
    end)

    it("life draws a strip", function()
        run("life", 20, files.directory)
        picture("life.png", 384, 1932)
        assert.is_truthy(said:find("generation    0:   5 cells alive", 1, true))
    end)

    it("matvec tells how far each form is from the exact product", function()
        run("matvec", 40, 70)
        for _, form in ipairs {"simple", "reduce", "large", "scatter"} do
            local error = tonumber(said:match(form .. "%s+[%d.]+ ms, largest error (%S+)"))
            assert.is_true(error and error < 1e-4, said)
        end
    end)

    it("photo draws a contact sheet of its own picture, and of one given", function()
        run("photo", nil, files.directory)
        local own = picture("photo.png", 3 * 390 + 6, 4 * 518 + 6)
        names(files:path "photo.png")
        local given = rill.stream("uint8", {40, 30}, function(i, j) return 6 * i // (1 + j % 3) end)
        rill.image.save(given, files:path "given.pgm")
        run("photo", files:path "given.pgm", files.directory)
        assert.are_not.equal(own, picture("photo.png", 3 * 46 + 6, 4 * 36 + 6))
        names "40x30"
    end)

    it("shadow draws a plain map's shadows, its own, and levels", function()
        run("shadow", 128, files.directory)
        picture("shadow.png", 128, 3 * 128)
        names(files:path "shadow.png")
        assert.is_truthy(said:find "dense it were 64 GiB")
    end)

    it("smoke draws frames that differ and a strip of five", function()
        run("smoke", 48, 20, files.directory)
        local seen = {}
        for step = 2, 20, 2 do
            local frame = picture(("smoke-%03d.png"):format(step), 48, 48)
            assert.is_nil(seen[frame], "frame " .. step .. " is like another")
            seen[frame] = true
        end
        picture("smoke.png", 48, 240)
        local pattern = "a splat of force, 40 rounds: divergence %d.%d+, after its projection %d.%d+: %d.%d+ times less"
        assert.is_truthy(said:find(pattern))
    end)

    it("paint3d draws the paint from two sides and the levels of its pages", function()
        run("paint3d", 48, files.directory)
        picture("paint3d.png", 48, 3 * 48)
        names(files:path "paint3d.png")
        assert.is_true(tonumber(said:match "pages of 8 x 8 x 8 cells, (%S+) MiB") <= 32)
    end)

    it("sparsefluid draws the smoke and its pages", function()
        run("sparsefluid", 32, 5, files.directory)
        assert.are_not.equal(picture("sparsefluid.png", 512, 1024), picture("sparsefluid-001.png", 512, 1024))
        names(files:path "sparsefluid.png")
        assert.is_truthy(said:find "step   5: +%d+%.%d %% of the pages exist, ", said)
    end)

    it("translator draws four orders of memory", function()
        run("translator", 8, files.directory)
        picture("translator.png", 512, 512)
        names(files:path "translator.png")
        assert.is_truthy(said:find "linear +4\nplough, then linear +10\npages along diagonals +16\nmorton +8\n", said)
    end)

    it("walk draws charts and a spreading cloud", function()
        run("walk", 100, files.directory)
        picture("walk.png", 500, 800)
        picture("walk-spread.png", 120, 120)
        names(files:path "walk-ends.svg")
        assert.is_truthy(said:find "Random walks\n.* a walk  .* another  .* deviation of all\n")
        local deviation = tonumber(said:match "after 100 steps the deviation is (%S+),")
        assert.is_true(math.abs(deviation - 10) < 0.5)
    end)
end)
