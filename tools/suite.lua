-- Runs the suite: suite.lua PASS... [-- SPEC...]. Every spec file runs in a process of its own, so that a crash, a hang or a
-- leak found at exit counts as one more failure of that file and stops nothing else. The last line is
-- "N passed, N failed[, N skipped]"; the exit status is 0 only when tests ran and none failed.
--
-- Environment: RILL_LUA (the interpreter), RILL_BUILD (the build tree, for specs that start processes), RILL_PRELOAD (a library
-- to preload: the sanitizer's), RILL_SUITE_TIMEOUT (seconds one file may take; 600 unless told).

local lua = os.getenv "RILL_LUA" or "lua5.4"
local timeout = tonumber(os.getenv "RILL_SUITE_TIMEOUT" or 600)

-- Files where the device's family or the collector make no difference are left out of the passes about them; so are tests
-- tagged "#slow", which the first pass has run.
local no_family = {
    "check", "command", "demo", "docs", "error", "examples", "image", "install", "make", "png", "pnm", "readme",
    "strbuf",
}
local no_collector = {"check", "command", "demo", "docs", "examples", "install", "make", "prompt", "readme"}

local passes = {
    own = {env = "", title = "the device's own family"},
    cpu = {env = "RILL_FAMILY=cpu", title = "RILL_FAMILY=cpu"},
    gpu = {env = "RILL_FAMILY=gpu", title = "RILL_FAMILY=gpu", without = no_family,
        options = "--exclude-tags=slow"},
    gc = {env = "", title = "an aggressive collector", without = no_collector,
        options = "--helper=spec/support/gc.lua --exclude-tags=slow"},
    sanitize = {title = "sanitizers", without = no_collector, options = "--exclude-tags=slow",
        env = ("LD_PRELOAD='%s' RILL_SANITIZE=1"):format(os.getenv "RILL_PRELOAD" or "")
            -- Without intercept_tls_get_addr=0 the leak checker itself crashes: in thread-local storage Mesa has let go.
            .. " ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0:exitcode=99"
            .. " UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
            .. " LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0"},
}

local function capture(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    pipe:close()
    return text
end

-- The family that the device would not choose by itself, so that one run covers both, on any device.
local function other_family()
    local family = capture(lua .. [[ -e 'io.write(require("rill").device().family)' 2>/dev/null]])
    return family == "gpu" and "cpu" or "gpu"
end

local function arguments()
    local chosen, specs, into = {}, {}, nil
    for _, word in ipairs(arg) do
        if word == "--" then
            into = specs
        elseif into then
            into[#into + 1] = word
        else
            if word == "other" then
                word = other_family()
            end
            assert(passes[word], "suite: no pass '" .. word .. "'")
            chosen[#chosen + 1] = word
        end
    end
    return chosen, specs
end

local function all_specs()
    local specs = {}
    for path in capture "find spec -name '*_spec.lua' | LC_ALL=C sort":gmatch "[^\n]+" do
        specs[#specs + 1] = path
    end
    return specs
end

local function excluded(path, names)
    local name = path:match "([^/]+)_spec%.lua$"
    for _, other in ipairs(names or {}) do
        if name == other then
            return true
        end
    end
    return false
end

-- Reads what report.lua wrote: counts, the names of failures, whether the file came to its end, the test it was in.
local function read_log(path)
    local result = {pass = 0, fail = 0, skip = 0, failures = {}, finished = false, current = nil}
    local file = io.open(path)
    for line in file and file:lines() or function() end do
        local event, name = line:match "^(%l+) ?(.*)$"
        if event == "start" then
            result.current = name
        elseif event == "end" then
            result.finished = true
        elseif event then
            result[event] = result[event] + 1
            result.current = nil
            if event == "fail" then
                table.insert(result.failures, name)
            end
        end
    end
    if file then
        file:close()
    end
    return result
end

-- How a process ended, in words; nil when it ended well. A shell between us reports signals as 128 + n.
local function ending(how, status)
    local signal = how == "signal" and status or (status > 128 and status - 128)
    if signal then
        return "killed by signal " .. signal, signal
    elseif status == 124 then
        return ("took longer than %d seconds"):format(timeout)
    elseif status ~= 0 then
        return "exit status " .. status
    end
end

local function add_failure(result, text)
    result.fail = result.fail + 1
    table.insert(result.failures, text)
    io.write("  failure: ", text, "\n")
end

-- A failure that busted did not count itself.
local function judge(result, pass, how, status)
    local ended, signal = ending(how, status)
    if signal == 2 then
        io.write "suite: interrupted\n"
        os.exit(130)
    end
    if not result.finished then
        local where = result.current and (" in test '" .. result.current .. "'") or ""
        add_failure(result, (ended or "ended early") .. where)
    elseif ended and result.fail == 0 then
        add_failure(result, ended .. " after all tests passed")
    elseif not pass.options and result.pass + result.fail + result.skip == 0 then
        add_failure(result, "no tests in this file")
    end
end

local function seconds()
    return tonumber(capture "date +%s.%N")
end

local function run(pass, spec, log)
    local busted = lua .. " tools/busted.lua -o tools/report.lua " .. (pass.options or "")
    local command = ("timeout -k 10 %d env RILL_SUITE_LOG='%s' %s %s '%s' </dev/null")
        :format(timeout, log, pass.env, busted, spec)
    local start = seconds()
    os.remove(log)
    io.flush()
    local _, how, status = os.execute(command)
    local result = read_log(log)
    judge(result, pass, how, status)
    result.seconds = seconds() - start
    return result
end

local function summary(counts)
    local text = ("%d passed, %d failed"):format(counts.pass, counts.fail)
    return counts.skip > 0 and ("%s, %d skipped"):format(text, counts.skip) or text
end

local chosen, given = arguments()
local total = {pass = 0, fail = 0, skip = 0}
local failures = {}
local log = os.tmpname()
local begin = seconds()

for _, name in ipairs(chosen) do
    local pass = passes[name]
    print("== " .. pass.title)
    for _, spec in ipairs(#given > 0 and given or all_specs()) do
        if #given > 0 or not excluded(spec, pass.without) then
            local result = run(pass, spec, log)
            print(("%-8s %-40s %6.1f s  %s"):format(name, spec, result.seconds, summary(result)))
            for key in pairs(total) do
                total[key] = total[key] + result[key]
            end
            for _, failure in ipairs(result.failures) do
                table.insert(failures, ("%s: %s: %s"):format(name, spec, failure))
            end
        end
    end
end
os.remove(log)

print(("\nsuite: %.0f seconds"):format(seconds() - begin))
for _, failure in ipairs(failures) do
    print("failed: " .. failure)
end
if total.pass + total.fail == 0 then
    print "suite: no test ran"
end
print(summary(total))
os.exit(total.fail == 0 and total.pass > 0)
