-- Generates cases for which every choice is the same number: constant.lua GENERATOR ... Prints a line with each
-- generator and the largest number of choices in a case. A generator whose recursion has no limit does not end.
local draw = require "fuzz.support.draw"

for _, name in ipairs(arg) do
    local generator, most = require("fuzz.case." .. name), 0
    for same = 0, 40 do
        local d = draw.random(0)
        function d:below(n)
            local choice = n > 1 and same % n or 0
            self.choices[#self.choices + 1] = choice
            return choice
        end
        assert(#generator.scripts {d} == 1)
        most = math.max(most, #d.choices)
    end
    print(name, most)
end
