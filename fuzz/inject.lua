-- Injects faults: inject.lua [SUBJECT ...]. For every subject of support/subjects.lua and every kind of event
-- (spec/support/inject.c), lets the n-th event fail, for n = 1, 2, ... until the subject succeeds. Then does the
-- same for the first run of a subject (cold), the opening of the device, the prompt, and a lost context, with a new
-- process for every n. MOST (default: 400) is the number of values of n to try, evenly spaced. FAMILY: cpu or gpu;
-- default: both. Prints a table at the end: how far n went (and in which steps, if there were more than MOST), the
-- numbers of faults, errors, leaks and other findings.
local child = require "spec.support.child"
local says = require "fuzz.support.says"

local lua = os.getenv "RILL_LUA" or "lua5.4"
local build = os.getenv "RILL_BUILD" or "build"
local most = tonumber(os.getenv "MOST") or 400
local library = os.getenv "RILL_INJECT_LIBRARY" or build .. "/spec/inject.so"

local findings, family = 0, "cpu"
local table_rows = {}

local function finding(row, what, format, ...)
    findings = findings + 1
    row[what] = row[what] + 1
    print(("finding: %s, %s, %s %s"):format(family, row.title, row.kind, format:format(...)))
end

local function new_row(title, kind)
    return {title = title, kind = kind, reached = 0, step = 1, tried = 0, errors = 0, leaks = 0, others = 0}
end

local ROW <const> = "%-16s %-6s %-8s %9s %6s %6s %6s %6s"

local function finish(row)
    local by = row.step > 1 and " by " .. row.step or ""
    table_rows[#table_rows + 1] = ROW:format(row.title, family, row.kind, row.reached .. by, row.tried, row.errors,
        row.leaks, row.others)
    print(table_rows[#table_rows])
    io.flush()
end

-- Runs a command with the library preloaded. Returns how it ended (nil: by itself), its status, the lines of its
-- log, the last lines of the library, and its output.
local function run(limit, command, setting)
    local log = os.tmpname()
    -- Treats work as queued, because only then the program waits.
    setting = (setting or "") .. (command:find(" request ", 1, true) and "' RILL_ASYNC='1" or "")
    local environment = ("env LD_PRELOAD='%s' RILL_INJECT_LIBRARY='%s' RILL_INJECT_LOG='%s.end'"):format(library,
        library, log)
        .. (" RILL_INJECT_FOLDER='%s' RILL_FAMILY=%s RILL_INJECT='%s'"):format(build, family, setting)
    local ended, status = child.run(limit, ("%s %s >'%s.out' 2>&1"):format(environment, command:gsub("LOG", log), log))
    local output = table.concat(child.take(log .. ".out"), "\n")
    return ended, status, child.take(log), child.take(log .. ".end")[1] or "", output
end

local function number(text, name)
    return tonumber(text:match(name .. " (%-?%d+)")) or 0
end

-- Blocks of the module that are never freed, by design: the blocks that exist after a run without a fault.
local function left_by(subject)
    local _, _, _, last = run(300, ("%s fuzz/injected.lua %s none 1 1 LOG"):format(lua, subject))
    return number(last, "blocks")
end

local failed = {} -- kind -> number of faults, to detect kinds that were never tested

local function note_line(row, line)
    row.step = math.tointeger(tonumber(line:match "^step (%d+)")) or row.step
    row.reached = math.tointeger(tonumber(line:match "^at (%d+)")) or row.reached
    row.tried = row.tried + (tonumber(line:match "^tried (%d+)") or 0)
    row.errors = row.errors + (tonumber(line:match "^message (%d+)") or 0)
    if line:find "^finding" then
        finding(row, line:find "^finding %d+ left" and "leaks" or "others", "%s", line:sub(9))
    elseif line:find "^message" and os.getenv "VERBOSE" then
        print("         " .. line)
    end
    return line:find "^passed" ~= nil
end

-- Tries all n in one process. If it dies, continues with the next n in a new process.
local function sweep(subject, kind)
    local row, blocks = new_row(subject, kind), left_by(subject)
    local first, deaths = 1, 0
    repeat
        local ended, status, lines, last, output = run(3600, ("%s fuzz/injected.lua %s %s %d %d LOG"):format(lua,
            subject, kind, first, most))
        local passed
        for _, line in ipairs(lines) do
            passed = note_line(row, line) or passed
        end
        if not passed then
            deaths = deaths + 1
            finding(row, "others", "%d: %s %s", row.reached, ended or "exit status " .. status, output:sub(1, 600))
        elseif number(last, "buffers") ~= 0 or number(last, "programs") ~= 0 or number(last, "blocks") > blocks then
            finding(row, "leaks", "at the end: %s (%d blocks without faults)", last, blocks)
        end
        first = row.reached + row.step
    until passed or deaths == 5
    failed[kind] = (failed[kind] or 0) + row.tried
    finish(row)
end

-- Tries at most `count` values of n, each in a new process. `judge` returns true for an error and nil otherwise, and
-- raises findings.
local function processes(title, kind, command, count, judge)
    local row = new_row(title, kind)
    local _, _, _, last, right = run(300, command, kind .. " 0")
    local events, blocks = number(last, "events"), number(last, "blocks")
    row.step = math.max(1, events // math.max(1, count))
    row.reached = events
    for n = 1, events, row.step do
        local ended, status, lines, closing, output = run(120, command, kind .. " " .. n)
        row.tried = row.tried + 1
        if ended then
            finding(row, "others", "%d: %s %s", n, ended, output:sub(1, 400))
        elseif judge(row, n, {status = status, said = lines[1] or "", output = output, right = right}) then
            row.errors = row.errors + 1
        end
        if not ended and number(closing, "blocks") > blocks then
            finding(row, "leaks", "%d: %d blocks left", n, number(closing, "blocks") - blocks)
        end
    end
    failed[kind] = (failed[kind] or 0) + row.tried
    finish(row)
end

local chosen = #arg > 0 and arg or
    {"sort", "request", "picture", "containers", "pages", "trees", "tour", "structures", "cold", "open", "lost",
        "prompt"}
local kinds = {"alloc", "lua", "buffer", "compile", "link", "map", "read", "wait"}

local function once(subject)
    return ("%s fuzz/injected.lua %s once 0 0 LOG"):format(lua, subject)
end

-- An error must be a Lua error that says what failed, or Lua has no memory to start.
local function judge_error(row, n, result)
    local said = result.said:match "^error (.*)"
    local starved = result.output:find("not enough memory", 1, true)
    if said and not says(row.kind, said) or not said and result.status ~= 0 and not starved then
        finding(row, "others", "%d: exit status %d: %s %s", n, result.status, result.said, result.output:sub(1, 400))
    end
    return said or result.status ~= 0
end

-- Returns the output of the prompt, without its messages about slow statements.
local function screen(output)
    return (("\n" .. output):gsub("\n +[%d.]+ m?s%f[\n\0]", ""))
end

-- The prompt must print its usual output or an error. It must continue, and its last statements must work.
local function judge_prompt(row, n, result)
    local error_said = says(row.kind, result.output)
    local whole = screen(result.output) == screen(result.right)
    local goes_on = result.output:find "\n42%f[\n\0]" or row.kind == "lost" or result.status ~= 0
    if not (error_said and goes_on or whole) then
        finding(row, "others", "%d: exit status %d: %s", n, result.status, result.output:sub(1, 600))
    end
    return error_said
end

local STATEMENTS <const> = [[
x = rill.iota(10)
x
x:sum()
y = x:map "x * 2"
y:sort()
rill.kernel "kernel void half(float x<>, out float r<>) { r = 0.5 * x; }" (rill.from {1, 2})
?scan
rill.from {40, 2}:sum() | 0
rill.from {40, 2}:sum() | 0
]]

local function prompt()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(STATEMENTS)
    file:close()
    local command = ("%s bin/rill -i <'%s'"):format(lua, path)
    for _, kind in ipairs {"alloc", "lua", "buffer", "compile", "link", "map", "read", "wait", "lost"} do
        processes("prompt", kind, command, most // 4, judge_prompt)
    end
    os.remove(path)
end

local function inject(subject)
    if subject == "open" then
        for _, kind in ipairs {"alloc", "lua", "buffer", "compile", "link", "map", "read", "wait"} do
            processes("open", kind, once "usable_once", most // 4, judge_error)
        end
    elseif subject == "cold" then -- compiled and cached by the first run
        for _, of in ipairs {"sort", "tour"} do
            for _, kind in ipairs {"alloc", "buffer", "compile", "link"} do
                processes("cold " .. of, kind, once(of), most // 4, judge_error)
            end
        end
    elseif subject == "lost" then
        for _, of in ipairs {"sort", "request", "picture", "tour"} do
            processes("lost in " .. of, "lost", once(of), most // 4, judge_error)
        end
    elseif subject == "prompt" then
        prompt()
    else
        for _, kind in ipairs(kinds) do
            sweep(subject, kind)
        end
    end
end

for _, name in ipairs {"cpu", "gpu"} do
    if (os.getenv "FAMILY" or name) == name then
        family = name
        print("== RILL_FAMILY=" .. name)
        for _, subject in ipairs(chosen) do
            inject(subject)
        end
    end
end
for _, kind in ipairs(#arg == 0 and kinds or {}) do
    if failed[kind] == 0 then
        findings = findings + 1
        print(("finding: no %s was made to fail"):format(kind))
    end
end
print("\n" .. ROW:format("subject", "family", "kind", "n reached", "tried", "errors", "leaks", "others"))
print(table.concat(table_rows, "\n"))
print(("inject: %d findings"):format(findings))
os.exit(findings == 0)
