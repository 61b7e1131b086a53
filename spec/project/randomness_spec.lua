-- fuzz/randomness.c, the statistical tests of random numbers: good generators pass, others fail the tests that detect
-- their defects.
local rill = require "rill"

local PROGRAM <const> = (os.getenv "RILL_BUILD" or "build") .. "/spec/randomness"

-- Returns the failed tests as a set, with the number of all, and whether the program succeeded.
local function tested(words, generator)
    local pipe = assert(io.popen(("'%s' %d %s 2>&1"):format(PROGRAM, words, generator)))
    local failed, count = {}, 0
    for line in pipe:lines() do
        local test, rest = line:match "^(%l[%l ]-)  +(.*)$"
        count = count + (test and 1 or 0)
        if test and rest:find "FAILED" then
            failed[test] = true
        end
    end
    return failed, count, pipe:close() == true
end

describe("the tests of random numbers", function()
    for _, name in ipairs {"philox", "splitmix"} do
        it("pass " .. name, function()
            local failed, count, passed = tested(1 << 21, name)
            assert.same({}, failed)
            assert.equal(21 + 32, count)
            assert.is_true(passed)
        end)
    end

    -- The tests that must fail for a generator, at least.
    for name, tests in pairs {
        counter = {"equidistribution", "runs", "gaps", "collisions", "birthday spacings", "correlation"},
        congruential = {"equidistribution", "gaps", "collisions", "birthday spacings", "correlation"}, -- its low bits
        randu = {"equidistribution", "collisions", "correlation"},
        repeating = {"equidistribution", "gaps", "runs", "correlation"},
        biased = {"ones"},
    } do
        it("find the defects of " .. name, function()
            local failed, _, passed = tested(1 << 22, name)
            for _, test in ipairs(tests) do
                assert(failed[test], test)
            end
            assert.is_false(passed)
        end)
    end

    it("pass the words of rill.random", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "wb"))
        file:write(rill.random(1 << 21, {type = "uint", seed = 1}):bytes())
        file:close()
        local failed, _, passed = tested(1 << 21, "<" .. path)
        os.remove(path)
        assert.same({}, failed)
        assert.is_true(passed)
    end)

    it("need as many words as requested", function()
        local _, _, passed = tested(1 << 20, "</dev/null")
        assert.is_false(passed)
    end)
end)
