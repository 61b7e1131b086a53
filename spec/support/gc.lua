-- Sets an aggressive garbage collector for `make test-gc` (a busted helper). A cycle starts when the previous one
-- ends and advances every few hundred bytes, so that a value that only C references is freed while it is in use.
-- Every test ends with full collections, so that a defective finalizer is detected close to its test.

collectgarbage("incremental", 0, 1000, 8)

local busted = require "busted"
busted.subscribe({"test", "end"}, function()
    collectgarbage()
    collectgarbage()
    return nil, true
end)
