-- rill.command: the command line. The words after the script's name are arguments of the script. Exit statuses and
-- messages are the same as lua's.
local with_value = { e = true, l = true, d = true }
local long_value = { ["--device"] = true, ["--lint"] = true }
local about = [[Runs Lua with rill: streams and kernels on a graphics device. Without a script, starts a prompt,
or runs standard input if it is not a terminal.]]
local examples = [[
  rill                            starts the prompt; ? prints help
  rill script.lua 1 2             runs a script; arg is set as by lua
  rill -e "print(rill.iota(10):sum())"
  rill --profile script.lua       prints what the launches of a script cost]]

-- ---- arguments

-- Returns the index of the script: the first word that is not an option or the value of an option. Without a script:
-- #words + 1.
local function script_at(words)
    local i = 1
    while i <= #words do
        local word = words[i]
        if word == "-" or word:sub(1, 1) ~= "-" then
            return i
        elseif word == "--" then
            return i + 1
        elseif long_value[word] or #word == 2 and with_value[word:sub(2)] then
            i = i + 1
        end
        i = i + 1
    end
    return i
end

-- Returns the parser. It appends the values of -e and -l to `steps`, in order.
local function parser_of(argparse, steps)
    local parser = argparse("rill", about, "Examples:\n" .. examples)
    local function step(kind)
        return function(_, _, value)
            steps[#steps + 1] = { kind, value }
        end
    end
    parser:usage "Usage: rill [options] [script [args]]"
    parser:option("-e", "Run a piece of Lua; rill is a global in it."):argname "<code>":count "*":action(step "code")
    parser:option("-l", "Require a module into a global; -l g=module names the global."):argname "<module>":count "*"
        :action(step "module")
    parser:flag("-i", "Start the prompt after script or -e."):target "interactive"
    parser:option("-d --device", "Select the device: an index from --devices, or a part of its name.")
        :argname "<device>"
    parser:flag("-W", "Turn warnings on."):target "warnings"
    parser:flag("--devices", "List the devices: driver, memory, measured copy rate.")
    parser:flag("--selftest", "Check this device and its driver against plain Lua.")
    parser:flag("--tune", "Measure again which variants of kernels are fastest on this device, and save the result.")
    parser:flag("--check", "Let kernels report indices out of range (rill.check).")
    parser:option("--lint", "Print the errors and notes of the kernel texts in a file or Lua script.")
        :argname "<file>":count "*"
    parser:flag("--live", "Show what the script passes to rill.show and rill.plot in a browser (rill.live).")
    parser:flag("--profile", "Print what launches cost (rill.profile) at the end.")
    parser:flag("-v --version", "Print versions.")
    return parser
end

-- Returns the parser, the words that are options, the index of the script among all words, and the list for -e and -l.
local function parse(words)
    local found, argparse = pcall(require, "argparse")
    if not found then
        local missing = tostring(argparse):find("module 'argparse' not found", 1, true)
        error(missing and "the command requires argparse (Debian: lua-argparse, LuaRocks: argparse)" or argparse, 0)
    end
    local at = script_at(words)
    local own = table.move(words, 1, at - 1, 1, {})
    if own[#own] == "--" then
        own[#own] = nil
    end
    -- Values are joined to their options, as in -ecode: the parser would treat a separate word that begins with '-' as
    -- an option.
    local i = 1
    while i < #own do
        if own[i]:find "^%-[eld]$" and own[i + 1] ~= "" then
            own[i] = own[i] .. table.remove(own, i + 1)
        elseif #own[i] == 2 and with_value[own[i]:sub(2)] then
            i = i + 1
        end
        i = i + 1
    end
    local steps = {}
    return parser_of(argparse, steps), own, at, steps
end

-- ---- running

local FAILED <const>, INTERRUPTED <const> = 1, 130 -- exit statuses; 130 is 128 + SIGINT, as shells report it
local source = debug.getinfo(1, "S").short_src

-- Returns the message with a traceback, without the frames of this file.
local function explained(message)
    if type(message) ~= "string" then
        local meta = getmetatable(message)
        if type(meta) == "table" and meta.__tostring then
            return tostring(message)
        end
        message = ("(error object is a %s value)"):format(type(message))
    end
    local text = debug.traceback(message, 2)
    local own = text:find("\n\t" .. source, 1, true)
    local theirs = own and text:sub(1, own):match "^(.*\n)\t%[C%]: in function 'xpcall'\n"
    return theirs and theirs .. "\t[C]: in ?" or text
end

local function complain(message)
    io.stdout:flush()
    io.stderr:write("rill: ", tostring(message), "\n")
    return FAILED
end

-- Runs a function as lua runs a script. Ctrl-C raises an error in it. Returns true, or the exit status after an error.
local function protected(f, ...)
    local core = require "rill.core"
    local outer = core._interrupts(true)
    local called, good, message = pcall(core._interruptible, xpcall, f, explained, ...)
    core._interrupts(outer)
    if not called then -- interrupted between two frames
        good, message = false, good
    end
    if good then
        return true
    end
    complain(message)
    return tostring(message):find "^[^\n]*interrupted!%f[\n\0]" and INTERRUPTED or FAILED
end

local function run_text(text, name, ...)
    local chunk, message = load(text, name)
    if not chunk then
        return complain(message)
    end
    return protected(chunk, ...)
end

local function load_module(text)
    local global, name = text:match "^([%a_][%w_]*)=(.+)$"
    name = name or text
    return protected(function() _G[global or name] = require(name) end)
end

local function run_steps(steps)
    for _, step in ipairs(steps) do
        local good
        if step[1] == "code" then
            good = run_text(step[2], "=(command line)")
        else
            good = load_module(step[2])
        end
        if good ~= true then
            return good
        end
    end
    return true
end

-- Runs a script, or standard input if its name is "-". arg is set as by lua: arg[0] is the script.
local function run_script(words, at)
    local arguments = {}
    for i = (words[0] and 0 or 1), #words do
        arguments[i - at] = words[i]
    end
    _G.arg = arguments -- luacheck: ignore 122
    local name = words[at]
    local chunk, message = loadfile(name ~= "-" and name or nil)
    if not chunk then
        return complain(message)
    end
    return protected(chunk, table.unpack(arguments))
end

-- ---- options that print information

local function size_text(bytes)
    return bytes > 0 and ("%.1f GiB"):format(bytes / 2.0 ^ 30) or "unknown"
end

local function print_columns(rows)
    print(table.concat(require "rill.core.tables".columns(rows, function() return true end), "\n"))
end

-- Returns the row of a device. If it cannot be opened, the row contains the reason.
local function device_row(rill, listed)
    local core = require "rill.core"
    local row = { tostring(listed.index), listed.name, listed.version }
    local good, failure = pcall(function()
        local device = rill.open(listed.index)
        local rate = core._copy_rate()
        row[4] = size_text(device.limits.memory_bytes)
        row[5], row[6] = device.family, ("%.1f GB/s"):format(rate / 1e9)
    end)
    return good and row or { row[1], row[2], row[3], "-", "-", tostring(failure) }
end

local function list_devices()
    local rill = require "rill"
    local rows = { { "", "name", "driver", "memory", "family", "copy" } }
    for _, listed in ipairs(rill.devices()) do
        rows[#rows + 1] = device_row(rill, listed)
    end
    print_columns(rows)
    for _, reason in ipairs(rill.devices().left_out or {}) do
        print("left out: " .. reason)
    end
end

-- Runs rill.selftest and prints a line per check. Returns whether all passed.
local function self_test()
    local rill = require "rill"
    io.stdout:setvbuf "line"
    local report = rill.selftest { each = print }
    print(report.summary)
    return report.passed
end

-- Prints one row per tuned choice: its value, the source of the value, and the measured time of each value.
local function print_tuning(rill)
    local tuning = rill.device().tuning
    local rows = { { "choice", "value", "source", "measured" } }
    for _, name in ipairs(require "rill.core.tables".keys(tuning)) do
        local choice, times = tuning[name], {}
        for value, seconds in pairs(choice.seconds) do
            times[#times + 1] = ("%d: %.3f ms"):format(value, seconds * 1e3)
        end
        table.sort(times, function(a, b) return tonumber(a:match "%d+") < tonumber(b:match "%d+") end)
        rows[#rows + 1] = { name, tostring(choice.value), choice.source, table.concat(times, ", ") }
    end
    print_columns(rows)
end

-- Measures the tuned choices again. A device that cannot be measured uses the defaults.
local function tune()
    local rill = require "rill"
    print(rill.device().name)
    if not require "rill.core"._tune() then
        print "This device is not measured: it queues work. It uses the defaults."
    end
    print_tuning(rill)
end

-- Prints the errors and notes of the kernel texts in files, a line for each. Returns true, or false if there are
-- errors.
local function lint(paths)
    local errors = 0
    for _, path in ipairs(paths) do
        local count, messages = require "rill.shell.lint"(path)
        errors = errors + count
        for _, message in ipairs(messages) do
            print(message)
        end
    end
    return errors == 0
end

local function print_versions()
    local rill = require "rill"
    print(("rill %s, %s"):format(rill._VERSION, _VERSION))
end

-- ---- the command

-- Runs -e, -l and the script. Returns true, or the exit status after an error.
local function run_all(options, words, at)
    local good = run_steps(options.steps)
    if good == true and words[at] then
        return run_script(words, at)
    end
    return good
end

local function with_profile(run)
    local rill = require "rill"
    local report, good = rill.profile(run)
    io.stdout:flush()
    io.stderr:write(tostring(report), "\n")
    return good
end

-- Runs a function with a view of what it passes to rill.show and rill.plot, which stays open until it is stopped.
local function with_live(run, title)
    local watch = require "rill.live.watch"
    local opened, view = pcall(require "rill".live, {title = title:match "[^/]*$"})
    if not opened then
        return complain(view)
    end
    watch.script(view)
    local good = run()
    if good == true then -- Ctrl-C ends the view
        local core = require "rill.core"
        local outer = core._interrupts(true)
        pcall(core._interruptible, pcall, watch.finish, view)
        core._interrupts(outer)
    end
    view:close()
    return good
end

-- Opens the device. Returns true, or prints the error without a traceback and returns the exit status.
local function open_device(device)
    local opened, message = pcall(require "rill".open, tonumber(device) or device)
    return opened or complain(message)
end

local function prepare(options, piped)
    local rill = require "rill"
    if options.check then
        rill.check(true)
    end
    if #options.steps > 0 or piped then
        _G.rill = rill -- luacheck: ignore 122
    end
end

local function prompt(quiet)
    local rill = require "rill"
    rill.repl { quiet = quiet }
end

local function perform(options, words, at)
    if options.version then
        print_versions()
    end
    if options.devices then
        list_devices()
    end
    if #options.lint > 0 then
        local linted, good = pcall(lint, options.lint)
        if not linted or not good then
            return linted and good or complain(good)
        end
    end
    local opened = not options.device or open_device(options.device)
    if opened ~= true then
        return opened
    end
    local script = words[at]
    local has_action = #options.lint > 0 or options.version or options.devices or options.selftest or options.tune
        or #options.steps > 0
    local interactive = options.interactive or not script and not has_action
    if options.warnings then
        warn "@on"
    end
    if interactive and not options.interactive and not require "rill.core"._input_terminal() then
        words, at, interactive, script = { [0] = words[0], "-" }, 1, false, "-" -- run standard input, as lua does
    end
    if #options.steps > 0 or script or interactive then
        prepare(options, script == "-")
    end
    if options.tune then
        tune()
    end
    if options.selftest then
        prepare(options)
        if not self_test() then
            return false
        end
    end
    local function run_scripts() return run_all(options, words, at) end
    local run = run_scripts
    if options.live and (script or #options.steps > 0) then
        run = function() return with_live(run_scripts, script or "rill") end
    end
    local profiled = options.profile and (script or #options.steps > 0)
    local good = profiled and with_profile(run) or not profiled and run()
    if interactive and good == true then
        prompt(options.version)
    end
    return good
end

--- rill.command(arguments) runs the command `rill`. `arguments` is a table like lua's `arg`. Returns the exit status:
-- 0, 1 after an error, or 130 after Ctrl-C. The message and traceback of an error are written to standard error.
return function(words)
    local parsed, parser, own, at, steps = pcall(parse, words)
    if not parsed then
        return complain(parser)
    end
    local understood, options = parser:pparse(own)
    if not understood then
        complain(options)
        io.stderr:write(parser:get_usage(), "\n")
        return FAILED
    end
    options.steps = steps
    local good, status = xpcall(perform, explained, options, words, at)
    if not good then
        return complain(status)
    end
    return status == true and 0 or status
end
