-- Reductions of containers in parts, of big streams in tiles and of streams on ranks have the same bits as those of one
-- stream.
local rill = require "rill"
local core = require "rill.core"
local cases = require "spec.support.parts_cases"
local fold = require "rill.parts.fold"
local ranks = require "spec.support.ranks"
local tempfiles = require "spec.support.tempfiles"

local SEED <const> = tonumber(os.getenv "RILL_CASE_SEED" or 11)
local MANY <const> = tonumber(os.getenv "RILL_CASES" or os.getenv "RILL_SUITE_LONG" and 500 or 8)

-- Returns a container of the elements of a stream, without the pages at some places.
local function paged(s, page, places)
    local c = rill.sparse(s.type, s.shape, {page = page})
    c:write(s)
    for _, at in ipairs(places) do
        c:release(at)
    end
    return c
end

-- Returns the flat 0-based indices of the mapped elements of a container, in row-major order.
local function mapped(c, shape)
    local flat <const> = {}
    local points <const> = c:active():addresses()
    for k, point in ipairs(points.size > 0 and points:read() or {}) do
        flat[k] = 0
        for d, n in ipairs(shape) do
            flat[k] = flat[k] * n + (#shape == 1 and point or point[#shape + 1 - d])
        end
    end
    table.sort(flat)
    return flat
end

describe("the same bits", function()
    local files
    setup(function()
        files = tempfiles.open()
        math.randomseed(SEED)
    end)
    teardown(function() files:close() end)

    it("are the results of tiles of a file", function()
        for _ = 1, MANY do
            local case = cases.random(true)
            local paths = {files:path "s.npy", files:path "t.npy"}
            case.s:save(paths[1])
            case.t:save(paths[2])
            local tile = {tile = math.random(math.max(1, case.s.size // 20), case.s.size + 1)}
            local b = rill.big(paths[1], case.type, case.shape, tile)
            cases.compare("b", case, b, rill.big(paths[2], case.type, case.shape, tile))
        end
    end)

    it("are the results of pages, fully and partly mapped", function()
        local line_parts <const> = core._line_parts
        for k = 1, MANY do
            local case, page, places = cases.random(), {}, {}
            for d, n in ipairs(case.shape) do page[d] = math.random((n + 3) // 4, n) end
            for i = 1, math.random(0, 4) do
                places[i] = {}
                for d, n in ipairs(case.shape) do places[i][d] = math.random(n) end
            end
            local c, d = paged(case.s, page, places), paged(case.t, page, places)
            local flat, line = mapped(c, case.shape), {}
            for name, s in pairs {s = case.s, t = case.t} do
                line[name] = #flat > 0 and rill.gather(s:reshape(s.size), rill.from(flat, "int"))
                    or rill.stream(case.type, 0)
            end
            line.type, line.shape = case.type, case.shape
            function core._line_parts(...)
                local one <const> = line_parts(...)
                local done = k % 2 == 0 and pcall(function() core._line_part(c, 2, 2, "c"):close() end)
                return done and 2 or one
            end
            cases.compare("c", line, c, d, function(i) return table.unpack(fold.indices(case.shape, flat[i])) end)
            core._line_parts = line_parts
        end
    end)

    it("are the results of any number of ranks", function()
        local why = ranks.missing()
        if why then
            return pending(why)
        end
        for _, count in ipairs(os.getenv "RILL_SUITE_LONG" and {1, 2, 3, 4} or {2}) do
            local text, good = ranks.run(count, "same_bits", SEED, MANY // 2)
            assert(good, text)
        end
    end)
end)
