-- Declares each test of a cmocka program (spec/c/NAME_test.c) as a test of busted.
local cmocka = {}

-- Returns the results of a program in order, {name =, good =, output =}, and how it ended.
local function run(name)
    local build = os.getenv "RILL_BUILD" or "build"
    local pipe = assert(io.popen(("CMOCKA_MESSAGE_OUTPUT=tap '%s/spec/%s_test' 2>&1"):format(build, name)))
    local results, output = {}, {}
    for line in pipe:lines() do
        local bad, test = line:match "^(n?o?t? ?)ok %d+ %- (.*)$"
        if test then
            results[#results + 1] = {name = test:gsub("^test_", ""):gsub("_", " "), good = bad == ""}
        end
        output[#output + 1] = line
    end
    return results, pipe:close() == true, table.concat(output, "\n")
end

--- Declares the tests of a program with busted's functions.
function cmocka.tests(name, describe, it)
    local results, good, output = run(name)
    describe(name .. " in C", function()
        for _, result in ipairs(results) do
            it(result.name, function()
                assert(result.good, output)
            end)
        end
        it("ends well, and leaves nothing", function()
            assert(good and #results > 0, output)
        end)
    end)
end

return cmocka
