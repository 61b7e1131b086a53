-- How many files an addition touches, shown by making it in a copy of the tree: what is not edited there has to follow by itself.
local tempfiles = require "spec.support.tempfiles"

local FOLDERS <const> = {"lua", "docs", "spec", "tools"}
local files, here

-- What a shell command prints; it must succeed.
local function must(format, ...)
    local pipe = assert(io.popen(("( %s ) 2>&1"):format(format:format(...))))
    local output = pipe:read "a"
    assert(pipe:close(), output)
    return output
end

-- Runs Lua in the copy, with its files.
local function run(format, ...)
    local lua = os.getenv "RILL_LUA" or "lua5.4"
    local paths = ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;'"):format(files.directory, files.directory)
    return must("cd '%s' && env -u LUA_PATH_5_4 %s %s %s", files.directory, paths, lua, format:format(...))
end

-- The files of the copy that are new or differ from the tree's, in order.
local function touched()
    local list = {}
    for _, folder in ipairs(FOLDERS) do
        local output = must("cd '%s' && diff -rq '%s/%s' '%s' || true", files.directory, here, folder, folder)
        for line in output:gmatch "[^\n]+" do
            local in_folder, new = line:match "^Only in ([^:]+): (.+)$"
            list[#list + 1] = new and in_folder .. "/" .. new or line:match " and (%S+) differ$" or line
        end
    end
    table.sort(list)
    return list
end

local function append(path, text)
    files:write(path, tempfiles.read(files:path(path)) .. text)
end

local ROW <const> = [[

define("logistic", "x", "real", {
    doc = "1 / (1 + e^-x)",
    number = function(x) return 1 / (1 + exp(-x)) end,
    text = "T @logistic(T x) { return 1.0 / (1.0 + @exp(-x)); }",
})
]]

local SPEC <const> = [[
local rill = require "rill"
local s = rill.from({0, 2}, "double")
assert(rill.logistic(s):values()[1] == 0.5 and rill.logistic(0) == 0.5)
assert(math.abs(rill.logistic(s):values()[2] - 1 / (1 + math.exp(-2))) < 1e-15)
assert(rill.logistic(rill.from({{0, 0}}, "vec2")).type == "vec2")
print((rill.help "rill.logistic"))
print(table.concat(require "rill.prompt.completion"("rill.logi", 1, {rill = rill})))
print(select(2, pcall(function() return rill.logistik end)))
]]

describe("an addition:", function()
    setup(function()
        files, here = tempfiles.open(), must "pwd":match "[^\n]+"
    end)
    teardown(function() files:close() end)

    it("a function of the algebra is a row and a spec", function()
        must("cp -r %s '%s'", table.concat(FOLDERS, " "), files.directory)
        assert.same({}, touched())
        append("lua/rill/operation/elementary.lua", ROW)
        files:write("spec/algebra/logistic_spec.lua", SPEC)

        local output = run "spec/algebra/logistic_spec.lua"
        for _, text in ipairs {
            "rill.logistic(x: operand): expression\n  1 / (1 + e^-x)\n  [docs/algebra.md]", "\nrill.logistic\n",
            "did you mean rill.logistic?",
        } do
            assert.truthy(output:find(text, 1, true), output)
        end
        run "tools/annotations.lua build/library/rill.lua"
        local annotations = tempfiles.read(files:path "build/library/rill.lua")
        assert.truthy(annotations:find("\nfunction rill.logistic(x) end\n", 1, true))
        run "tools/annotations.lua --check"
        run "tools/docscov.lua"
        assert.same({"lua/rill/operation/elementary.lua", "spec/algebra/logistic_spec.lua"}, touched())
    end)
end)
