-- Parts of rill that need an optional library.
local optional = {}

--- optional.lacks(f, ...) returns the library without which rill was built, if f(...) raises an error for this reason;
-- otherwise nil.
function optional.lacks(f, ...)
    local done, message = pcall(f, ...)
    return not done and tostring(message):match "rill was built without [^:]+" or nil
end

return optional
