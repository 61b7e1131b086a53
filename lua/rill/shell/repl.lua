-- rill.repl: the prompt. It reads a statement line by line, runs it, and prints its results. Ctrl-C interrupts the
-- statement. The session continues after errors.
local core = require "rill.core"
local rill = require "rill.core.public"
local option = require "rill.core.options"
local help = require "rill.shell.help".help
local pretty = require "rill.shell.pretty"
local frame_print = require "rill.core.lazy".module "rill.frame.print"
local preview = require "rill.shell.preview"
local look = require "rill.core.terminal"

local SLOW <const> = 0.1 -- the time of a statement is shown if it takes at least as many seconds
local RESULTS <const> = 3 -- kept in _, _2, _3

local watchers <const> = {} -- functions of the results of a statement, by the view that shows them
local running = false

-- ---- the terminal

local function look_at_terminal()
    local able = look.look()
    return { width = math.max(able.columns, 10), color = able.colors ~= nil }
end

local function tinted(terminal, code, text)
    return terminal.color and ("\27[%sm%s\27[0m"):format(code, text) or text
end

local function complain(terminal, text)
    io.stdout:flush()
    io.stderr:write(tinted(terminal, "31", pretty.printable(text)), "\n")
end

-- ---- running

local own = debug.getinfo(1, "S").source:match "^(.*/)[^/]*/[^/]*$" or "@?"

-- Returns the lines of a traceback that belong to the user's code, without the functions of rill and of the prompt.
local function frames_of(level)
    local lines = {}
    for depth = level + 1, level + 200 do
        local info = debug.getinfo(depth, "Slnf")
        if not info or info.func == xpcall then
            break
        end
        local place = info.currentline > 0 and ("%s:%d:"):format(info.short_src, info.currentline)
        if place and info.source:sub(1, #own) ~= own then
            local named = info.name and ("'%s'"):format(info.name) or "a function"
            local name = info.what == "main" and "main chunk" or named
            lines[#lines + 1] = ("  %s in %s"):format(place, name)
        end
    end
    return lines
end

local function explained(message)
    if type(message) ~= "string" then
        local meta = getmetatable(message)
        local speaks = type(meta) == "table" and meta.__tostring
        return speaks and tostring(message) or ("(error object is a %s value)"):format(type(message))
    end
    if message:find "interrupted!$" then
        return "interrupted"
    end
    local lines = frames_of(2)
    if #lines < 2 then
        return message
    end
    if #lines > 12 then
        lines[7] = ("  ... %d more"):format(#lines - 12)
        table.move(lines, #lines - 4, #lines, 8)
        for i = #lines, 13, -1 do
            lines[i] = nil
        end
    end
    return message .. "\n" .. table.concat(lines, "\n")
end

-- Runs a function in which Ctrl-C raises an error. Returns a table: true and the results, or false and the message.
local function run(f, ...)
    local results = table.pack(pcall(core._interruptible, xpcall, f, explained, ...))
    if not results[1] then
        return table.pack(false, (tostring(results[2]):gsub("^interrupted!$", "interrupted"))) -- raised outside of f
    end
    return table.pack(table.unpack(results, 2, results.n))
end

-- Copies the local variables of the calling statement to globals, since later statements could not access them
-- otherwise.
local function keep_locals()
    for i = 1, 200 do
        local name, value = debug.getlocal(2, i)
        if not name then
            break
        elseif name:find "^[%a_]" then
            rawset(_G, name, value)
        end
    end
end

-- Removes the attribute close from a statement that begins with `local`, as the value becomes a global and must stay
-- open.
local function kept_open(text)
    return (text:gsub("^(%s*local%s+)([%w_%s,<>]*)", function(head, names)
        return head .. names:gsub("<%s*close%s*>", "")
    end, 1))
end

-- Compiles a text. Returns the function; or nil, the message, and whether the statement is incomplete, so that more
-- lines may complete it.
local function compile(text)
    text = kept_open(text:gsub("^%s*=", "return ", 1))
    local chunk, message = load("return " .. text, "=stdin", "t")
    if chunk then -- without a tail call, so that errors name the typed line
        return load("return (function(...) return ... end)(" .. text .. ")", "=stdin", "t") or chunk
    end
    if message ~= "not enough memory" then -- the text is not an expression
        chunk, message = load(text, "=stdin", "t")
    end
    if not chunk then
        return nil, message, message:sub(-5) == "<eof>"
    end
    return text:find "%f[%w_]local%f[^%w_]" and load(text .. "\n;(...)()", "=stdin", "t") or chunk
end

-- ---- showing

local function show(value, terminal)
    local kind = rill.type(value)
    if kind == "stream" or kind == "expression" then
        preview(value, terminal.width)
    elseif kind == "frame" then
        io.stdout:write(pretty.printable(frame_print.text(value, terminal.width)), "\n")
    else
        io.stdout:write(pretty.text(value, terminal.width), "\n")
    end
end

local function show_all(results, terminal)
    for i = 2, results.n do
        show(results[i], terminal)
    end
end

local function keep_results(results)
    if results.n < 2 or results[2] == nil then
        return
    end
    for i = RESULTS, 2, -1 do
        rawset(_G, "_" .. i, rawget(_G, i == 2 and "_" or "_" .. i - 1))
    end
    rawset(_G, "_", results[2])
end

local noted = setmetatable({}, {__mode = "k"}) -- kernels whose notes were shown

local function show_kernel_notes(value, terminal)
    if rill.type(value) == "kernel" and not noted[value] then
        noted[value] = true
        for _, note in ipairs(value:notes()) do
            complain(terminal, note)
        end
    end
end

-- Shows the notes of new kernels among the results and the globals, and in tables of them.
local function show_notes(results, terminal)
    local function look_in(values)
        for _, value in pairs(values) do
            local kernel = type(value) == "table" and select(2, next(value)) or value
            show_kernel_notes(kernel, terminal)
        end
    end
    look_in(_G)
    look_in(results)
end

local function evaluate(chunk, quiet, terminal)
    local start = rill.clock()
    local results = run(chunk, keep_locals)
    local failure = not results[1] and results[2]
    if not failure then
        keep_results(results)
        run(show_notes, results, terminal)
        if not quiet then
            local shown = run(show_all, results, terminal)
            failure = not shown[1] and shown[2]
        end
    end
    for _, watcher in pairs(watchers) do
        local shown = run(watcher, results)
        failure = failure or not shown[1] and shown[2]
    end
    if failure then
        complain(terminal, failure)
    end
    local seconds = rill.clock() - start
    if seconds >= SLOW then
        io.stdout:write(tinted(terminal, "2", ("  %.3g s"):format(seconds)), "\n")
    end
    io.stdout:flush()
end

-- ---- input other than Lua

-- Returns the name in `?name` or `name?`, "" for `?`; nil for Lua.
local function question(text)
    return text:match "^%s*%?%s*(.-)%s*$" or text:match "^%s*([%a_][%w_.:]*)%s*%?%s*$"
end

local function answer(name, terminal)
    local reference, parts = require "rill.shell.reference", require "rill.core.suggest".parts()
    if name ~= "" and not parts[name] and #reference.find(name) == 0 then
        local chunk = load("return " .. name, "=stdin", "t")
        local results = chunk and run(chunk)
        if results and results[1] and results[2] ~= nil then
            io.stdout:write(help(results[2]), "\n")
            return
        end
    end
    local good, text = pcall(help, name)
    io.stdout:write(good and text or tinted(terminal, "31", text), "\n")
end

local function leaves(text)
    local word = text:match "^%s*(%l+)%s*$"
    return (word == "exit" or word == "quit") and rawget(_G, word) == nil
end

-- ---- the session

local function banner(terminal)
    local found, device = pcall(rill.device)
    local version = _VERSION:match "%d+%.%d+"
    if found then
        io.stdout:write(("rill %s, Lua %s, on %s\n? helps, Ctrl-D ends\n"):format(rill._VERSION, version, device.name))
    else
        complain(terminal, device)
    end
end

local function load_startup(terminal)
    local home = os.getenv "HOME"
    local path = home and home .. "/.rillrc.lua"
    local file = path and io.open(path)
    if not file then
        return
    end
    file:close()
    local chunk, message = loadfile(path)
    local results = chunk and run(chunk) or { false, message }
    if not results[1] then
        complain(terminal, results[2])
    end
end

-- Runs a text. If several pasted lines are not one statement they are run line by line, as typed lines are. Returns the
-- incomplete statement at the end of the text, or nil.
local function take(text, terminal, remember)
    local chunk, message, more = compile(text)
    if chunk then
        remember(text)
        evaluate(chunk, text:find ";%s*$", terminal)
        return nil
    elseif not text:find "\n" then
        if more then
            return text
        end
        remember(text)
        complain(terminal, message)
        return nil
    end
    local waiting
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        local joined = waiting and waiting .. "\n" .. line or line
        chunk, message, more = compile(joined)
        waiting = not chunk and more and joined or nil
        if chunk and joined:find "%S" then
            remember(joined)
            evaluate(chunk, joined:find ";%s*$", terminal)
        elseif not chunk and not more then
            remember(joined)
            complain(terminal, message)
            break
        end
    end
    return waiting
end

local function session(terminal, reader)
    local waiting
    while true do
        local line = reader.line(waiting and ">> " or "> ")
        terminal.width = math.max(select(2, core._terminal()), 10)
        if line == nil and waiting then -- end of input in a statement. A pipe reports the end again at the next read
            if core._input_terminal() and core._terminal() then
                io.stdout:write "\n"
            end
            complain(terminal, (select(2, compile(waiting))))
            waiting = nil
        elseif line == nil then
            break
        elseif not line then
            waiting = nil
        elseif not waiting and leaves(line) then
            return
        elseif not waiting and question(line) then
            reader.remember(line)
            answer(question(line), terminal)
        elseif waiting or line:find "%S" then
            waiting = take(waiting and waiting .. "\n" .. line or line, terminal, reader.remember)
        end
        io.stdout:flush()
    end
    if core._input_terminal() and core._terminal() then
        io.stdout:write "\n"
    end
end

--- rill.repl([{quiet = true}]) runs the prompt until the end of input. A terminal has line editing, history and
-- completion if lua-readline is installed, and plain lines otherwise. If input comes from a pipe no prompts are
-- printed. `quiet`: do not print the lines with the version and the device. Default: false.
local function repl(options)
    option.check("rill.repl", options, {quiet = true})
    local terminal = look_at_terminal()
    local complete = require "rill.shell.completion"
    if rawget(_G, "rill") == nil then
        rawset(_G, "rill", rill)
    end
    if rawget(_G, "help") == nil then
        rawset(_G, "help", function(...) print(help(...)) end)
    end
    local outer = core._interrupts(true) -- the state of the prompt that called this one, if any
    if not (options and options.quiet) and core._input_terminal() and core._terminal() then
        banner(terminal)
    end
    local nested = running
    running = true
    local ended, message = pcall(function()
        load_startup(terminal)
        session(terminal, require "rill.shell.reader"(complete))
    end)
    core._interrupts(outer)
    running = nested
    if not ended then
        error(message, 0)
    end
end

-- watchers: functions that are called with the results of each statement, by a key. is_running() returns whether the
-- prompt runs.
return {repl = repl, watchers = watchers, is_running = function() return running end}
