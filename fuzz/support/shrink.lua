-- Reduces lists of choices that fail: removes parts, then lowers numbers (as Hypothesis does; MacIver and Donaldson,
-- 2020).
local shrink = {}

local function without(list, from, count)
    local made = table.move(list, 1, from - 1, 1, {})
    return table.move(list, from + count, #list, from, made)
end

local function with(list, at, value)
    local made = table.move(list, 1, #list, 1, {})
    made[at] = value
    return made
end

-- `fails(choices)` returns whether a list fails. No new list is tried after `deadline` (os.time).
function shrink.choices(list, fails, deadline)
    local function try(candidate)
        if os.time() < deadline and fails(candidate) then
            list = candidate
            return true
        end
    end
    local function remove(size)
        local at = #list - size + 1
        while at >= 1 do
            try(without(list, at, size))
            at = math.min(at - size, #list - size + 1)
        end
    end
    local function lower(at)
        local value = list[at]
        if value and value > 0 and not try(with(list, at, 0)) then
            local low = 0
            while low + 1 < list[at] and os.time() < deadline do
                local middle = (low + list[at]) // 2
                if not try(with(list, at, middle)) then
                    low = middle
                end
            end
        end
    end
    repeat
        local before = table.concat(list, " ")
        local size = #list // 2
        while size >= 1 do
            remove(size)
            size = size // 2
        end
        for at = 1, #list do
            lower(at)
        end
    until table.concat(list, " ") == before or os.time() >= deadline
    return list
end

return shrink
