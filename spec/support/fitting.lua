-- Returns the sizes of a list that suit the device: sizes above 4,096 are only for devices that are not
-- interpreters. (If tests have a time limit, support/patience.lua, a single launch over more elements could take
-- minutes.)
return function(list)
    if not os.getenv "RILL_SUITE_PATIENCE" then
        return list
    end
    local kept = {}
    for _, size in ipairs(list) do
        if size <= 4097 then
            kept[#kept + 1] = size
        end
    end
    return kept
end
