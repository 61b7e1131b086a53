-- The command `rill`: what it runs, what it prints, how it ends.
local session = require "spec.support.session"
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

local root = assert(io.popen "pwd"):read "l"

describe("the command", function()
    local files

    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- Runs a program with arguments (a shell's words), in the directory of the files: {status =, out =, err =}.
    local function run(program, words, input)
        local out, err = files:path "out", files:path "err"
        local command = ("cd '%s' && %s %s >'%s' 2>'%s' %s"):format(files.directory, program, words, out, err,
            input and ("<'%s'"):format(files:write("input", input)) or "</dev/null")
        local _, _, status = os.execute(command)
        return {status = status, out = tempfiles.read(out), err = tempfiles.read(err)}
    end

    local function rill(words, input)
        return run(("%s '%s/bin/rill'"):format(lua, root), words, input)
    end

    it("runs a script, whose arguments are its own", function()
        files:write("s.lua", "print(table.concat({...}, '|'), arg[0], table.concat(arg, '|'), rill)")
        local result = rill "s.lua -e --help 'a b'"
        assert.equal("-e|--help|a b\ts.lua\t-e|--help|a b\tnil\n", result.out)
        assert.equal("", result.err)
        assert.equal(0, result.status)
        assert.equal(0, rill "-- s.lua".status)
        assert.equal("3\n", rill("-", "print(rill.iota(3):sum())").out)
        assert.equal("3\n", rill("", "print(rill.iota(3):sum())").out)
    end)

    it("ends as lua does", function()
        files:write("raise.lua", "local function f() error 'boom' end f()")
        files:write("table.lua", "error {}")
        files:write("spoken.lua", [[error(setmetatable({}, {__tostring = function() return 'spoken' end}))]])
        files:write("syntax.lua", "x = = 1")
        files:write("exit.lua", "os.exit(7)")
        files:write("closed.lua", [[
            local c <close> = setmetatable({}, {__close = function() print 'closed' end})
            print(1)
        ]])
        for _, name in ipairs {"raise", "table", "spoken", "syntax", "exit", "closed", "missing"} do
            local own, theirs = rill(name .. ".lua"), run(lua, name .. ".lua")
            assert.equal(theirs.status, own.status, name)
            assert.equal(theirs.out, own.out, name)
            local function first(text) return text:gsub("^[^:]+: ", ""):match "[^\n]*" end
            assert.equal(first(theirs.err), first(own.err), name)
        end
        local own, theirs = rill "raise.lua", run(lua, "raise.lua")
        assert.equal(1, own.status)
        assert.equal(theirs.err:gsub("^[^:]+: ", ""), own.err:gsub("^[^:]+: ", ""))
    end)

    it("runs -e and -l in their order, and scripts from standard input", function()
        local result = rill [[-e 'print(rill.iota(5):sum())' -lt=table '-eprint(t.concat({1, 2}, "-"))']]
        assert.equal("10\n1-2\n", result.out)
        assert.equal(0, result.status)
        assert.equal("3\n", rill("", "print(1 + 2)").out)
        assert.equal("a\n", rill("- a", "print(...)").out)
        result = rill "-e 'error \"first\"' -e 'print \"never\"'"
        assert.equal(1, result.status)
        assert.equal("", result.out)
        assert.truthy(result.err:find "^rill: %(command line%):1: first\nstack traceback:\n")
        assert.equal("2\n", rill "-e '-- a remark\nprint(2)'".out)
        assert.equal(1, rill "-l no_such_module_here".status)
        assert.equal(1, rill "-e 'x = ='".status)
    end)

    it("prints help and versions", function()
        local version = require "rill"._VERSION
        assert.equal(("rill %s, Lua 5.4\n"):format(version), rill "--version".out)
        assert.equal(rill "-v".out, rill "--version".out)
        local help = rill "--help"
        assert.equal(0, help.status)
        for _, word in ipairs {"-e", "-i", "-l", "--devices", "--check", "--profile", "--version", "script"} do
            assert.truthy(help.out:find(word, 1, true), word)
        end
        local wrong = rill "--wrong"
        assert.equal(1, wrong.status)
        assert.truthy(wrong.err:find("unknown option '--wrong'", 1, true) and wrong.err:find "Usage: rill")
    end)

    it("reports a missing argparse", function()
        files:write("argparse.lua", "error('not enough memory', 0)")
        local result = run(("LUA_PATH='%s/?.lua;;' %s '%s/bin/rill'"):format(files.directory, lua, root), "-v")
        assert.equal(1, result.status)
        assert.matches("^rill: .*not enough memory", result.err)
        os.remove(files:path "argparse.lua")
    end)

    it("lists the devices", function()
        local result = rill "--devices"
        assert.equal(0, result.status)
        local device = require "rill".device()
        for _, word in ipairs {"driver", "memory", "family", "GB/s", device.name, device.version} do
            assert.truthy(result.out:find(word, 1, true), word)
        end
    end)

    it("chooses the device, checks and profiles", function()
        local name = require "rill".device().name
        assert.equal(name .. "\n", rill(("-d 1 -e 'rill.open(\"%s\") print(rill.device().name)'"):format(name)).out)
        local none = rill "--device nonesuch -e 'print(1)'"
        assert.equal(1, none.status)
        assert.matches('^rill: rill%.open: no device matches "nonesuch"[^\n]*\n$', none.err)
        assert.equal("true\n", rill "--check -e 'print(rill.check())'".out)
        files:write("work.lua", [[
            local rill = require "rill"
            local k = rill.kernel "kernel void worked(float x<>, out float r<>) { r = x; }"
            k(rill.random(100))
            print "done"
        ]])
        local result = rill "--profile work.lua"
        assert.equal(0, result.status)
        assert.equal("done\n", result.out)
        assert.truthy(result.err:find "worked +1 ")
        result = rill "--profile -e 'rill.iota(9):sum() error \"late\"'"
        assert.equal(1, result.status)
        assert.truthy(result.err:find "late" and result.err:find "sum +1 ")
    end)

    it("prints no prompts if input is a pipe", function()
        local lines = {
            "1 + 1", "x = rill.iota(100)", "x", "for i = 1, 2 do", "print(i)", "end", "error 'no'", "'on'", "x = (",
        }
        local result = rill("-i", table.concat(lines, "\n"))
        result.out = result.out:gsub("\n  [%d.]+ s%f[\n]", "") -- the machine may be busy
        assert.equal(0, result.status)
        assert.falsy(result.out:find("> ", 1, true))
        local out = result.out:gsub("\n  [%d.]+ s\n", "\n") -- where the device opened slowly, the time is told
        assert.truthy(out:find("^2\nstream<int>%[100%] 400 bytes\n"))
        assert.truthy(result.out:find "\n1\n2\n\"on\"\n$")
        assert.truthy(result.err:find("stdin:1: no\n", 1, true))
        assert.truthy(result.err:find "<eof>")
        assert.falsy((result.out .. result.err):find "\27")
        result = run(lua, [[-e 'require "rill".repl {quiet = true} print "left"']], "7 * 6\n")
        assert.equal("42\nleft\n", result.out)
    end)

    it("is a prompt after a script by -i", function()
        if session.missing then
            return pending(session.missing)
        end
        files:write("set.lua", "answer = 41")
        local s <close> = session.open {lua, root .. "/bin/rill", "-i", files:path "set.lua",
            env = {HOME = files.directory, TERM = "dumb"}}
        s:expect "> "
        s:line("answer + 1", "\n42\n> ")
        assert.equal(0, s:finish())
    end)

    it("finds the rill of its source tree without LUA_PATH", function()
        local variables = "LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_CPATH_5_4"
        local result = run(("env %s %s '%s/bin/rill'"):format(variables:gsub("%S+", "-u %0"), lua, root), "--version")
        if os.getenv "RILL_BUILD" == root .. "/build" then
            assert.equal("", result.err)
            assert.truthy(result.out:find "^rill ")
            assert(os.execute(("ln -s '%s/bin/rill' '%s'"):format(root, files:path "linked rill")))
            assert(os.execute(("ln -s 'linked rill' '%s'"):format(files:path "twice")))
            result = run(("env %s %s"):format(variables:gsub("%S+", "-u %0"), lua), "./twice --version")
            assert.equal("", result.err)
            assert.truthy(result.out:find "^rill ")
        end
    end)
end)
