-- Tests of rill.mpi in one process: arguments that are refused, and the choice of devices.
local found = pcall(require, "rill.mpi.core")

describe("rill.mpi in one process", function()
    local function test(name, f)
        it(name, function()
            if not found then
                return pending "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"
            end
            f()
        end)
    end

    test("gives the ranks of a machine its devices in turn", function()
        local wire = require "rill.mpi.wire"
        local gpu, cpu = {software = false}, {software = true}
        local function chosen(...)
            local list, result = {...}, {}
            for i, d in ipairs(list) do list[i] = {index = i, software = d.software} end
            for rank = 1, 5 do result[rank] = wire.device_of(list, rank) or 0 end
            return result
        end
        assert.same({0, 0, 0, 0, 0}, chosen(cpu))
        assert.same({0, 0, 0, 0, 0}, chosen(gpu, cpu))
        assert.same({1, 2, 3, 1, 2}, chosen(gpu, gpu, gpu, cpu))
        assert.same({1, 2, 1, 2, 1}, chosen(cpu, cpu))
        assert.same({0, 0, 0, 0, 0}, chosen())
    end)

    test("refuses an axis and values that are not elements", function()
        local mpi = require "rill.mpi"
        local d = mpi.stream("float", {4, 5}, {init = 2})
        for _, name in ipairs {"sum", "mean", "min", "argmax", "count", "std"} do
            local done, message = pcall(function() return d[name](d, 1) end)
            assert.falsy(done)
            assert.matches("D:" .. name .. ": expected no argument, got number 1", message, 1, true)
        end
        assert.equal(40, d:sum())
        local done, message = pcall(mpi.stream, "float", 4, {init = print})
        assert.falsy(done)
        assert.matches("rill.mpi.stream: option 'init': expected a value, or a stream", message, 1, true)
    end)

    test("refuses an expression that is not GLSL, without the text around it", function()
        local rill = require "rill"
        local positions, box = rill.random({9}, {type = "vec3"}), {{0, 0, 0}, {1, 1, 1}}
        local q = require "rill.mpi".particles {positions = positions, box = box}
        for text, says in pairs {
            ["distance // 2"] = "floor(x / y)", ["distance = 2.0"] = "= assigns", ["distance and 1"] = "&&",
            ["distance >"] = "expected", ["nothing_j"] = "is not declared",
        } do
            local done, message = pcall(function() return q:sum("float", 0.2, text) end)
            assert.falsy(done)
            assert.matches("Q:sum: argument #3 'expression': ", message, 1, true)
            assert.matches(says, message, 1, true)
            assert.falsy(message:find("total", 1, true), message)
        end
    end)

    test("names the streams that have a method", function()
        local d = require "rill.mpi".stream("float", 4)
        for _, name in ipairs {"read", "values", "reshape"} do
            local done, message = pcall(function() return d[name] end)
            assert.falsy(done)
            assert.matches("'" .. name .. "': D.part, the stream of this rank's elements, has it", message, 1, true)
        end
        local done, message = pcall(function() return d.shapes end)
        assert.falsy(done)
        assert.matches("'shapes'; did you mean D.shape?", message, 1, true)
        d:close()
        assert.falsy(pcall(function() return d.read end))
    end)
end)
