-- The arguments of a launch.

--- launch_arguments(params, made, ...): arguments by position as a table by the names of the parameters. Those of the kinds that are keys of
-- `made` may be left out together. nil and how many there are without those, where there are more or fewer.
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
