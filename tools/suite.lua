-- Runs the suite: suite.lua PASS... [-- SPEC...]. tools/passes.lua lists the passes; "other" is the family that is
-- not the device's default, "drivers" all drivers of this machine. A SPEC is a file, a directory, or a name: "sort"
-- for the file sort_spec.lua anywhere in spec/. Every spec file runs in a separate process, so that a crash, a hang
-- or a leak counts as one more failure of that file and does not affect other files. As many processes run at once
-- as there are cores. The last line is "N passed, N failed[, N skipped]". The exit status is 0 only if tests ran and
-- none failed.
--
-- Environment variables:
--   RILL_LUA            the interpreter
--   RILL_BUILD          the build tree, for specs that start processes
--   RILL_PRELOAD        a library to preload, such as a sanitizer's
--   RILL_SUITE_TIMEOUT  seconds that one file may take; default: 600, multiplied by the load of the machine per core
--   RILL_SUITE_JOBS     number of files that run at once; default: the number of cores
--   RILL_SUITE_BUDGET   seconds after which no further file starts; the remaining files count as skipped
--   RILL_SUITE_LONG     if set, tests tagged #long run too

package.path = "tools/?.lua;" .. package.path
local plan = require "passes"
local capture = plan.capture

local lua = os.getenv "RILL_LUA" or "lua5.4"
local timeout = tonumber(os.getenv "RILL_SUITE_TIMEOUT")
local budget = tonumber(os.getenv "RILL_SUITE_BUDGET" or math.huge)

local function seconds()
    return tonumber(capture "date +%s.%N")
end

-- Returns the seconds that a file may take which starts now. Other programs on the machine make it slower.
local function limit()
    if timeout then
        return timeout
    end
    local file <close> = io.open "/proc/loadavg"
    local load, cores = file and file:read "n" or 1, tonumber(capture "nproc") or 1
    return math.ceil(600 * math.max(1, load / cores))
end

-- ---- choosing passes and files

-- Returns the name of the device in the environment of a pass, or nil and the message if no device opens.
local function device_name(env)
    local text = capture(("( env %s %s -e 'io.write(require(\"rill\").device().name)' 2>&1 )"):format(env, lua))
    if text:find("stack traceback", 1, true) then
        return nil, text:match "[^\n]*"
    end
    return text
end

-- Returns the family that is not the device's default, so that one run covers both families on any device.
local function other_family()
    local family = capture(lua .. [[ -e 'io.write(require("rill").device().family)']])
    return family == "gpu" and "cpu" or "gpu"
end

local function add_passes(chosen, word)
    local names = word == "drivers" and plan.drivers or {word == "other" and other_family() or word}
    for _, name in ipairs(names) do
        local pass = assert(plan.passes[name], "suite: no pass '" .. name .. "'")
        pass.name = name
        pass.counts = {pass = 0, fail = 0, skip = 0, tagged = {}}
        chosen[#chosen + 1] = pass
    end
end

local function arguments()
    local chosen, words, into = {}, {}, nil
    for _, word in ipairs(arg) do
        if word == "--" then
            into = words
        elseif into then
            into[#into + 1] = word
        else
            add_passes(chosen, word)
        end
    end
    return chosen, words
end

local function spec_name(path)
    return path:match "([^/]+)_spec%.lua$"
end

local function specs_under(folder)
    local specs = {}
    for path in capture(("find '%s' -name '*_spec.lua' 2>/dev/null | LC_ALL=C sort"):format(folder)):gmatch "[^\n]+" do
        specs[#specs + 1] = path
    end
    return specs
end

-- Returns the spec files under spec/ by name. Names are unique.
local function specs_by_name()
    local named = {}
    for _, path in ipairs(specs_under "spec") do
        local name = spec_name(path)
        assert(not named[name], ("suite: %s and %s have one name"):format(named[name], path))
        named[name] = path
    end
    return named
end

local function is_file(path)
    local file <close> = io.open(path)
    return file and file:read(0) ~= nil
end

-- Returns the files that the words name, or all files if there are no words.
local function chosen_specs(words, named)
    local specs = #words == 0 and specs_under "spec" or {}
    for _, word in ipairs(words) do
        local found = is_file(word) and {word} or specs_under(word)
        if not found[1] then
            local name = spec_name(word .. (word:find "%.lua$" and "" or ".lua")) or word
            found[1] = assert(named[name], ("no spec file, folder or name '%s'"):format(word))
        end
        table.move(found, 1, #found, #specs + 1, specs)
    end
    return specs
end

-- Reports files that tools/passes.lua names and that do not exist.
local function assert_known(named)
    for _, pass in pairs(plan.passes) do
        for _, list in ipairs {pass.quick or {}, table.unpack(pass.out or {})} do
            for _, name in ipairs(list) do
                assert(named[name], ("tools/passes.lua: no spec file is named '%s'"):format(name))
            end
        end
    end
end

-- Returns why a pass leaves out a spec file, or nil.
local function left_out(pass, spec)
    for _, list in ipairs(pass.out or {}) do
        for _, name in ipairs(list) do
            if name == spec_name(spec) then
                return list.reason
            end
        end
    end
end

-- A driver is absent if this machine lacks it, or if other passes of this run use it.
local function settle_driver(pass, used)
    if pass.expects and not pass.absent then
        local name, message = device_name(pass.env)
        if not name then
            pass.absent = message
        elseif not name:find(pass.expects) then
            pass.absent = ("\"%s\" opens instead"):format(name)
        elseif name == used then
            pass.absent = "the passes above are on it"
        end
        pass.device = name
    end
end

-- Returns the device of the passes that use the default device, if they cover both of its families.
local function used_device(chosen)
    local own = 0
    for _, pass in ipairs(chosen) do
        own = own + (pass.whole and 1 or 0)
    end
    return own == 2 and device_name "" or nil
end

-- Returns the files to run, as {pass =, spec =}, and adds the reasons for skipped files to `skips`. The passes of a
-- file run one after the other, so that all passes have run the same files when the time budget is exhausted.
local function jobs(chosen, specs, every, skips)
    local list, used = {}, used_device(chosen)
    for _, pass in ipairs(chosen) do
        settle_driver(pass, used)
    end
    for _, spec in ipairs(specs) do
        for _, pass in ipairs(chosen) do
            local reason = every and left_out(pass, spec)
            if reason then
                skips:add(pass, reason, spec_name(spec))
            elseif not pass.absent then
                list[#list + 1] = {pass = pass, spec = spec, whole = every}
            end
        end
    end
    return list
end

-- ---- running one file

-- Reads the log that report.lua wrote: counts, names of failures, whether the file finished, the last test.
local function read_log(path)
    local result = {pass = 0, fail = 0, skip = 0, failures = {}, reasons = {}, tags = {}, finished = false}
    local file = io.open(path)
    for line in file and file:lines() or function() end do
        local event, name = line:match "^(%l+) ?(.*)$"
        if event == "start" then
            result.current = name
        elseif event == "end" then
            result.finished = true
        elseif event == "reason" then
            table.insert(result.reasons, name)
        elseif event == "tag" then
            result.skip = result.skip + 1
            result.tags[name] = (result.tags[name] or 0) + 1
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

-- Describes how a process ended, or returns nil if it succeeded. Shells report signals as 128 + n.
local function ending(status, limit_of_file)
    if status > 128 then
        return "killed by signal " .. status - 128
    elseif status == 124 then
        return ("took longer than %d seconds"):format(limit_of_file)
    elseif status ~= 0 then
        return "exit status " .. status
    end
end

-- Adds a failure that busted did not count.
local function add_failure(result, text)
    result.fail = result.fail + 1
    table.insert(result.failures, text)
    result.output = result.output .. "  failure: " .. text .. "\n"
end

local function judge(result, status, limit_of_file)
    local ended = ending(status, limit_of_file)
    if not result.finished then
        local where = result.current and (" in test '" .. result.current .. "'") or ""
        add_failure(result, (ended or "ended early") .. where)
    elseif ended and result.fail == 0 then
        add_failure(result, ended .. " after all tests passed")
    elseif result.pass + result.fail + result.skip == 0 then
        add_failure(result, "no tests in this file")
    end
end

local folder = os.tmpname()
local done = folder .. "/done"

-- Returns the words for `env` that a pass gives to a file. In a run of the whole suite there are more of them.
local function environment(pass, spec, whole)
    local quick = whole and pass.quick or {env = ""}
    for _, name in ipairs(quick) do
        if name == spec_name(spec) then
            return pass.env
        end
    end
    return quick.env .. " " .. pass.env
end

-- Starts one file. Its output is written to a file, and at its end "NUMBER STATUS" is written to the pipe that
-- run_all reads. It runs in the background, so that the shell can react to an interrupt immediately by ending the
-- file. Shells ignore interrupts in background processes, which is undone.
local function start(number, job)
    job.log = ("%s/%d"):format(folder, number)
    job.began, job.limit = seconds(), limit()
    local busted = ("%s tools/busted.lua -o tools/report.lua %s '%s'"):format(
        lua, job.pass.options or "", job.spec)
    local settings = ("RILL_SUITE_LOG='%s' RILL_SUITE_TAGS='%s' %s"):format(
        job.log, table.concat(job.pass.tags or {}, " "), environment(job.pass, job.spec, job.whole))
    local command = ("timeout -k 10 %d env --default-signal=INT,QUIT %s %s"):format(job.limit, settings, busted)
    job.process = io.popen(([[
        %s </dev/null >'%s.out' 2>&1 & child=$!
        trap 'kill $child' INT TERM
        wait $child; status=$?
        trap '' INT TERM
        wait $child 2>/dev/null
        echo %d $status >'%s']]):format(command, job.log, number, done))
end

local function take(job, status)
    job.process:close()
    local result = read_log(job.log)
    local file <close> = assert(io.open(job.log .. ".out"))
    result.output = file:read "a"
    result.seconds = seconds() - job.began
    judge(result, status, job.limit)
    return result
end

-- ---- running all files

local function summary(counts)
    local text = ("%d passed, %d failed"):format(counts.pass, counts.fail)
    return counts.skip > 0 and ("%s, %d skipped"):format(text, counts.skip) or text
end

local total = {pass = 0, fail = 0, skip = 0}
local failures = {}

-- Prints what was skipped, by pass and reason.
local skips = {order = {}}

function skips:add(pass, reason, name)
    local key = pass.name .. "\0" .. reason
    if not self[key] then
        self[key] = {pass = pass.name, reason = reason}
        table.insert(self.order, self[key])
    end
    table.insert(self[key], name)
end

local function note(job, result)
    print(("%-13s %-40s %6.1f s  %s"):format(job.pass.name, job.spec, result.seconds, summary(result)))
    io.write(result.output)
    for key in pairs(total) do
        total[key] = total[key] + result[key]
        job.pass.counts[key] = job.pass.counts[key] + result[key]
    end
    for _, reason in ipairs(result.reasons) do
        skips:add(job.pass, reason, spec_name(job.spec))
    end
    for tag, count in pairs(result.tags) do
        local tagged = job.pass.counts.tagged
        tagged[tag] = (tagged[tag] or 0) + count
    end
    for _, failure in ipairs(result.failures) do
        table.insert(failures, ("%s: %s: %s"):format(job.pass.name, job.spec, failure))
    end
    if result.fail > 0 then
        local quick = environment(job.pass, job.spec, job.whole):sub(1, -2 - #job.pass.env)
        print(("  again: %smake test-%s SPEC=%s"):format(#quick > 0 and quick .. " " or "", job.pass.name, job.spec))
    end
    io.flush()
end

local function run_all(list, width, deadline)
    local pipe <close> = assert(io.open(done, "r+"))
    local started, running = 0, 0
    while started < #list or running > 0 do
        while started < #list and running < width do
            started = started + 1
            local job = list[started]
            if seconds() < deadline then
                start(started, job)
                running = running + 1
            else
                total.skip = total.skip + 1
                job.pass.counts.skip = job.pass.counts.skip + 1
                skips:add(job.pass, "the time given was up", spec_name(job.spec))
            end
        end
        if running > 0 then
            local number, status = assert(pipe:read "l"):match "^(%d+) (%d+)$"
            local job = list[tonumber(number)]
            running = running - 1
            note(job, take(job, tonumber(status)))
        end
    end
end

local function print_table(chosen)
    print(("\n%-14s %7s %7s %8s  %s"):format("pass", "passed", "failed", "skipped", "what"))
    for _, pass in ipairs(chosen) do
        local counts = pass.counts
        if pass.absent then
            print(("%-14s %7s %7s %8s  not available: %s"):format(pass.name, "-", "-", "-", pass.absent))
        else
            print(("%-14s %7d %7d %8d  %s"):format(
                pass.name, counts.pass, counts.fail, counts.skip, pass.device or pass.title))
        end
    end
end

local function print_skips(chosen)
    for _, pass in ipairs(chosen) do
        for _, tag in ipairs(pass.tags or {}) do
            local count = pass.counts.tagged[tag]
            if count then
                print(("left out of %s, because %s: %d tests tagged #%s"):format(pass.name, plan.tags[tag], count, tag))
            end
        end
    end
    for _, entry in ipairs(skips.order) do
        print(("left out of %s, because %s: %s"):format(entry.pass, entry.reason, table.concat(entry, " ")))
    end
end

local function main()
    local begin = seconds()
    local named = specs_by_name()
    assert_known(named)
    local chosen, words = arguments()
    local list = jobs(chosen, chosen_specs(words, named), #words == 0, skips)
    for _, pass in ipairs(chosen) do
        print("== " .. pass.name .. ": " .. pass.title)
        if #words == 0 and pass.quick then
            print(pass.quick.title)
        end
    end
    io.flush()
    run_all(list, tonumber(os.getenv "RILL_SUITE_JOBS" or capture "nproc"), begin + budget)
    print_skips(chosen)
    print_table(chosen)
    print(("suite: %.0f seconds"):format(seconds() - begin))
    for _, failure in ipairs(failures) do
        print("failed: " .. failure)
    end
    if total.pass + total.fail == 0 then
        print "suite: no test ran"
    end
    print(summary(total))
end

assert(os.remove(folder))
assert(os.execute(("mkdir '%s' && mkfifo '%s'"):format(folder, done)))
local good, message = pcall(main)
os.execute(("rm -rf '%s'"):format(folder))
if not good then
    local interrupted = tostring(message):find "interrupted!"
    io.stderr:write(interrupted and "suite: interrupted\n" or message .. "\n")
    os.exit(interrupted and 130 or 2)
end
os.exit(total.fail == 0 and total.pass > 0)
