-- t:describe: statistics of the columns of numbers.
local columns = require "rill.frame.columns"
local frame = require "rill.frame.table"
local rill = require "rill.core.public"
local errors = require "rill.core.error"

local describe = {}

local ROWS <const> = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"}

-- Returns the statistics of a column, without NaN.
local function statistics(s)
    local absent = columns.is_float(s) and rill.isnan(s)
    if absent and absent:any() then
        s = s:filter(~absent)
    end
    local n <const>, nan <const> = s.size, 0 / 0
    if n == 0 then
        return {0, nan, nan, nan, nan, nan, nan, nan}
    end
    local q = s:quantile {0.25, 0.5, 0.75}
    q = type(q) == "table" and q or q:values()
    return {n, s:mean(), n > 1 and s:std {ddof = 1} or nan, s:min(), q[1], q[2], q[3], s:max()}
end

--- t:describe() returns a table of statistics: count, mean, standard deviation, smallest value, quartiles and largest
-- value of each column of numbers, without NaN.
function describe.describe(t)
    local state <const> = frame.self_of("describe", t)
    local names, list = {"statistic"}, {columns.of_texts(table.move(ROWS, 1, #ROWS, 1, {}), ROWS)}
    for _, name in ipairs(state.names) do
        local s = state.columns[name]
        if columns.is_number(s) then
            names[#names + 1], list[#list + 1] = name, rill.from(statistics(s), "double")
        end
    end
    if #names == 1 then
        errors.fail("frame:describe: the table has no column of numbers")
    end
    return frame.create(names, list)
end

return describe
