-- Trees, compared with plain Lua: random programs (programs.lua).
local leaks = require "spec.support.leaks"
local programs = require "spec.support.programs"

describe("a random program on", function()
    leaks.watch(setup, teardown)
    programs.declare(it, true)
end)
