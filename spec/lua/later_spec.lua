-- Files of Lua functions are loaded when a function is first called.
local process = require "spec.support.process"

describe("functions and methods in files of their own", function()
    it("are loaded when they are called, whatever package.path is by then", function()
        local result = process.run [[
            local rill = require "rill"
            for name in pairs(package.loaded) do
                assert(not name:match "^rill%.stream%.", name)
            end
            local theirs = "/nowhere/?.lua"
            package.path = theirs
            local s = rill.from {3, 1, 2}
            print(table.concat(s:filter "x > 1":values(), " "), table.concat(s:sort {key = "-x"}:values(), " "))
            print(rill.permutation(8, {seed = 1}).size, rill.concat {s, s}.size, s:map "2 * x":sum())
            assert(package.path == theirs)
        ]]
        assert.equal("3.0 2.0\t3.0 2.0 1.0\n8\t6\t12.0\n", result.out, result.err)
    end)

    it("are available if rill was found by a relative path and the script changes the directory", function()
        local result = process.run [[
            package.path = "./lua/?.lua;./lua/?/init.lua"
            local rill = require "rill"
            package.searchers[2] = function() return " (no longer found)" end -- as from another folder
            io.open = function() return nil, "no longer found" end -- luacheck: ignore
            assert(rill.image.label(rill.stream("float", {4, 4}, 1)).size == 16) -- its kernels have a snippet that is a file
            local s = rill.from {3, 1, 2}
            print(table.concat(s:filter "x > 1":values(), " "), s:map "2 * x":sum(), rill.concat {s, s}.size)
        ]]
        assert.equal("3.0 2.0\t12.0\t6\n", result.out, result.err)
    end)

    it("do not change the error for a misspelled name, whatever package.path is by then", function()
        local result = process.run [[
            local rill = require "rill"
            local horn, s = rill.horn, rill.iota(3)
            package.path = "/nowhere/?.lua"
            print(select(2, pcall(function() return rill.strem end)))
            print(select(2, pcall(function() return s.fliter end)))
            print(select(2, pcall(function() return horn.fliter end)))
        ]]
        for _, meant in ipairs {"rill.stream?", "s:filter?", "rill.horn.filter?"} do
            assert.truthy(result.out:find("did you mean " .. meant, 1, true), result.out .. result.err)
        end
    end)

    it("raise errors at the line that calls them, also at the first call", function()
        local result = process.run [[
            local rill = require "rill"
            local s = rill.iota(3)
            local function line(f)
                print((select(2, pcall(f)):match ":(%d+): [sr]"))
            end
            line(function() s:filter(1) end)
            line(function() s:map(1) end)
            line(function() s:sort {key = 1} end)
            line(function() local _ = rill.concat {1} end)
            line(function() local _ = rill.choice(false, 1) end)
            line(function() local _ = rill.progress "x" end)
            line(function() s:map(1) end)
        ]]
        assert.equal("6\n7\n8\n9\n10\n11\n12\n", result.out, result.err)
    end)
end)
