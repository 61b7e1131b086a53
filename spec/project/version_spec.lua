-- Tests that the version is the same in the module, the rockspec of the release and the change log, and that the
-- source archive builds.
local rill = require "rill"
local tempfiles = require "spec.support.tempfiles"

local version = rill._VERSION

-- Returns the contents of a rockspec.
local function rockspec(path)
    local fields = {}
    assert(loadfile(path, "t", fields))()
    return fields
end

local function must(format, ...)
    local command = format:format(...)
    local pipe = assert(io.popen(("unset LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL; ( %s ) 2>&1"):format(command)))
    local text = pipe:read "a"
    assert(pipe:close(), command .. "\n" .. text)
    return text
end

describe("the version", function()
    local files

    teardown(function()
        if files then files:close() end
    end)

    it("is the one of the rockspec", function()
        local release = rockspec(("rockspecs/rill-%s-1.rockspec"):format(version))
        assert.equal(version .. "-1", release.version)
        assert.equal("v" .. version, release.source.tag)
    end)

    it("has a rockspec that differs from the development version's in version and source only", function()
        local release, scm = rockspec(("rockspecs/rill-%s-1.rockspec"):format(version)), rockspec "rill-scm-1.rockspec"
        for _, fields in ipairs {release, scm} do
            fields.version, fields.source = nil, nil
        end
        assert.same(scm, release)
    end)

    it("is the newest in the change log, which has no other version twice", function()
        local versions, seen = {}, {}
        for found in tempfiles.read "CHANGELOG.md":gmatch "\n## (%d+%.%d+%.%d+) %- %d%d%d%d%-%d%d%-%d%d\n" do
            assert.is_nil(seen[found])
            seen[found] = true
            versions[#versions + 1] = found
        end
        assert.equal(version, versions[1])
    end)

    it("is in the name of the source archive, which builds and installs without git #long", function()
        if not os.execute "git rev-parse --verify -q HEAD >/dev/null 2>&1" then
            return pending "this tree is not a git repository"
        end
        files = tempfiles.open()
        must("make -s dist BUILD='%s'", files:path "dist")
        must("cd '%s' && tar -xzf dist/rill-%s.tar.gz", files.directory, version)
        local tree, prefix = files:path("rill-" .. version), files:path "prefix"
        must("cd '%s' && make -s -j2 install CFLAGS=-O0 PREFIX='%s'", tree, prefix)
        must("rm -r '%s'", tree)
        local clean = "env -u LUA_PATH -u LUA_CPATH -u LUA_PATH_5_4 -u LUA_CPATH_5_4"
        local paths = ("LUA_PATH='%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua' LUA_CPATH='%s/lib/lua/5.4/?.so'")
            :format(prefix, prefix, prefix)
        assert.equal(version .. " 6\n", must("cd '%s' && %s %s %s -e '%s'", prefix, clean, paths,
            os.getenv "RILL_LUA" or "lua5.4",
            [[local rill = require "rill" print(rill._VERSION .. " " .. rill.iota(4):sum())]]))
    end)
end)
