-- Gradients of random programs: a few cases of make fuzz CASES=gradients.
local lua = os.getenv "RILL_LUA" or "lua5.4"

describe("gradients of random programs", function()
    local function programs(seed, count, most)
        local path = os.tmpname()
        local command = "timeout %d %s fuzz/worker.lua gradients %d %d 65536 true %s"
        assert.is_true(os.execute(command:format(120 + 5 * count, lua, seed, count, path)))
        local good, left = 0, 0
        for line in io.lines(path) do
            assert.is_nil(line:match "^fail.*")
            good, left = good + (line:find "^good" and 1 or 0), left + (line:find "^left" and 1 or 0)
        end
        os.remove(path)
        assert.equal(count, good + left)
        assert.is_true(left <= most, left .. " programs are refused, or at a corner")
    end

    it("are right", function() programs(0, 2, 1) end)
    it("are right, 28 programs #long", function() programs(2, 28, 6) end)
end)
