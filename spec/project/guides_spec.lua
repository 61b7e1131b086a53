-- Runs the code in the last column of the tables of docs/guide_from_pytorch.md, docs/guide_from_warp.md,
-- docs/guide_points.md and docs/guide_tables.md, with the values of the code blocks before the tables.
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

-- Returns the code of the blocks before the first table, and the list of the pieces of code in last columns.
local function parsed(path)
    local code, pieces, inside = {}, {}, false
    for line in tempfiles.read(path):gmatch "[^\n]*" do
        if line:find "^```" then
            inside = line == "```lua"
        elseif inside and #pieces == 0 then
            code[#code + 1] = line:gsub("^local function ([%w_]+)", "function %1"):gsub("^local (.-=)", "%1")
        elseif line:find "^|" then
            for piece in line:match "|([^|]*)|%s*$":gsub("%b[]%b()", ""):gmatch "`([^`]+)`" do
                pieces[#pieces + 1] = piece
            end
        end
    end
    return table.concat(code, "\n"), pieces
end

local function run(code, environment)
    local f = load("return " .. code, "=" .. code, "t", environment) or
        assert(load(code, "=" .. code, "t", environment))
    return f()
end

-- These compile many programs, whose subjects have other specs.
local long <const> = {["docs/guide_from_pytorch.md"] = " #long", ["docs/guide_points.md"] = " #long"}

describe("the tables of guides", function()
    leaks.watch(setup, teardown)

    for path, count in pairs {["docs/guide_from_pytorch.md"] = 40, ["docs/guide_from_warp.md"] = 20,
        ["docs/guide_tables.md"] = 60, ["docs/guide_points.md"] = 40} do
        it("contain code that runs: " .. path .. (long[path] or ""), function()
            local files <close> = setmetatable({files = tempfiles.open()}, {
                __close = function(self) self.files:close() end,
            })
            local environment = setmetatable({print = function() end}, {__index = _G})
            local prelude, pieces = parsed(path)
            run(prelude, environment)
            assert.is_true(#pieces >= count)
            for _, piece in ipairs(pieces) do
                local moved = piece:gsub('"([%w.]+%.[ncp][psl][zvy])"', function(name)
                    return ("%q"):format(files.files.directory .. "/" .. name)
                end)
                local done, result = pcall(run, moved, environment)
                assert(done, piece .. ": " .. tostring(result))
                assert.is_string(tostring(result)) -- computes the values of an expression
            end
        end)
    end
end)
