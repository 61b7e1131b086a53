-- Sorting by samples of data in parts: of the tiles of a file, and of the parts on ranks.
--
-- Each part is sorted, which makes it a run. A sample of each run, every d-th element, tells which elements of the runs
-- a range of the sorted whole can have, within d elements of each run at both ends. These elements are merged, and the
-- range is a part of the result. Equal elements are in the order of the runs. D. E. Knuth, The Art of Computer
-- Programming 3, section 5.4; P. J. Varman, S. D. Scheufler, B. R. Iyer and G. R. Ricard, Merging multiple lists on
-- hierarchical-memory multiprocessors, 1991.
local rill = require "rill.core.public"

local order = {}

local MOST_MERGED <const> = 16 -- runs: more are sorted again, since each level of merges takes a fifth of a sort's time
local WINDOW <const> = 4096 -- elements of the sorted sample that are read at once

--- order.merge(s, counts, descending) merges the adjacent sorted runs of a stream, which have `counts` elements, into a
-- new stream.
function order.merge(s, counts, descending)
    local runs, at, owned = {}, 0, false
    for _, count in ipairs(counts) do
        if count > 0 then
            runs[#runs + 1] = s:domain({at + 1}, {at + count})
            at = at + count
        end
    end
    local views <const> = runs
    if #runs > MOST_MERGED or #runs == 0 then
        return s:sort {descending = descending}
    end
    while #runs > 1 do
        local merged = {}
        for i = 1, #runs, 2 do
            local a, b = runs[i], runs[i + 1]
            merged[#merged + 1] = b and rill.merge(a, b, {descending = descending}) or a:copy()
            if owned then
                a:close()
                local _ = b and b:close()
            end
        end
        runs, owned = merged, true
    end
    local result = owned and runs[1] or runs[1]:copy()
    for _, view in ipairs(views) do
        view:close()
    end
    return result
end

--- order.samples(count, d) returns the number of elements of the sample of a run of `count` elements.
function order.samples(count, d)
    return (count + d - 1) // d
end

-- A position in the sorted sample: index = the number of elements of the sample before it, taken = the number of those
-- of each run. The runs have from `least` to `most` elements that are not after the last of them.
local Cursor = {}
Cursor.__index = Cursor

local function new_cursor(plan)
    local taken = {}
    for r in ipairs(plan.lengths) do
        taken[r] = 0
    end
    return setmetatable({plan = plan, index = 0, taken = taken, least = 0, most = 0, first = 0, window = {}}, Cursor)
end

--- cursor:peek() returns the run of the next element of the sample, nil at the end, and how many elements `most`
-- increases by.
function Cursor:peek()
    local plan = self.plan
    if self.index >= plan.places.size then
        return nil
    elseif self.index - self.first >= #self.window then
        local view <close> = plan.places:domain({self.index + 1}, {math.min(self.index + WINDOW, plan.places.size)})
        self.first, self.window = self.index, view:values()
    end
    local place, low, high = self.window[self.index - self.first + 1], 1, #plan.starts
    while low < high do -- the last run that begins at or before the place
        local middle = (low + high + 1) // 2
        if plan.starts[middle] <= place then
            low = middle
        else
            high = middle - 1
        end
    end
    local n, before = plan.lengths[low], self.taken[low] * plan.d
    return low, math.min(n, before + plan.d) - math.min(n, before)
end

--- cursor:step(run, more) moves after the next element of the sample, of which peek returned the run and the increase.
function Cursor:step(run, more)
    self.least = self.least + (self.taken[run] > 0 and self.plan.d or 1)
    self.most = self.most + more
    self.taken[run], self.index = self.taken[run] + 1, self.index + 1
end

--- order.planner(lengths, d, sample, descending) returns a function that plans the ranges of the merge of sorted runs,
-- one after the other. `lengths`: of the runs. `sample`: a stream of their samples, run after run. The function gets
-- the end of a range of the sorted whole, which begins at the end of the last one, and returns which elements of each
-- run can belong to it, {first =, count =} with `first` from 0, and the number of elements before them in the sorted
-- whole. Together, they have at most 2 (#lengths + 1) d elements more than the range.
function order.planner(lengths, d, sample, descending)
    local plan, at, last = {lengths = lengths, d = d, starts = {}}, 0, 0
    for r, n in ipairs(lengths) do
        plan.starts[r] = at
        at = at + order.samples(n, d)
    end
    plan.places = rill.argsort(sample, {descending = descending})
    local low, high = new_cursor(plan), new_cursor(plan)
    return function(stop)
        local pieces, before = {}, 0
        local run, more = low:peek()
        while run and low.most + more <= last do
            low:step(run, more)
            run, more = low:peek()
        end
        run, more = high:peek()
        while run and high.least < stop do
            high:step(run, more)
            run, more = high:peek()
        end
        for r, n in ipairs(lengths) do
            local first = low.taken[r] > 0 and (low.taken[r] - 1) * d + 1 or 0
            local count = stop > last and math.max(0, math.min(n, high.taken[r] * d) - first) or 0
            pieces[r], before = {first = first, count = count}, before + first
        end
        last = stop
        return pieces, before
    end
end

return order
