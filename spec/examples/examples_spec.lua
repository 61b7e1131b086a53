-- Runs examples as scripts, at small sizes, and checks the images that they name. Some examples have separate spec files.
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

describe("the example", function()
    leaks.watch(setup, teardown)
    local script
    setup(function() script = example.open() end)
    teardown(function() script:close() end)

    it("adaptor draws balls of voxels from above, and maps no pages when carving", function()
        script:run("adaptor", script.directory)
        script:picture("adaptor.png", 256, 256)
        script:names "adaptor.png"
        assert.is_truthy(script.said:find("container<uint8>[256x256x256], pages, ", 1, true))
        local voxels = loadfile "examples/adaptor.lua" "module".voxels()
        local function filled() return voxels:filter("x > 0").size end
        assert.are.equal(33, voxels:ball(100, 100, 100, 2, 3) and filled()) -- points of a ball of radius 2
        assert.are.equal(3, voxels:get(101, 101, 103))
        local mapped = voxels.pages.mapped
        assert.are.equal(32, voxels:carve(100, 100, 100, 0.5):carve(200, 200, 200, 9) and filled())
        assert.are.equal(mapped, voxels.pages.mapped)
    end)

    it("allocator, boundary and mapping are policies of a few lines", function()
        script:run "allocator"
        local rows = {}
        for share in script.said:gmatch "(%d+) %% of neighbors are near" do rows[#rows + 1] = tonumber(share) end
        assert.are.equal(3, #rows)
        assert.is_true(rows[3] > rows[2])
        script:run("boundary", 48)
        assert.is_truthy(script.said:find("after 48 steps, 5 cells alive", 1, true))
        script:run("mapping", 128)
        assert.is_truthy(script.said:find("as it is +22 pages\nby diagonals +8 pages, the same product: true"))
    end)

    it("trips groups taxi trips by borough and hour #long", function()
        script:run("trips", 30000, script.directory)
        script:picture("trips.png", 240, 1008)
        script:names "trips.png"
        local trips, all = 0, tonumber(script.said:match "of (%d+) trips cannot be right")
        for count in script.said:gmatch "\n[HMNOS]%a+ ?%a*  +(%d+)  +%d+%.%d+" do trips = trips + tonumber(count) end
        assert.are.equal(all - tonumber(script.said:match "(%d+) of %d+ trips"), trips)
    end)

    it("tour draws rings and heat", function()
        script:run("tour", script.directory)
        script:picture("rings.png", 256, 256)
        script:picture("heat.png", 256, 256)
        script:names "heat.png"
    end)

    it("spectrogram draws a sound and finds its harmonics #long", function()
        script:run("spectrogram", "-", script.directory)
        script:picture("spectrogram.png", 513, 641)
        script:names "spectrogram.png"
        script:says "peaks of the power spectrum in Hz: 441 879 1320 1762"
    end)

    it("spectrum finds the stripes and removes them #long", function()
        script:run("spectrum", nil, script.directory)
        script:picture("spectrum.png", 768, 1536)
        script:names "spectrum.png"
        script:says "the strongest stripes are 61 waves across, 37 down"
        local spoilt, mended = script.said:match "stripes (%S+), without them (%S+)"
        assert.is_true(tonumber(mended) < 0.1 * tonumber(spoilt))
    end)

    it("poisson finds the charges that keep electrodes at their voltage #long", function()
        script:run("poisson", 160, script.directory)
        script:picture("poisson.png", 160, 160)
        script:names "poisson.png"
        local off = tonumber(script.said:match "off by at most (%S+)")
        assert.is_true(off and off < 0.02, script.said)
    end)

    shortened(it, "report at once an argument that is not a number", function(whole)
        local words = {
            dam = "particles across",
            mandelbrot = "size", walk = "steps", mapping = "size", matvec = "rows", allocator = "pages across",
        }
        local others = {
            life = "generations", poisson = "size", translator = "size", regulafalsi = "size", shadow = "side",
            paint3d = "side", smoke = "size", sparsefluid = "size", laplacian4d = "size", boundary = "steps",
            insides = "size", ising = "size", path_tracer = "size", dla = "particles",
        }
        for name, word in pairs(whole and others or words) do
            local done, message = pcall(script.run, script, name, name == "walk" and 2.5 or "x", script.directory)
            assert.is_false(done, name)
            assert.matches(word .. ": expected a whole number", tostring(message), 1, true)
        end
    end)

    it("matvec prints the error of each form", function()
        script:run("matvec", 40, 70)
        for _, form in ipairs {"simple", "reduce", "large", "scatter"} do
            local error = tonumber(script.said:match(form .. "%s+[%d.]+ ms, largest error (%S+)"))
            assert.is_true(error and error < 1e-4, script.said)
        end
    end)

    it("regulafalsi visits active cells only, and finds the same roots", function()
        script:run("regulafalsi", 40, script.directory)
        script:picture("regulafalsi.png", 40, 80)
        local all, left = script.said:match "all cells: +(%d+) visits.*active cells: +(%d+) visits"
        assert.is_true(tonumber(left) < 0.5 * tonumber(all), script.said)
    end)

    it("translator draws four memory orders", function()
        script:run("translator", 8, script.directory)
        script:picture("translator.png", 512, 512)
        script:names "translator.png"
        script:says "linear +4\nplow, then linear +10\npages along diagonals +16\nmorton +8\n"
    end)

    it("insides draws a head and smoke by two methods that agree #long", function()
        script:run("insides", 16, 8, script.directory)
        script:picture("insides.png", 640, 640)
        script:names "insides.png"
        local seen, want = script.said:match "a box lets (%S+) through, exp%(%-1%.2%) is (%S+)"
        assert.equal(want, seen)
        assert.is_true(tonumber(script.said:match "differ by (%S+) on average") < 0.005, script.said)
    end)

    it("dam simulates a dam break, and prints the error of its front #long", function()
        script:run("dam", 4, script.directory)
        script:picture("dam.png", 540, 1080)
        script:names "dam.png"
        assert.is_truthy(tonumber(script.said:match "off by at most (%S+) %%"))
    end)

    it("dam is off by at most a seventh, and makes an animation #long", function()
        script:run("dam", 8, script.directory)
        local off = tonumber(script.said:match "off by at most (%S+) %%")
        assert.is_true(off and off < 15, script.said)
        script:run("dam", "--movie", 3, script.directory)
        script:names "dam-movie.png"
        assert.is_truthy(io.open(script:path "dam-movie.png"))
    end)

    it("heat_ranks conserves heat, and continues from its checkpoint", function()
        if not pcall(require, "rill.mpi.core") then
            return pending "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
        end
        local state = script:path "heat.state"
        script:run("heat_ranks", 40, 30, script.directory, "--checkpoint", state)
        script:says "30 steps of 40 x 40 cells from step 0 on 1 x 1 ranks"
        script:names "heat_ranks.png"
        script:run("heat_ranks", 40, 50, script.directory, "--checkpoint", state)
        script:says "20 steps of 40 x 40 cells from step 30 on 1 x 1 ranks"
        local continued = script:picture("heat_ranks.png", 80, 80)
        script:run("heat_ranks", 40, 50, script.directory)
        assert.equal(continued, script:picture("heat_ranks.png", 80, 80))
        local before, after = script.said:match "heat (%S+) at the start, (%S+) now"
        assert.near(1, tonumber(after) / tonumber(before), 1e-5)
        local done, message = pcall(script.run, script, "heat_ranks", 40, "x")
        assert.is_false(done)
        assert.matches("steps: expected a whole number", tostring(message), 1, true)
    end)

    it("fluid_ranks computes the same as one process #long", function()
        if not pcall(require, "rill.mpi.core") then
            return pending "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
        end
        script:run("fluid_ranks", 24, 6, script.directory)
        for _, name in ipairs {"cavity", "dam", "plate"} do
            local off = tonumber(script.said:match(name .. ": 1 process and one differ by (%S+)"))
            assert(off and off < 1e-3, script.said)
            assert(io.open(script:path(("fluid_ranks_%s.png"):format(name)))):close()
        end
    end)

    it("sort_big sorts a file in tiles", function()
        script:run("sort_big", 300000, script.directory)
        script:says "wrote 300000 numbers in .* mean 0.[45]%d+, standard deviation 0.28%d+"

    end)

    it("have at most 150 lines, and state their purpose and command in the first ten", function()
        local names = io.popen "ls examples/*.lua"
        for path in names:lines() do
            local count, head = 0, {}
            for line in io.lines(path) do
                count = count + 1
                head[count] = count <= 10 and line or nil
            end
            local text = table.concat(head, "\n")
            assert(count <= 150, path .. " has " .. count .. " lines")
            assert(head[1]:match "^%-%- %u.*%a" and #head[1] > 30, path .. " begins without saying what it does")
            assert(text:find("\n--     lua5.4 " .. path, 1, true), path .. " does not say how it is run")
        end
        names:close()
    end)

    it("walk draws charts and a spreading cloud", function()
        script:run("walk", 100, script.directory)
        script:picture("walk.png", 500, 800)
        script:picture("walk-spread.png", 120, 120)
        script:names "walk-ends.svg"
        script:says "Random walks\n.* a walk  .* another  .* deviation of all\n"
        local deviation = tonumber(script.said:match "after 100 steps the deviation is (%S+),")
        assert.is_true(math.abs(deviation - 10) < 0.5)
    end)
end)
