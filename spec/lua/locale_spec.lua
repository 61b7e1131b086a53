-- Numbers in texts, where a script has set a locale that writes a comma for the point.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

describe("numbers in a locale with a comma", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- A locale is made for a process of its own: few machines have one with a comma.
    it("have a point, in files and in the bounds of loops", function()
        local made = ("localedef -i de_DE -f ISO-8859-1 '%s' 2> /dev/null"):format(files:path "de_DE")
        if not os.execute(made) then
            pending "no localedef, or no sources of a locale with a comma"
            return
        end
        local path, script = files:path "point.mtx", files:write("locale.lua", [[
            assert(os.setlocale "de_DE" and ("%.1f"):format(1.5) == "1,5")
            local rill = require "rill"
            local A = rill.sparse.csr {shape = {1, 2}, offsets = {0, 1}, columns = {1}, values = {1.5}}
            A:save(arg[1])
            assert(rill.sparse.load(arg[1]).values:get(1) == 1.5)
            local text = "kernel void f(out float r<>) { r = 0; for (int i = 0; i < 1.5e5; i++) { r += 1.0; } }"
            local done, r = pcall(function() return rill.kernel(text) {shape = 1}:get(1) end)
            assert(not done or r == 1.5e5, r)
        ]])
        assert.is_true(os.execute(("LOCPATH='%s' %s '%s' '%s'"):format(files.directory, lua, script, path)))
        assert.equal(1.5, rill.sparse.load(path).values:get(1))
    end)
end)
