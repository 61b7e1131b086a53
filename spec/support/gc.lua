-- The aggressive collector of `make test-gc` (a busted helper): a cycle begins as soon as the last one ended and advances with
-- every few hundred bytes, so that a value only C still holds is freed under it; and every test ends in full collections,
-- so that a finalizer that breaks something is caught near where it was made.

collectgarbage("incremental", 0, 1000, 8)

local busted = require "busted"
busted.subscribe({"test", "end"}, function()
    collectgarbage()
    collectgarbage()
    return nil, true
end)
