-- Ctrl-C, wherever Lua is: at the prompt and in scripts that the command runs.
local rill = require "rill"
local process = require "spec.support.process"
local session = require "spec.support.session"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

-- Loops without launches, in coroutines in which a hook of the main coroutine does not run.
local loops = {
    ["a coroutine"] = "coroutine.wrap(function() while true do end end)()",
    ["a coroutine that is resumed"] = "coroutine.resume(coroutine.create(function() while true do end end))",
    ["a coroutine in a coroutine"] =
        "coroutine.wrap(function() coroutine.wrap(function() while true do end end)() end)()",
    ["a coroutine after one that ended"] = [[coroutine.wrap(function()
        coroutine.wrap(function() coroutine.yield() end)() while true do end end)()]],
    ["a generator that never gives"] =
        "for i in coroutine.wrap(function() local n = 0 while true do n = n + 1 end end) do end",
    ["coroutines without end"] = "while true do coroutine.wrap(function() for i = 1, 1000 do end end)() end",
    ["a pcall in a coroutine"] =
        "coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
    ["resumes that swallow errors"] =
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    ["a variable being closed"] = [[do local co = coroutine.create(function()
        local c <close> = setmetatable({}, {__close = function() while true do end end}) coroutine.yield() end)
        coroutine.resume(co) coroutine.close(co) end]],
    ["a coroutine with a hook"] = [[coroutine.wrap(function()
        debug.sethook(function() end, "l") while true do end end)()]],
}

local names = {}
for name in pairs(loops) do
    names[#names + 1] = name
end
table.sort(names)

describe("Ctrl-C", function()
    local files

    before_each(function() files = tempfiles.open() end)
    after_each(function() files:close() end)

    local function start(words, environment)
        local env = {
            HOME = files.directory, XDG_STATE_HOME = false, TERM = "dumb", NO_COLOR = "1", LC_ALL = false,
            INPUTRC = "/dev/null",
        }
        for name, value in pairs(environment or {}) do
            env[name] = value
        end
        return session.open {lua, "bin/rill", words[1], words[2], env = env}
    end

    it("ends a statement at the prompt in any coroutine", function()
        if session.missing then
            return pending(session.missing)
        end
        local s <close> = start {}
        s:expect "> "
        for _, name in ipairs(names) do
            local least, tries = math.huge, 0
            while least >= 2 and tries < 8 do -- the machine may be busy with something else
                s:line((loops[name]:gsub("\n%s*", " ")))
                least, tries = math.min(least, s:interrupt(rill.clock, 0.05, "interrupted\n")), tries + 1
                s:line("6 * 7", "\n42\n> ")
            end
            assert.is_true(least < 2, name)
        end
        assert.equal(0, s:finish())
    end)

    it("says at once that a launch is waited for, and how to quit", function()
        if session.missing then
            return pending(session.missing)
        end
        local s <close> = start {}
        s:expect "> "
        s:line([=[k = rill.kernel "kernel float slow(float x<>) { float r = x; for (int i = 0; i < 20000; i++) ]=]
            .. [=[r = sin(r) + x; return r; }"]=], "> ")
        -- So many elements that the launch takes seconds.
        s:line("n = 64 repeat n = n * 2 x = rill.random(n) t = rill.clock() y = k(x):sum() "
            .. "until rill.clock() - t >= 0.25 print 'found'", "\nfound\n> ")
        -- Returns whether the first message came in the first half of the launch and the others during it. They cannot
        -- if the launch is short, because another process slowed down the launches above.
        local function in_time(size)
            s:line(("x = rill.random(%d * n) print 'made'"):format(size), "\nmade\n> ")
            s:line "y = k(x):sum()"
            local said = "\nwaiting for the launch to end; press 3 more times to quit\n"
            local before = s:interrupt(rill.clock, 0.4, said, "\n> ")
            local said_at = rill.clock()
            for _, text in ipairs {"press 2 more times to quit\n", "press once more to quit\n"} do
                if not before or not s:interrupt(rill.clock, 0.1, text, "interrupted\n") then
                    return false
                end
            end
            s:expect "interrupted\n"
            return before < (rill.clock() - said_at) / 2
        end
        assert.is_true(in_time(6) or in_time(12) or in_time(24) or in_time(48) or in_time(96),
            "the first came with the end of the launch")
        s:line("#x % 6 == 0", "\ntrue\n")
        s:line("6 * 7", "\n42\n> ")
        assert.equal(0, s:finish())
    end)

    it("ends the process at the fourth if a C function ignores it", function()
        if session.missing then
            return pending(session.missing)
        end
        local path = files:write("deaf.lua", "print 'begun'\nreturn ('a'):rep(99):find(('a-'):rep(20) .. 'b')")
        local s <close> = start {path}
        s:expect "begun\n"
        s:interrupt(rill.clock, 0.1, "^C") -- as the terminal shows it
        s:interrupt(rill.clock, 0.1, "press 2 more times to quit\n")
        s:interrupt(rill.clock, 0.1, "press once more to quit\n")
        s:send "\3"
        assert.equal(130, s:ending())
    end)

    it("ends a script in any coroutine, and reports the line", function()
        if session.missing then
            return pending(session.missing)
        end
        for _, name in ipairs(names) do
            local path = files:write("loop.lua", "print 'begun'\n" .. loops[name])
            local s <close> = start {path}
            s:expect "begun\n"
            s:send "\3"
            s:expect "interrupted!"
            assert.equal(130, s:ending(), name)
            if not loops[name]:find "coroutine%.resume" then -- resume and close keep the error to themselves
                assert.truthy(s.all:find("loop.lua:%d+: interrupted!"), name .. "\n" .. s.all)
            end
        end
    end)

    it("leaves coroutines that outlive the statement, and hooks of others, as they were", function()
        if session.missing then
            return pending(session.missing)
        end
        local s <close> = start {}
        s:expect "> "
        s:line("lines = 0 hook = function() lines = lines + 1 end debug.sethook(hook, 'l')", "> ")
        s:line("(debug.gethook()) == hook", "\ntrue\n")
        s:line("yield = coroutine.yield", "> ")
        s:line("inner = coroutine.create(function() while true do for i = 1, 1000 do end yield() end end)", "> ")
        s:line("while true do coroutine.resume(inner) end")
        s:interrupt(rill.clock, 0.05, "interrupted\n")
        s:line("(debug.gethook()) == hook", "\ntrue\n")
        s:line("debug.sethook()", "> ")
        s:line("coroutine.status(inner) == 'dead' or coroutine.resume(inner)", "true")
        s:line("g = coroutine.wrap(function() while true do coroutine.yield(7) end end)", "> ")
        s:line("g(), g()", "\n7\n7\n> ")
        assert.equal(0, s:finish())
    end)

    it("changes nothing in what coroutines do", function()
        assert.equal("same\n", process.output [[
            local rill = require "rill"
            local function battery(c)
                local out = {}
                local function add(...)
                    local t = table.pack(...)
                    for i = 1, t.n do t[i] = tostring(t[i]):gsub("0x%x+", "") end
                    out[#out + 1] = table.concat(t, ",")
                end
                local function closing(f) return setmetatable({}, {__close = f}) end
                local co = c.create(function(a, b)
                    local x, y = c.yield(a + b)
                    c.yield(x * y)
                    error "oops"
                end)
                add(c.resume(co, 1, 2)) add(c.resume(co, 3, 4)) add(c.resume(co)) add(c.resume(co)) add(c.status(co))
                add(pcall(c.resume)) add(pcall(c.resume, 1)) add(pcall(c.wrap))
                add(pcall(c.close, 1)) add(pcall(c.close))
                local w = c.wrap(function(...)
                    local n = select("#", ...)
                    while true do n = n + select("#", c.yield(n, ...)) end
                end)
                add(w(1, 2, 3)) add(w()) add(w(nil, nil))
                local failing = c.wrap(function() error "in wrap" end)
                add(pcall(failing)) add(pcall(failing)) add(pcall(c.wrap(function() error {} end)))
                add(pcall(c.wrap(function()
                    local _ <close> = closing(function(_, e) add("closing", e) end)
                    error "with close"
                end)))
                local open = c.create(function() local _ <close> = closing(function() error "late" end) c.yield(1) end)
                add(c.resume(open)) add(c.close(open)) add(c.status(open))
                add(pcall(c.wrap(function() local _ <close> = closing(function() error "late" end) error "first" end)))
                add(c.resume(c.running())) add(c.wrap(function() return c.isyieldable(), c.status(c.running()) end)())
                local own
                own = c.wrap(function() return pcall(own) end)
                add(own())
                for i in c.wrap(function() for i = 1, 3 do c.yield(i) end end) do add(i) end
                return table.concat(out, "\n")
            end
            local core = require "rill.core"
            local before, resume = battery(coroutine), coroutine.resume
            core._interrupts(true)
            local _, within = pcall(core._interruptible, battery, coroutine)
            local watched = coroutine.resume ~= resume
            core._interrupts(false)
            local same = before == within and watched and coroutine.resume == resume
            print(same and "same" or before .. "\n----\n" .. within)
        ]])
    end)
end)
