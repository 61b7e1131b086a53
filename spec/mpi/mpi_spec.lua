-- Tests of rill.mpi: programs run on 1 to 4 ranks, and must print the same.
local ranks = require "spec.support.ranks"
local tempfiles = require "spec.support.tempfiles"

local lua <const> = os.getenv "RILL_LUA" or "lua5.4"

local run <const>, same <const> = ranks.run, ranks.same

describe("rill.mpi", function()
    local why = ranks.missing()
    local files

    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function test(name, f)
        it(name, function()
            if why then
                return pending(why)
            end
            f()
        end)
    end

    -- `make test` runs the operations on 3 ranks, of which one has two neighbors: the other programs use these operations.
    -- The boundary modes also run on 2 ranks, whose both neighbors are one rank.

    -- Other seeds run the same operations with other sizes and numbers.
    for _, seed in ipairs {1, 5, 30, 31} do
        test("computes the same with any number of ranks, seed " .. seed .. (seed > 1 and " #long" or ""), function()
            assert.truthy(same({1, 3}, "operations", seed, seed < 30 and 1 or 3):find "ranks\ttrue")
        end)
    end

    -- `make test` runs some of the random programs, and in `make test-all` each number of ranks runs 500, 50 per process.
    test("inherits boundary modes as streams do", function()
        local last <const> = os.getenv "RILL_SUITE_LONG" and 4500 or 4003
        for first = 4001, last, 50 do
            assert.equal("done\n", same({2, 3}, "modes", first, math.min(first + 49, last)))
        end
    end)

    test("solves, simulates and writes the same with any number of ranks", function()
        assert.truthy(same({1, 3}, "simulations", files.directory):find "done")
    end)

    test("computes with fewer elements than ranks, and restarts all types with other numbers of ranks", function()
        local text, good = run(3, "small", files.directory, "write")
        assert(good, text)
        assert.equal("done\n", same({1, 2}, "small", files.directory, "read"))
    end)

    test("uses no more memory after many steps", function()
        local text, good = run(2, "memory", files.directory)
        assert(good, text)
        assert.equal("done\n", text)
    end)

    test("sends the messages that the model counts", function()
        for _, count in ipairs(os.getenv "RILL_SUITE_LONG" and {2, 4} or {4}) do
            local text, good = run(count, "traffic")
            assert(good, text)
            assert.equal("sort\ttrue\ncg\ttrue\nmultigrid\ttrue\n", text)
        end
    end)

    test("ends all ranks if one has an error", function()
        local text, good = run(3, "failures", "error")
        assert.falsy(good)
        assert.truthy(text:find("this rank fails", 1, true))
        assert.truthy(text:find("rill.mpi: rank 3 of 3 ended with status 1", 1, true))
        text, good = run(3, "failures", "kernel")
        assert.falsy(good)
        assert.truthy(text:find("scale: argument #2 'k': expected a number for float, got string \"a\"", 1, true))
        assert.truthy(text:find("rill.mpi: rank 2 of 3 ended with status 1", 1, true))
    end)

    test("prints nothing but the error if there is only one rank", function()
        local pipe = io.popen(("%s spec/mpi/programs/failures.lua error 2>&1; echo status $?"):format(lua))
        local text = pipe:read "a"
        pipe:close()
        assert.truthy(text:find("this rank fails", 1, true))
        assert.truthy(text:find "status 1\n$")
        assert.falsy(text:find("MPI_ABORT", 1, true) or text:find("are ended", 1, true))
    end)

    test("ends all ranks if one is killed", function()
        local text, good = run(2, "failures", "killed")
        assert.falsy(good)
        assert.truthy(text:find "[Kk]illed")
    end)

    test("names the ranks that disagree on a shape", function()
        local text, good = run(2, "failures", "shape")
        assert.falsy(good)
        assert.truthy(text:find("the ranks disagree on the type, shape and options: rank 1 has float[11], rank 2 " ..
            "has float[12]", 1, true))
        text, good = run(2, "failures", "options")
        assert.falsy(good)
        assert.truthy(text:find("rank 1 has float[10x10], boundary {wrap, zero}, rank 2 has float[10x10], boundary " ..
            "zero", 1, true))
    end)

    test("refuses wrong arguments on all ranks", function()
        for count = 1, 2 do
            local text, good = run(count, "failures", "messages", files.directory)
            assert(good, text)
            for _, part in ipairs {
                "argument #2 'shape': dimension 2", "option 'ranks'", "option 'boundary'", "none.npy",
                "cannot be opened",
                "cannot be sent", "argument #2 'rank'", "rill.mpi.distribute makes one", "one dimension",
                "argument 's'",
                "width of the halo is unknown",
            } do
                assert(text:find(part, 1, true), part .. "\n" .. text)
            end
        end
    end)

    test("refuses calls on all ranks, and goes on", function()
        local function npy(name, description, order, bytes)
            local header = ("{'descr': '%s', 'fortran_order': %s, 'shape': (5, 2), }"):format(description, order)
            files:write(name .. ".npy", "\x93NUMPY\1\0" .. string.pack("<I2", 118) .. header ..
                (" "):rep(117 - #header) .. "\n" .. ("\0"):rep(bytes))
        end
        npy("fortran", "<f4", "True", 40)
        npy("big", ">f4", "False", 40)
        npy("complex", "<c8", "False", 80)
        npy("long", "<i8", "False", 80)
        npy("short", "<f4", "False", 39)
        npy("text", "<U3", "False", 120)
        local text = same({2}, "errors", files.directory)
        for _, part in ipairs {
            "scale: argument #2 'k': expected a number for float, got string \"a\"",
            "D:fill: argument #1 'value'",
            "D:write: argument #1 'data': expected a stream of float",
            "D:map: error: 'y' is not declared",
            "D:cast: argument #1",
            "option 'init': expected a stream of shape 1x4, got 4x1",
            "option 'init': expected a value",
            "rill.mpi.stream: argument #1 'type': unknown type 'flaot'",
            "option 'ranks': expected a table of numbers of ranks, 1 or more each, got {-1, -",
            "option 'boundary': expected \"clamp\", \"wrap\", \"mirror\", \"zero\" or a number, got true",
            "option 'boundary': expected a mode, or a table of 2, one for each dimension, got {\"zero\"}",
            "a + b: argument #2: a stream of this rank cannot be combined",
            "methods D:lt(v), D:le(v), D:gt(v), D:ge(v), not with <",
            "a distributed stream has no field or method '1': D:collect() and D.part",
            "scale: argument 'k': expected a number, got a distributed stream",
            "D:save: argument #1 'path': expected a path that ends in .npy, got \"d.png\"",
            "rill.mpi.distribute: argument #1 'stream': expected an open stream, got nil",
            "D:dot: argument 'other': expected a distributed stream, got number 5",
            "D:histogram: expected a table of options, got number 5",
            "D:histogram: unknown option 'bims': expected bins, max, min, outside",
            "D:histogram: option 'bins': expected 1 to 2^28 bins in all, got number 0",
            "D:histogram: 'min' must be below 'max', got 2.0 and 1.0",
            "D:histogram: argument #2: expected none, as it takes 1 at most, got number",
            "D:histogram: expected numbers, or vectors of two for a grid of bins, got elements of bool",
            "D:quantile: argument #1 'q': expected a number from 0 to 1, or a table of them, got number 2",
            "D:top_k: argument #1 'k': expected a whole number from 0 to 1, got number 2",
            "D:top_k: expected a distributed stream of one dimension, got 2",
            "D:median: expected no argument, got number 1: data in parts is reduced as a whole",
            "D:median: expected a distributed stream of numbers, got elements of vec2",
            "D:filter: argument #1 'pred': expected a kernel with one input stream",
            "D:filter: argument #2 'constants': expected none",
            "D:find: error: 'y' is not declared",
            "rill.mpi.broadcast: function cannot be sent",
            "rill.mpi.gather: rill.mpi.stream cannot be sent",
            "rill.mpi.reduce: argument #1 'value': expected a number or a stream, got \"",
            "rill.mpi.reduce: argument #2 'operation'",
            "rill.mpi.profile: argument #1 'f': expected a function, got number 3",
            "rill.mpi.broadcast: a table that contains itself cannot be sent",
            "blur: argument #2 'k'",
            "rill.solve.cg: option 'x0': expected a distributed stream of float or double, 20x10, got one of int",
            "rill.solve.multigrid: option 'x0': expected a distributed stream of float or double, 20x10, got one of",
            "got a closed one",
            "rill.solve.cg: 'A': expected a kernel of x and of its output y",
            "Y:step: argument #1 'n': expected a whole number from 0, got number -1",
            "steps of at most 4.8e-30: take steps of less than 4.8e-25",
            "Y:step: the smoke was closed",
            "option 'box': expected {low, high}",
            "Q has no field 'id' to be set",
            "Q:position: the particles were closed",
            "Q:sum: argument #1 'type': expected a type of numbers in kernels, such as",
            "rill.mpi.sph: option 'gravity': expected 2 numbers, as positions have, got 3",
            "rill.mpi.sph: option 'velocities': expected a stream of vec2 of one dimension, got one of float",
            "rill.mpi.sph: option 'box'",
            "Fortran's order",
            "elements of big-endian float32 are not supported",
            "elements of complex",
            "elements of int64",
            "truncated",
            "dtype '<U3'",
            "No such file",
            "function cannot be sent",
            "not a checkpoint",
        } do
            assert(text:find(part, 1, true), part .. "\n" .. text)
        end
    end)

    test("refuses cuts that leave ranks without elements", function()
        local text, good = run(5, "failures", "columns")
        assert(good, text)
        assert.truthy(text:find("option 'ranks': dimension 3 can be divided among at most 4 ranks, got 5", 1, true))
    end)

    test("refuses damaged files on all ranks", function()
        files:write("short.npy", "\x93NUMPY\1\0" .. string.pack("<I2", 70) ..
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }"):sub(1, 69) .. (" "):rep(9) .. "\n" ..
                ("\0"):rep(100))
        files:write("damaged", "rill checkpoint 1\n" .. string.pack("<I8", 5000) .. "T")
        files:write("altered", "rill checkpoint 1\n" .. string.pack("<I8", 9) .. "T" .. string.pack("<i8", 3))
        local text, good = run(2, "failures", "truncated", files.directory)
        assert(good, text)
        assert.truthy(text:find("the .npy file is truncated", 1, true))
        assert.truthy(text:find("the checkpoint is damaged", 1, true))
    end)

    test("refuses checkpoints with any changed byte, and reads those of version 1", function()
        for count = 1, 2 do
            local text, good = run(count, "failures", "changed", files.directory)
            assert(good, text)
        end
    end)

    test("keeps the earlier files if the disk is full, on all ranks", function()
        -- A limit of the size of files gives the same errors of write.
        local limited = ("sh -c 'trap \"\" XFSZ; ulimit -f 20000; exec %s spec/mpi/programs/failures.lua full %s'")
            :format(lua, files.directory)
        local pipe = io.popen(("%s timeout -k 5 300 mpirun -n 3 %s 2>&1"):format(ranks.settings, limited))
        local text = pipe:read "a"
        assert(pipe:close(), text)
        local _, count = text:gsub("cannot be written: the disk is full", "")
        assert.equal(6, count)
    end)

    test("restores values, lazy and empty streams, and options from checkpoints", function()
        local text, good = run(2, "failures", "values", files.directory)
        assert(good, text)
        assert.truthy(text:find("function cannot be sent", 1, true))
        assert.truthy(text:find("the ranks disagree on the names", 1, true))
    end)

    -- Runs that are killed at any moment, also while they write, and one that is not.
    local function killed(times)
        local undisturbed = assert(run(2, "failures", "work", files:path "undisturbed"):match "result (%S+)")
        for round = 1, times do
            local path = files:path("work" .. round)
            for life = 1, 3 do -- seconds until a rank is killed, unless the run ends before
                run(2, "failures", "work", path, ("%.3f"):format((round * 0.37 + life * 0.19) % 0.5))
            end
            local text = run(2, "failures", "work", path)
            assert.equal(undisturbed, text:match "result (%S+)")
        end
    end

    test("continues from a checkpoint after a rank was killed", function() killed(1) end)
    test("continues from a checkpoint after a rank was killed, 20 times #long", function()
        if os.getenv "RILL_FAMILY" == "gpu" or os.getenv "RILL_POISON" then
            return pending "files do not depend on the family of algorithms or on the contents of new memory"
        end
        killed(20)
    end)
end)
