-- Converts the arguments of a launch from positions to names.

--- launch_arguments(params, made, ...) returns arguments by position as a table by parameter name. The arguments whose
-- kinds are keys of `made` (outputs) may all be omitted. If the number of arguments does not fit, returns nil and the
-- number of arguments without outputs.
return function(params, made, ...)
    local count, least = select("#", ...), 0
    for _, param in ipairs(params) do
        least = least + (made[param.kind] and 0 or 1)
    end
    if count ~= #params and count ~= least then
        return nil, least
    end
    local values, named, at = {...}, {}, 0
    for _, param in ipairs(params) do
        if count == #params or not made[param.kind] then
            at = at + 1
            named[param.name] = values[at]
        end
    end
    return named
end
