-- Collects the warnings of a spec's tests instead of printing them.
local warning = require "rill.core.warning"

--- said(before_each, after_each): returns the list of the warnings of the current test.
return function(before_each, after_each)
    local list, write = {}, nil
    before_each(function()
        for i = #list, 1, -1 do list[i] = nil end
        write, warning.write = warning.write, function(text) list[#list + 1] = text end
    end)
    after_each(function() warning.write = write end)
    return list
end
