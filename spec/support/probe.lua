-- Measures what primitives do, independently of rill: their GL calls (glcount.c) and the memory accesses of their
-- programs on a GPU with 32 lanes per subgroup (glprobe.c). Both libraries are preloaded, so the work runs in a new
-- process, with the family `gpu`.
local counting = require "spec.support.counting"
local preload = require "spec.support.preload"
local probe_text = require "spec.support.probe_text"

local probe = {}

local library, missing = preload "glprobe"

--- probe.missing: the reason why nothing can be measured, or nil.
probe.missing = missing

-- Most accesses of a dispatch that are recorded. They take 100 MB.
local ROOM <const> = 1 << 23

-- ---- in the new process

local texts = {}

local function rewritten(text)
    local result = probe_text.rewrite(text)
    texts[#texts + 1] = result
    return result
end

local function text_of(id)
    for _, text in ipairs(texts) do
        if text.id == id then return text end
    end
end

local function ratio(a, b)
    return b > 0 and a / b or 0
end

-- Adds the sites of a dispatch to the sums over all dispatches.
local function add_sites(sums, dispatch, text)
    for i, site in ipairs(dispatch.sites) do
        local flags = text.sites[i].flags
        local kind = flags & probe_text.flags.shared ~= 0 and "shared" or
            flags & probe_text.flags.load ~= 0 and "load" or "store"
        for name, value in pairs(site) do
            local key = kind .. "_" .. name
            sums[key] = (sums[key] or 0) + value
        end
        if kind == "shared" and text.sites[i].flags & probe_text.flags.load ~= 0 then
            sums.shared_loads = (sums.shared_loads or 0) + site.lanes
        end
    end
end

-- Returns the figures of the dispatches of a case: a table of numbers.
local function figures(case, dispatches)
    local sums, largest = {read = 0, written = 0, divisions = 0, lost = 0}, {read = 0, written = 0, groups = 0}
    local most = {barriers = 0, chain = 0, memory_chain = 0, private = 0}
    for _, dispatch in ipairs(dispatches) do
        local text = text_of(dispatch.id)
        add_sites(sums, dispatch, text)
        for name in pairs {read = 1, written = 1, divisions = 1, lost = 1} do
            sums[name] = sums[name] + dispatch[name]
        end
        for name in pairs {barriers = 1, chain = 1, memory_chain = 1} do
            most[name] = math.max(most[name], dispatch[name])
        end
        most.private = math.max(most.private, text.private_arrays)
        if dispatch.read + dispatch.written > largest.read + largest.written then largest = dispatch end
    end
    return {
        bytes = sums.read + sums.written, ratio = (sums.read + sums.written) / case.least,
        load = ratio(sums.load_sectors or 0, sums.load_requests or 0),
        load_ideal = ratio(sums.load_ideal or 0, sums.load_requests or 0),
        store = ratio(sums.store_sectors or 0, sums.store_requests or 0),
        store_ideal = ratio(sums.store_ideal or 0, sums.store_requests or 0),
        conflicts = ratio(sums.shared_cycles or 0, sums.shared_phases or 0),
        shared_loads = (sums.shared_loads or 0) / case.n, divisions = sums.divisions / case.n,
        barriers = most.barriers, chain = most.memory_chain, shared_chain = most.chain, private = most.private,
        work_groups = largest.groups, lost = sums.lost,
    }
end

-- Prints the dispatches of a case and their accesses, for people.
local function print_details(name, dispatches)
    for number, dispatch in ipairs(dispatches) do
        local text = text_of(dispatch.id)
        print(("%s: dispatch %d: %d groups of %d, reads %.0f and writes %.0f bytes, %d barriers, chain %d (with shared "
            .. "memory %d), %.0f divisions, %d private arrays%s"):format(name, number, dispatch.groups // 1,
            dispatch["local"] // 1, dispatch.read, dispatch.written, dispatch.barriers // 1,
            dispatch.memory_chain // 1, dispatch.chain // 1, dispatch.divisions, text.private_arrays,
            dispatch.lost > 0 and (", %.0f records lost"):format(dispatch.lost) or ""))
        for i, site in ipairs(dispatch.sites) do
            if site.requests > 0 then
                local flags = text.sites[i].flags
                local shared = flags & probe_text.flags.shared ~= 0
                local loads, stores = flags & probe_text.flags.load ~= 0, flags & probe_text.flags.store ~= 0
                print(("    %-10s %10.0f requests of %4.1f lanes, %2.0f bytes each: %s   %s"):format(
                    loads and stores and "load+store" or loads and "load" or "store", site.requests,
                    site.lanes / site.requests, site.bytes,
                    shared and ("conflicts %.2f"):format(ratio(site.cycles, site.phases))
                        or ("sectors %5.2f of %5.2f"):format(site.sectors / site.requests, site.ideal / site.requests),
                    text.sites[i].source:sub(1, 100)))
            end
        end
    end
end

--- probe.work(library, cases, options, phase): in the new process: runs cases and prints their figures. `phase` is
--- the function of counting.counted.
function probe.work(path, cases, options, phase)
    local rill = require "rill"
    local glprobe = assert(package.loadlib(path, "rill_glprobe"))()
    rill.device()
    glprobe.start(rewritten)
    for number, case in ipairs(cases) do
        local work = case.prepare(rill)
        work()
        rill.sync()
        phase "between"
        glprobe.record(case.samples or 4, ROOM, case.first)
        work()
        glprobe.record(0)
        phase(number)
        local dispatches = glprobe.take()
        for name, value in pairs(figures(case, dispatches)) do
            print(number, name, ("%.10g"):format(value))
        end
        if options.details then print_details(case.name, dispatches) end
        work = nil -- luacheck: ignore
        collectgarbage()
    end
end

-- ---- tables of figures

--- probe.columns: the columns of a table of figures. title, figure, format; of: another figure that the cell names;
--- most: whether a larger figure is worse; default: true.
probe.columns = {
    {title = "dispatches", figure = "dispatches", format = "%.0f"},
    {title = "copies", figure = "copies", format = "%.0f"},
    {title = "waits", figure = "waits", format = "%.0f"},
    {title = "queries", figure = "queries", format = "%.0f"},
    {title = "bytes / least", figure = "ratio", format = "%.2f"},
    {title = "load sectors", figure = "load", format = "%.2f", of = "load_ideal"},
    {title = "store sectors", figure = "store", format = "%.2f", of = "store_ideal"},
    {title = "conflicts", figure = "conflicts", format = "%.2f"},
    {title = "shared loads", figure = "shared_loads", format = "%.2f"},
    {title = "barriers", figure = "barriers", format = "%.0f"},
    {title = "divisions", figure = "divisions", format = "%.2f"},
    {title = "private arrays", figure = "private", format = "%.0f"},
    {title = "chain", figure = "chain", format = "%.0f"},
    {title = "with shared", figure = "shared_chain", format = "%.0f"},
    {title = "groups", figure = "work_groups", format = "%.0f", most = false},
}

--- probe.lines(results): returns the lines of a table: lists of cells, the titles first.
function probe.lines(results)
    local lines = {{"case"}}
    for _, column in ipairs(probe.columns) do
        table.insert(lines[1], column.title)
    end
    for _, result in ipairs(results) do
        local line = {result.name .. (result.figures.lost > 0 and " (incomplete)" or "")}
        for _, column in ipairs(probe.columns) do
            local text = column.format:format(result.figures[column.figure])
            line[#line + 1] = text .. (column.of and (" of " .. column.format):format(result.figures[column.of]) or "")
        end
        lines[#lines + 1] = line
    end
    return lines
end

--- probe.page: the page of the manual whose table has the figures of rill. The table is the only list of them.
probe.page = "docs/cost.md"

-- Returns the text of the page before the rows, the rows by the name of the case, and the text after them.
local function read_page()
    local file <close> = assert(io.open(probe.page))
    local before, rows, after = file:read "a":match "^(.-\n| case |[^\n]+\n|[%-|]+\n)(.-\n)(\n.*)$"
    local found = {}
    for row, name in (rows or ""):gmatch "(| ([^|]-) |[^\n]*\n)" do
        found[name] = row
    end
    return before, found, after
end

--- probe.documented(): returns the figures of the page: documented[case][figure].
function probe.documented()
    local _, rows = read_page()
    local result = {}
    for name, row in pairs(rows) do
        local cells, row_figures = {}, {}
        for cell in row:gmatch "|%s*([^|\n]+)" do
            cells[#cells + 1] = cell
        end
        for i, column in ipairs(probe.columns) do
            row_figures[column.figure] = tonumber(cells[i + 1]:match "^[%d.]+")
        end
        result[name] = row_figures
    end
    return result
end

--- probe.write(module, results): replaces the rows of the measured cases on the page. The other rows stay, if `module`
--- has their cases.
function probe.write(module, results)
    local before, rows, after = read_page()
    local lines = probe.lines(results)
    for i, result in ipairs(results) do
        rows[result.name] = "| " .. table.concat(lines[i + 1], " | ") .. " |\n"
    end
    local list = {}
    for _, case in ipairs(require(module)) do
        list[#list + 1] = rows[case.name]
    end
    local file <close> = assert(io.open(probe.page, "w"))
    file:write(before, table.concat(list), after)
end

-- ---- in this process

local function total(counts, names)
    local sum = 0
    for name in names:gmatch "%S+" do
        sum = sum + (counts[name] or 0)
    end
    return sum
end

-- Measures cases, given by their numbers in a module, in a process. Appends to `results` and returns the output.
local function measure(module, numbers, options, results)
    local all, script = require(module), ([[
        local all, cases = require(%q), {}
        for _, number in ipairs {%s} do cases[#cases + 1] = all[number] end
        require "spec.support.probe".work("%s", cases, {details = %s}, phase)
    ]]):format(module, table.concat(numbers, ", "), library, options.details or false)
    -- RILL_POISON adds launches that fill memory.
    local environment = {RILL_FAMILY = "gpu", RILL_POISON = false, RILL_TUNE = false, RILL_WRONG = false}
    for name, value in pairs(all[numbers[1]].environment or {}) do environment[name] = value end
    local preloaded = library
    if environment.RILL_WRONG then
        preloaded = preloaded .. " " .. assert(preload "wrongdriver")
    end
    local counts, out = counting.counted(script, environment, preloaded)
    for i, number in ipairs(numbers) do
        local own = counts[tostring(i)]
        own.dispatches = total(own, "glDispatchCompute glDispatchComputeIndirect")
        own.copies = total(own, "glCopyBufferSubData glClearBufferSubData glBufferSubData")
        own.waits = total(own, "glClientWaitSync glFinish glGetBufferSubData glGetNamedBufferSubData glMapBufferRange")
        own.queries = total(own, "glGetQueryObjectui64v glGetIntegerv glGetGraphicsResetStatus")
        results[#results + 1] = {name = all[number].name, case = all[number], figures = own}
    end
    return out
end

--- probe.measure(cases [, options]): measures cases: tables with name, n (elements), least (bytes that every algorithm
--- moves), prepare(rill), which returns the work, samples (groups to record; default 4), first (records the first
--- groups) and environment (a table of variables). `cases` is the name of a module, and `choose` of the options
--- selects. Returns a list of {name =, figures =}, and the output.
function probe.measure(module, options)
    options = options or {}
    local lists, results, out = {{}}, {}, {}
    for number, case in ipairs(require(module)) do
        if not options.choose or options.choose(case) then
            local list = case.environment and {} or lists[1]
            lists[#lists + 1] = case.environment and list or nil
            list[#list + 1] = number
        end
    end
    for _, numbers in ipairs(lists) do
        out[#out + 1] = numbers[1] and measure(module, numbers, options, results) or nil
    end
    return results, table.concat(out)
end

return probe
