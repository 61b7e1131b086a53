-- The generators of make fuzz end for any numbers that they draw.
local lua = os.getenv "RILL_LUA" or "lua5.4"

describe("the generators of random cases", function()
    -- In programs, an index of an array element was an expression of elements with such indices, and so on.
    for _, name in ipairs {"programs", "texts", "exact", "derivatives", "gradients", "expressions", "primitives",
        "keys", "damage", "abuse", "limits", "frames"} do
        it("end if every choice is the same: " .. name, function()
            local pipe <close> = assert(io.popen(("timeout 60 %s fuzz/constant.lua %s 2>&1"):format(lua, name)))
            local text = pipe:read "a"
            local most = text:match("^" .. name .. "\t(%d+)\n$")
            assert.is_truthy(most, text)
            assert.is_true(tonumber(most) < 200000)
        end)
    end
end)
