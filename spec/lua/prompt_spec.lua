-- The prompt, as people use it: through a pseudo-terminal.
local rill = require "rill"
local preload = require "spec.support.preload"
local process = require "spec.support.process"
local session = require "spec.support.session"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"
local has_readline = package.searchpath("readline", package.path) ~= nil

describe("the prompt", function()
    local files, home

    before_each(function()
        files = tempfiles.open()
        home = files.directory
    end)

    after_each(function() files:close() end)

    local function start(env, columns)
        local all = {
            HOME = home, XDG_STATE_HOME = false, TERM = "xterm", NO_COLOR = "1", LANG = "C.UTF-8", LC_ALL = false,
            INPUTRC = "/dev/null", COLORTERM = false, TMUX = false,
        }
        for name, value in pairs(env or {}) do
            all[name] = value
        end
        local s = session.open {lua, "bin/rill", env = all, columns = columns}
        s:expect "> "
        return s
    end

    -- A session, given to a function that talks.
    local function talk(name, env, f, needs_readline)
        it(name, function()
            if session.missing or needs_readline and not has_readline then
                return pending(session.missing or "there is no lua-readline here")
            end
            local s <close> = start(env)
            f(s)
            assert.equal(0, s:finish())
        end)
    end

    talk("prints the values of expressions, and keeps them", nil, function(s)
        s:line("6 * 7", "\n42\n> ")
        s:line("_ + 1, 'two'", "\n43\n\"two\"\n> ")
        s:line("_ - _2", "\n1\n> ")
        s:line("=_3", "\n42\n> ")
        assert.equal("", s:line("local a, b = 2, 3", "\n> "):match "\n(.*)" or "")
        s:line("a * b", "\n6\n> ")
        s:line("local a <const>, s <close> = 7, rill.iota(3)", "\n> ")
        s:line("a, s:sum()", "\n7\n3\n> ")
        s:line("a;", "a;\n> ")
        s:line("print(nil)", "\nnil\n> ")
        s:line("{a = {1, 2}, [2] = rill.iota(3)}", "{ a = { 1, 2 }, [2] = stream<int>[3] }")
        s:line("rill.kernel 'kernel float f(float x<>) { return x; }'", "\nkernel f(float x<>, out float result<>)\n")
    end)

    talk("takes statements of several lines", nil, function(s)
        s:line("k = rill.kernel [[", ">> ")
        s:line("  kernel void twice(float x<>, out float r<>) {", ">> ")
        s:line("    r = 2.0 * x;", ">> ")
        s:line("  }]]", "> ")
        s:line("k(rill.from{1, 2})", "\n2  4\n> ")
        s:line("for i = 1, 2 do", ">> ")
        s:line("print(i * 11) end", "11\n22\n> ")
        s:line("while true do", ">> ")
        s:send "\3"
        s:expect "\n> "
        s:line("'still here'", "\n\"still here\"\n")
    end)

    talk("takes Ctrl-D for the end of a statement, then of the session", nil, function(s)
        s:line("x = (", ">> ")
        s:ready()
        s:send "\4"
        s:expect "<eof>\n> "
        s:line("6 * 7", "\n42\n> ")
        s:line("?debug", "rill.debug has")
    end)

    talk("completes the methods of a stream", nil, function(s)
        s:line("st = rill.iota(5)", "> ")
        s:send "st:s\t\t"
        local shown = s:expect "> st:s"
        assert.truthy(shown:find("st:sum", 1, true) and shown:find("st:sort", 1, true))
        assert.truthy(shown:find("st:scan", 1, true))
        s:send "um\t()\n"
        s:expect "\n10\n> "
        s:send "#rill.random(3, {see\t1})\n"
        s:expect "{seed = 1})"
        s:expect "\n3\n> "
        s:send("rill.load('" .. home .. "/ni\t')\n")
        s:expect "\n> "
    end, true)

    talk("leaves the quote open after a directory, and closes it after a file", nil, function(s)
        for _, name in ipairs {"nested", "nested/deep", "hollow"} do
            os.execute(("mkdir '%s/%s'"):format(home, name))
        end
        io.open(home .. "/nested/deep/leaf.txt", "w"):close()
        s:ready()
        s:send("#'" .. home .. "/ne\tde\tle\t == " .. #home .. " + 21\n")
        s:expect "\ntrue\n> "
        s:ready()
        s:send("#'" .. home .. "/ho\t' == " .. #home .. " + 8\n")
        s:expect "\ntrue\n> "
    end, true)

    talk("survives Ctrl-C while it completes", nil, function(s)
        for i = 1, 10 do
            s:send "rill.s\t\t"
            s:listen(0.002 * i)
            s:send "\3"
            s:listen(0.01)
        end
        local whole = false
        for _ = 1, 5 do -- a Ctrl-C that comes late interrupts what is typed next, too; Ctrl-U: what is left on the line goes
            s:listen(0.5)
            s:send "\21'whole'\n"
            whole = whole or pcall(s.expect, s, "\n\"whole\"\n", 2)
            if whole then
                break
            end
        end
        assert.is_true(whole)
    end, true)

    it("keeps its history across sessions", function()
        if session.missing or not has_readline then
            return pending "there is no lua-readline here"
        end
        for round = 1, 2 do
            local s <close> = start()
            if round == 1 then
                s:line("t = {", ">> ")
                s:line("10, 20}", "> ")
                s:line("#t * 21", "\n42\n> ")
            else
                s:send "\27[A"
                s:expect "#t * 21"
                s:send "\27[A"
                s:expect "10, 20}"
                s:send "\nt[2]\n"
                s:expect "\n20\n> "
            end
            assert.equal(0, s:finish())
        end
        local kept = tempfiles.read(home .. "/.local/state/rill/history")
        assert.equal("t = {\\n10, 20}\n#t * 21\nt = {\\n10, 20}\nt[2]\n", kept)
    end)

    -- The sample of docs/prompt.md: what is typed, and what comes then.
    local function sample()
        local page = tempfiles.read "docs/prompt.md"
        local text, steps = page:match "\n    %$ rill\n(.-)\n\n", {}
        for line in text:gmatch "    ([^\n]*)" do
            local typed = line:match "^> (.*)$"
            if typed then
                steps[#steps + 1] = {typed = typed, shown = ""}
            elseif steps[1] then
                steps[#steps].shown = steps[#steps].shown .. line .. "\n"
            end
        end
        return steps
    end

    -- Numbers to three digits: drivers differ in the last ones.
    local function rough(text)
        return (text:gsub("%-?%d+%.?%d*[e%-%d]*", function(number)
            return tonumber(number) and ("%.3g"):format(tonumber(number))
        end))
    end

    it("shows what its page says", function()
        if session.missing then
            return pending(session.missing)
        end
        local s <close> = start(nil, 110)
        local steps = sample()
        assert.is_true(#steps >= 4)
        for _, step in ipairs(steps) do
            s:line(step.typed)
            s:expect(step.typed)
            local shown = s:expect "\n> ":gsub("\n  %d[%d.]* s%f[\n\0]", "")
            assert.equal(rough(step.shown), rough(shown:gsub("^\n", "") .. (shown ~= "" and "\n" or "")))
        end
        assert.equal(0, s:finish())
    end)

    talk("answers questions", nil, function(s)
        s:line("?s:like", "returns a new stream of zeros with the same shape\n  [docs/stream.md]\n> ")
        s:line("help(rill.sync)", "rill.sync()\n  waits until all submitted work is complete")
        s:line("rill.kernel?", "compiles a kernel text")
        s:line("k = rill.iota(2)", "> ")
        s:line("?k", "a stream has")
        s:line("?", "Ctrl-D ends.")
        s:line("?nonsense", "there is no 'nonsense'")
    end)

    -- Returns the minimum of several tries, since the machine may be busy.
    local function interrupted(s, statement)
        local best, tries = math.huge, 0
        while best >= 0.2 and tries < 30 do
            s:line(statement)
            best, tries = math.min(best, s:interrupt(rill.clock, 0.1, "interrupted\n")), tries + 1
        end
        return best
    end

    talk("comes back from loops within 0.2 seconds of Ctrl-C", nil, function(s)
        s:line("x = rill.random(1000)", "> ")
        assert.is_true(interrupted(s, "while true do local y = x + 1; y:sum() end") < 0.2)
        assert.is_true(interrupted(s, "while true do end") < 0.2)
        assert.is_true(interrupted(s, "coroutine.wrap(function() while true do (x + 1):sum() end end)()") < 0.2)
        s:line("x:count() > 990", "\ntrue\n> ")
    end)

    talk("goes on after every kind of error", nil, function(s)
        s:line("x = = 1", "stdin:1: unexpected symbol near '='\n> ")
        s:line("error 'mine'", "stdin:1: mine\n> ")
        s:line("rill.show(nil)", "stdin:1: rill.show: argument #1 's'")
        s:line("error {}", "(error object is a table value)\n> ")
        s:line("error(setmetatable({}, {__tostring = function() return 'spoken' end}))", "\nspoken\n> ")
        s:line("function f(n) if n == 0 then error 'deep' end f(n - 1) end f(2)", "deep\n  stdin:1: in 'f'\n")
        s:line("local function g() return g() + 1 end g()", "stack overflow")
        s:line("rill.kernel 'kernel void f(float x<>, out float r<>) { r = z; }'", "error: 'z' is not declared\n")
        s:expect "1 | kernel void f(float x<>, out float r<>) { r = z; }\n"
        s:expect "^\n"
        s:line("rill.memory_limit(1000000) rill.stream('float', 1000000)", "out of device memory")
        s:line("rill.memory_limit()", "\n> ")
        s:line("rill.stream('float', 1000000):sum()", "\n0.0\n> ")
        s:line("x, y = rill.from{1, 2}, rill.from{1, 2, 3}", "> ")
        s:line("x + y", "shape")
        s:line("('x'):rep(1 << 40)", "\n> ")
        s:line("c = rill.iota(3) c:close()", "\n> ")
        s:line("c", "closed stream\n> ")
        s:line("'whole'", "\n\"whole\"\n> ")
    end)

    talk("draws streams", {NO_COLOR = false, COLORTERM = "truecolor", TERM = "xterm-256color"}, function(s)
        s:line("rill.iter('vec3', {20, 40}, {0, 0, 0}, {1, 1, 1}):copy()", "stream<vec3>[20x40] 9.4 KiB\n")
        s:expect "..."
        s:expect "mean {"
        s:expect "\u{2580}\u{2580}\u{2580}"
        s:expect "\n> "
        assert.truthy(s.raw:find "\27%[38;2;%d+;%d+;%d+;48;2;%d+;%d+;%d+m\u{2580}")
        s:line("rill.iter('float', 1000, 0, 1)", "min 0  mean 0.4995  max 0.999\n")
        s:expect "\u{2581}"
        s:expect "\u{2588}"
        s:line("rill.iter('float', 1000, 0, 1) * 2", "expression<float>[1000]")
        s:line("error 'red'", "stdin:1: red")
        assert.truthy(s.raw:find("\27[31mstdin:1: red\27[0m", 1, true))
    end)

    for _, case in ipairs {
        {"a dumb terminal", {TERM = "dumb", NO_COLOR = false}}, {"no TERM", {TERM = false, NO_COLOR = false}},
    } do
        talk("works in " .. case[1], case[2], function(s)
            s:line("rill.iter('float', {10, 30}, 0, 1):copy()", "\n> ")
            s:line("error 'plain'", "plain\n> ")
            s:line("1 + 1", "\n2\n> ")
            assert.falsy(s.raw:find "\27%[%d")
        end)
    end

    it("works in 20 columns", function()
        if session.missing then
            return pending(session.missing)
        end
        local s <close> = start({TERM = "dumb"}, 20)
        s:send "s=rill.random{30, 40}\n"
        s:expect "> "
        s:send "s\n"
        local shown = s:expect "\n> "
        assert.truthy(shown:find("stream<float>[30x40]", 1, true))
        for line in shown:match "\n.-\n(.*)":gmatch "[^\n]+" do
            assert.is_true(utf8.len(line) <= 20, line)
        end
    end)

    it("works without a home directory, and ignores garbage in its history", function()
        if session.missing then
            return pending(session.missing)
        end
        local garbage = {}
        for i = 1, 2000 do
            garbage[i] = string.char(i * 7919 % 256, i * 104729 % 251)
        end
        os.execute("mkdir -p '" .. home .. "/.local/state/rill'")
        files:write(".local/state/rill/history", table.concat(garbage) .. "\n1 + 41\n")
        local nowhere = {XDG_STATE_HOME = "/dev/null"}
        for k, env in ipairs {{HOME = false}, {HOME = "/proc"}, {HOME = ""}, {HOME = home}, nowhere} do
            -- Without its directory the cache is empty.
            env.XDG_CACHE_HOME = (os.getenv "RILL_SUITE_LONG" or k == 1) and false or nil
            local s <close> = start(env)
            s:line("6 * 7", "\n42\n> ")
            if has_readline and env.HOME == home then
                s:send "\27[A\27[A\n"
                s:expect "1 + 41"
            end
            assert.equal(0, s:finish())
        end
    end)

    it("runs .rillrc.lua, and reports its errors", function()
        if session.missing then
            return pending(session.missing)
        end
        for text, expected in pairs {
            ["answer = 6 * 7"] = "", ["answer = 42 error 'in it'"] = "in it\n", ["= ="] = "unexpected symbol",
        } do
            files:write(".rillrc.lua", text)
            local s <close> = start()
            s:line("answer or 42", "\n42\n> ")
            assert.truthy(s.all:find(expected, 1, true))
        end
    end)

    it("works without lua-readline and Penlight", function()
        if session.missing then
            return pending(session.missing)
        end
        local without = [[
            for _, name in ipairs {'readline', 'pl.pretty'} do
                package.preload[name] = function() error 'none' end
            end
        ]]
        local s <close> = session.open {
            lua, "bin/rill", "-e", without, "-i", env = {HOME = home, TERM = "xterm", NO_COLOR = "1"},
        }
        s:expect "> "
        s:line("for i = 1, 2 do", ">> ")
        s:line("print(i * 21) end", "21\n42\n> ")
        s:line("{1}", "lua-penlight")
        s:send "unfinished\3"
        s:expect "\n> "
        s:line("while true do end")
        s:interrupt(rill.clock, 0.1, "interrupted\n")
        s:line("error 'mine'", "stdin:1: mine\n> ")
        s:line("rill.repl {quiet = true}", "\n> ")
        s:send "\4"
        s:expect "> "
        s:send "unfinished\3" -- after a prompt within the prompt, too
        s:expect "\n> "
        s:line("while true do end")
        s:interrupt(rill.clock, 0.1, "interrupted\n")
        assert.falsy(io.open(home .. "/.local/state/rill/history"))
        assert.equal(0, s:finish())
    end)

    talk("prints the time of a slow statement", nil, function(s)
        s:line("t = rill.clock() while rill.clock() < t + 0.15 do end", " s\n> ")
        local seconds = tonumber(s.all:match "\n  (%d+%.%d+) s\n")
        assert.is_true(seconds >= 0.15 and seconds < 20)
        s:line("1", "\n1\n> ")
    end)

    talk("is left by exit", nil, function(s)
        s:line("exit")
        s.finish = s.ending
    end)
end)

describe("an expression for which there is no memory", function()
    it("is not run as a statement, which prints nothing", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        file:write "rill.iota(4):sum()\nrill.iota(5):sum()\n"
        file:close()
        local result = process.run([[
            local load, asked = load, false
            function _G.load(text, ...)
                if text:find "^return" and not asked then
                    asked = true
                    return nil, "not enough memory"
                end
                return load(text, ...)
            end
            require("rill").repl {quiet = true}
        ]], {}, ("<'%s'"):format(path))
        os.remove(path)
        local took = "  %d+%.%d+ s\n" -- printed of what is slow
        assert.equal("not enough memory\n10\n", ((result.err .. result.out):gsub(took, "")))
    end)
end)

describe("a stream of millions of elements", function()
    it("is printed by reading back only the displayed values", function()
        local library = preload("glcount", pending)
        local file, rows = os.tmpname(), os.getenv "RILL_SUITE_LONG" and 2500 or 250
        local text = process.output(([[
            local rill = require "rill"
            local dump = assert(package.loadlib("%s", "rill_glcount_dump"))
            local function bytes()
                dump()
                for line in io.lines "%s" do
                    local count = line:match "^bytes_read (%%d+)"
                    if count then return tonumber(count) end
                end
            end
            local preview = require "rill.shell.preview"
            local s = rill.random({%d, 4000}, {seed = 1}):reshape {-1}
            rill.sync()
            local before = bytes()
            preview(s, 80)
            print("bytes", bytes() - before)
            preview(s:reshape {-1, 4000}, 80)
            print("bytes", bytes() - before)
        ]]):format(library, file, rows), {LD_PRELOAD = library, RILL_GLCOUNT = file, RILL_FAMILY = "gpu"})
        os.remove(file)
        local size <const> = ("stream<float>[%d] %.1f MiB"):format(4000 * rows, 16000 * rows / (1 << 20))
        assert.truthy(text:find(size, 1, true))
        local counts = {}
        for bytes in text:gmatch "bytes\t(%d+)" do
            counts[#counts + 1] = tonumber(bytes)
        end
        assert.equal(2, #counts)
        assert.is_true(counts[1] > 0 and counts[1] < 8192, counts[1])
        assert.is_true(counts[2] < 65536, counts[2])
    end)
end)
