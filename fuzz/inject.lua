-- Fault injection: inject.lua [SUBJECT ...]. For every subject of support/subjects.lua and every kind of event (spec/support/inject.c) the
-- n-th event fails, for n = 1, 2 ... until the subject passes; then for the opening of the device, the prompt, and a context that is lost, with
-- a process for every n. MOST (400) says how many n are tried of each, spread over all.
local lua = os.getenv "RILL_LUA" or "lua5.4"
local build = os.getenv "RILL_BUILD" or "build"
local most = tonumber(os.getenv "MOST") or 400
local library = os.getenv "RILL_INJECT_LIBRARY" or build .. "/spec/inject.so"

local findings, family = 0, "cpu"

local function finding(format, ...)
    findings = findings + 1
    print("finding: " .. format:format(...))
end

local function lines_of(path)
    local list = {}
    local file = io.open(path)
    for line in file and file:lines() or function() end do
        list[#list + 1] = line
    end
    if file then
        file:close()
    end
    os.remove(path)
    return list
end

-- Runs a command with the library in front; gives how it ended (nil: by itself), its status, and the lines of its log.
local function run(limit, command, setting)
    local log = os.tmpname()
    -- As if work were queued: only then is there something to wait for.
    setting = (setting or "") .. (command:find(" request ", 1, true) and "' RILL_ASYNC='1" or "")
    local environment = ("env LD_PRELOAD='%s' RILL_INJECT_LIBRARY='%s' RILL_INJECT_LOG='%s.end'"):format(library,
        library, log)
        .. (" RILL_INJECT_FOLDER='%s' RILL_FAMILY=%s RILL_INJECT='%s'"):format(build, family, setting)
    local _, how, status = os.execute(("timeout -k 2 %d %s %s >'%s.out' 2>&1"):format(limit, environment,
        command:gsub("LOG", log), log))
    local signal = how == "signal" and status or status > 128 and status - 128
    local ended
    if signal == 2 then
        os.exit(130)
    elseif status == 124 or signal == 9 then
        ended = "hangs"
    elseif signal then
        ended = "crashes with signal " .. signal
    end
    local output = table.concat(lines_of(log .. ".out"), "\n")
    return ended, status, lines_of(log), (lines_of(log .. ".end")[1] or ""), output
end

local function number(text, name)
    return tonumber(text:match(name .. " (%-?%d+)")) or 0
end

-- Blocks of the module that are never freed, by design: what is there when a sweep ends without a fault.
local function left_by(subject)
    local _, _, _, last = run(300, ("%s fuzz/injected.lua %s none 1 1 LOG"):format(lua, subject))
    return number(last, "blocks")
end

local failed = {} -- kind -> how many were made to fail, so that no kind goes untested unseen

-- All n in one process; a new one from the next n on where it dies.
local function sweep(subject, kind)
    local blocks = left_by(subject)
    local first, step, reached, tried, deaths, messages = 1, 1, 0, 0, 0, 0
    repeat
        local ended, status, lines, last, output = run(600, ("%s fuzz/injected.lua %s %s %d %d LOG"):format(lua,
            subject, kind,
            first, most))
        local passed
        for _, line in ipairs(lines) do
            step = math.tointeger(tonumber(line:match "^step (%d+)")) or step
            reached = math.tointeger(tonumber(line:match "^at (%d+)")) or reached
            tried = tried + (tonumber(line:match "^tried (%d+)") or 0)
            messages = messages + (tonumber(line:match "^message (%d+)") or 0)
            passed = passed or line:find "^passed"
            if line:find "^finding" then
                finding("%s, %s %s", subject, kind, line:sub(9))
            elseif line:find "^message" and os.getenv "VERBOSE" then
                print("         " .. line)
            end
        end
        if not passed then
            deaths = deaths + 1
            finding("%s, %s %d: %s %s", subject, kind, reached, ended or "exit status " .. status, output:sub(1, 600))
        elseif number(last, "buffers") ~= 0 or number(last, "programs") ~= 0 or number(last, "blocks") > blocks then
            finding("%s, %s: at the end %s (%d blocks without faults)", subject, kind, last, blocks)
        end
        first = reached + step
    until passed or deaths == 5
    failed[kind] = (failed[kind] or 0) + tried
    print(("%-8s %-8s n = 1 .. %d by %d: %d tried, %d errors"):format(subject, kind, reached, step, tried, messages))
    io.flush()
end

-- A process for every n, from its start on.
local function processes(title, kind, command, count, judge)
    local _, _, _, last = run(300, command, kind .. " 0")
    local events, blocks = number(last, "events"), number(last, "blocks")
    local step, n, tried, errors = math.max(1, events // count), 1, 0, 0
    while n <= events do
        local ended, status, lines, closing, output = run(120, command, kind .. " " .. n)
        tried = tried + 1
        errors = errors + ((status ~= 0 or (lines[1] or ""):find "^error") and 1 or 0)
        if ended then
            finding("%s, %s %d: %s %s", title, kind, n, ended, output:sub(1, 400))
        elseif judge then
            judge(n, status, lines, output)
        end
        if not ended and number(closing, "blocks") > blocks then
            finding("%s, %s %d: %d blocks left", title, kind, n, number(closing, "blocks") - blocks)
        end
        n = n + step
    end
    print(("%-8s %-8s n = 1 .. %d by %d: %d tried, %d errors"):format(title, kind, events, step, tried, errors))
    io.flush()
end

local chosen = #arg > 0 and arg or {"sort", "request", "picture", "tour", "open", "lost", "prompt"}
local kinds = {"alloc", "lua", "png", "buffer", "compile", "link", "map", "read", "wait"}

local function once(subject)
    return ("%s fuzz/injected.lua %s once 0 0 LOG"):format(lua, subject)
end

-- An error is one of Lua's, or Lua has no memory to begin with.
local function not_wrong(title)
    return function(n, status, lines, output)
        local said = lines[1] or ""
        local error_said = said:find "^error" or output:find("not enough memory", 1, true)
        if status ~= 0 and not error_said or said:find "^error wrong" then
            finding("%s %d: exit status %d: %s %s", title, n, status, said, output:sub(1, 400))
        end
    end
end

-- Where work was cut off, whoever waits for it must learn which device it was.
local function names_device(title)
    local judge = not_wrong(title)
    return function(n, status, lines, output)
        local said = lines[1] or ""
        judge(n, status, lines, output)
        if said:find "^error" and not said:find 'device ".-": the driver reset' then
            finding("%s %d: the device is not named: %s", title, n, said)
        end
    end
end

local function inject(subject)
    if subject == "open" then
        for _, kind in ipairs {"alloc", "lua", "buffer", "compile", "link", "map", "wait"} do
            processes("open", kind, once "usable_once", most // 4, not_wrong("open, " .. kind))
        end
    elseif subject == "lost" then
        for _, of in ipairs {"sort", "request", "picture", "tour"} do
            processes("lost in " .. of, "lost", once(of), most // 8, names_device("lost in " .. of))
        end
    elseif subject == "prompt" then
        local command = "printf 'x = rill.iota(10)\\nx\\nx:sum()\\n?scan\\n' | " .. lua
            .. " -e 'require(\"rill\").repl {quiet = true}'"
        for _, kind in ipairs {"alloc", "lua", "compile", "buffer"} do
            processes("prompt", kind, ("sh -c %q"):format(command), most // 8)
        end
    else
        for _, kind in ipairs(kinds) do
            sweep(subject, kind)
        end
    end
end

for _, name in ipairs {"cpu", "gpu"} do
    family = name
    print("== RILL_FAMILY=" .. name)
    for _, subject in ipairs(chosen) do
        inject(subject)
    end
end
for _, kind in ipairs(#arg == 0 and kinds or {}) do
    if failed[kind] == 0 then
        finding("no %s was made to fail", kind)
    end
end
print(("inject: %d findings"):format(findings))
os.exit(findings == 0)
