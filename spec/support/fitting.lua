-- The sizes of a list that fit the device at hand: those above 4,096 are for devices that are no interpreters. (Where tests are cut off
-- for their time, support/patience.lua, a single launch over more could take minutes.)
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
