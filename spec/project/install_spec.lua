-- Tests that an installed rill works from an empty directory, with LuaRocks and with `make install`, without this
-- tree on any path.
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

local script = [=[
    local rill = require "rill"
    local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
    print(table.concat(saxpy(2, rill.from {1, 2, 3}, rill.from {10, 20, 30}):values(), " "))
    rill.mesh.icosphere(1) -- the kernel texts of this module are files
    rill.image.median(rill.stream("float", {4, 4}), 1)
]=]

-- Runs a shell command. Returns its output and whether it succeeded.
local function run(format, ...)
    local pipe = assert(io.popen("(" .. format:format(...) .. ") 2>&1"))
    local text = pipe:read "a"
    return text, pipe:close() == true
end

local function must(format, ...)
    local text, good = run(format, ...)
    assert(good, "\n" .. format:format(...) .. "\n" .. text)
    return text
end

describe("installing", function()
    local files, empty

    setup(function()
        files = tempfiles.open()
        empty = files:path "empty"
        must("mkdir '%s'", empty)
        files:write("saxpy.lua", script)
    end)

    teardown(function()
        files:close()
    end)

    -- Runs the script with rill only in `share` and `lib`.
    local function works(share, lib)
        local paths = ("LUA_PATH='%s/?.lua;%s/?/init.lua' LUA_CPATH='%s/?.so'"):format(share, share, lib)
        local output = must("cd '%s' && env -u LUA_PATH_5_4 -u LUA_CPATH_5_4 %s %s ../saxpy.lua", empty, paths, lua)
        assert.equal("12.0 24.0 36.0\n", output)
        assert.equal("", must("ls -A '%s'", empty))
    end

    -- Runs the installed command by its path. LuaRocks wraps it in a script that sets the paths.
    local function command_works(bin)
        local clean = "env -u LUA_PATH -u LUA_CPATH -u LUA_PATH_5_4 -u LUA_CPATH_5_4"
        assert.equal("6\n", must("cd '%s' && %s '%s/rill' -e 'print(rill.iota(4):sum())'", empty, clean, bin))
    end

    it("works with luarocks make, without a network #long", function()
        if not select(2, run "command -v luarocks") then
            return pending "there is no luarocks here: make deps installs it"
        end
        local tree = files:path "tree"
        local offline = "http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9"
        local command = "luarocks --lua-version 5.4 make --tree '%s' rill-scm-1.rockspec"
        must("%s MAKEFLAGS=-j2 HOME='%s' " .. command, offline, files:path "home", tree)
        works(tree .. "/share/lua/5.4", tree .. "/lib/lua/5.4")
        command_works(tree .. "/bin")
    end)

    it("works with make install into a prefix", function()
        local prefix = files:path "prefix"
        must("make -s install BUILD='%s' PREFIX='%s'", os.getenv "RILL_BUILD" or "build", prefix)
        works(prefix .. "/share/lua/5.4", prefix .. "/lib/lua/5.4")
        command_works(prefix .. "/bin")
        must("grep -q '^function rill.matmul' '%s/share/lua/5.4/rill/library/rill.lua'", prefix)
    end)

    it("works with modules that are compiled without file names", function()
        local stripped = files:path "stripped"
        must("cp -r lua '%s'", stripped)
        for path in must("find '%s' -name '*.lua'", stripped):gmatch "[^\n]+" do
            local code = string.dump(assert(loadfile(path)), true)
            local file = assert(io.open(path, "wb"))
            file:write(code)
            file:close()
        end
        works(stripped, os.getenv "RILL_BUILD" or "$OLDPWD/build")
    end)

    it("compiles despite warnings, and stops at them only with WERROR", function()
        local warned = files:write("warned.h", "#warning of the spec\n")
        local object = files:path "build" .. "/obj/base/error.o"
        local command = "make -s '%s' BUILD='%s' CC='gcc -include %s'"
        local output = must(command, object, files:path "build", warned)
        assert.truthy(output:find("warning: #warning of the spec", 1, true))
        must("test -s '%s'", object)
        must("rm '%s'", object)
        assert.is_false(select(2, run(command .. " WERROR=-Werror", object, files:path "build", warned)))
    end)

    it("installs everything below DESTDIR", function()
        local stage = files:path "stage"
        must("make -s install BUILD='%s' DESTDIR='%s' PREFIX=/usr", os.getenv "RILL_BUILD" or "build", stage)
        works(stage .. "/usr/share/lua/5.4", stage .. "/usr/lib/lua/5.4")
        assert.equal("usr\n", must("ls -A '%s'", stage))
    end)

    -- Installs into a directory that has files of others, uninstalls, and compares the directory with before.
    local function round_trip(name, settings, library)
        local root = files:path(name)
        local make = ("make -s BUILD='%s' %s "):format(os.getenv "RILL_BUILD" or "build", settings:gsub("ROOT", root))
        local contents = ("cd '%s' && find . -type f | sort | xargs -d '\n' cksum"):format(root)
        local folders = ("cd '%s' && find . -type d -name 'rill*' | sort"):format(root)
        must("mkdir -p '%s/%s/rill' && echo x > '%s/%s/rill/other.lua'", root, library, root, library)
        must("echo y > '%s/%s/rill.lua'", root, library)
        local before, before_folders = must(contents), must(folders)
        must(make .. "install")
        -- An earlier version had one file more.
        must("cd '%s/%s/rill' && echo old > old.lua && sed -n 's|blas.lua$|old.lua|p' installed-files > more && "
            .. "cat more >> installed-files && rm more", root, library)
        must(make .. "install")
        assert.truthy(must(contents):find "/rill/init.lua")
        must(make .. "uninstall")
        assert.equal(before, must(contents))
        assert.equal(before_folders, must(folders))
        local text, good = run(make .. "uninstall")
        assert.is_false(good)
        assert.truthy(text:find("uninstall: make install has not installed rill here", 1, true), text)
        assert.equal(before, must(contents))
    end

    it("uninstalls what it has installed, and nothing else", function()
        round_trip("with space", "PREFIX='ROOT'", "share/lua/5.4")
    end)

    it("uninstalls what it has installed below DESTDIR, in other directories #long", function()
        local folders = "LUADIR=/opt/lua LIBDIR=/opt/rill/lib BINDIR=/opt/bin"
        round_trip("staged", "DESTDIR='ROOT' PREFIX=/usr " .. folders, "opt/lua")
    end)
end)
