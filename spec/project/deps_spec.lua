-- Tests tools/deps.sh with an artificial /etc/os-release and PATH: which missing packages it reports, and by which
-- names. Installs nothing.
local tempfiles = require "spec.support.tempfiles"

describe("tools/deps.sh", function()
    local files

    before_each(function()
        files = tempfiles.open()
        assert(os.execute(("mkdir '%s'"):format(files:path "bin")))
        for _, name in ipairs {"awk", "sed", "grep", "tr", "env"} do
            assert(os.execute(("ln -s \"$(command -v %s)\" '%s/%s'"):format(name, files:path "bin", name)))
        end
    end)
    after_each(function() files:close() end)

    -- Adds a program to the path, as a shell script.
    local function program(name, script)
        os.execute(("chmod +x '%s'"):format(files:write("bin/" .. name, "#!/bin/sh\n" .. script .. "\n")))
    end

    -- Runs tools/deps.sh for a distribution. Returns its output and exit status.
    local function deps(release, groups)
        local command = ("OS_RELEASE='%s' PATH='%s' /bin/sh tools/deps.sh %s >'%s' 2>&1"):format(
            files:write("os-release", release), files:path "bin", groups, files:path "out")
        local _, _, status = os.execute(command)
        return tempfiles.read(files:path "out"), status
    end

    it("prints the names of Fedora's packages and of rocks", function()
        program("rpm", "exit 1")
        local text, status = deps('ID=fedora\nPRETTY_NAME="Fedora Linux 41 (Workstation Edition)"\n', "build prompt")
        assert.equal(1, status)
        assert.equal([[
deps: missing on Fedora Linux 41 (Workstation Edition); as root, run:
deps:     dnf install gcc make pkgconf-pkg-config lua lua-devel libglvnd-devel libglvnd-opengl glew-devel ]]
            .. [[libpng-devel zlib-devel mesa-libEGL mesa-dri-drivers luarocks
deps:     luarocks --lua-version 5.4 install argparse
deps:     luarocks --lua-version 5.4 install penlight
deps:     luarocks --lua-version 5.4 install readline
]], text)
    end)

    it("leaves out installed packages", function()
        program("rpm", [[case $3 in lua-devel) exit 1 ;; esac]])
        program("lua", [[case $2 in *pl*) exit 1 ;; esac]])
        program("luarocks", "")
        local text = deps('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "build prompt")
        assert.equal("deps: missing on this system; as root, run:\ndeps:     dnf install lua-devel\n"
            .. "deps:     luarocks --lua-version 5.4 install penlight\n", text)
        program("rpm", "")
        program("lua", "")
        assert.same({"", 0}, {deps("ID=fedora\n", "build prompt test")})
    end)

    it("prints the names of Arch's and openSUSE's packages", function()
        program("pacman", [[[ "$2" = libpng ] ]])
        local text = deps("ID=manjaro\nID_LIKE=arch\nPRETTY_NAME=Manjaro\n", "build drivers docs")
        assert.equal([[
deps: missing on Manjaro; as root, run:
deps:     pacman -S --needed base-devel pkgconf lua54 libglvnd glew zlib mesa vulkan-swrast
deps: and, from another source: cmark-gfm
]], text)
        program("rpm", "exit 1")
        text = deps('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', "rock test")
        assert.truthy(text:find("zypper install libcmocka-devel lua54-luarocks\n", 1, true), text)
        assert.truthy(text:find("install busted\n", 1, true), text)
    end)

    it("prints the command on Debian and Ubuntu if it cannot install", function()
        program("dpkg-query", [[echo lua5.4=installed; echo pkg-config=config-files]])
        for _, release in ipairs {"ID=debian\n", "ID=pop\nID_LIKE='ubuntu debian'\n"} do
            local text, status = deps(release, "build")
            assert.equal(1, status)
            for _, words in ipairs {
                "apt-get is not available: build-essential pkg-config liblua5.4-dev",
                "apt-get update && apt-get install --no-install-recommends build-essential",
            } do
                assert.truthy(text:find(words, 1, true), text)
            end
        end
    end)

    it("names the packages on Debian before it installs them, and does nothing if none is missing", function()
        program("id", "echo 0")
        program("apt-get", 'echo "apt-get $*"')
        program("dpkg-query", "echo lua5.4=installed")
        local text, status = deps("ID=debian\n", "docs drivers")
        assert.equal(0, status)
        local first, rest = text:match "^(.-apt%-get)\n(.*)$"
        assert.equal("deps: missing packages for docs, drivers: mesa-vulkan-drivers cmark-gfm\n"
            .. "deps: installing these packages with apt-get", first)
        assert.truthy(rest:find("install --no-install-recommends mesa-vulkan-drivers cmark-gfm\n", 1, true), rest)
        program("dpkg-query", "echo cmark-gfm=installed")
        assert.same({"", 0}, {deps("ID=debian\n", "docs")})
    end)

    it("prints Debian's names on an unknown distribution", function()
        local text, status = deps("ID=void\nPRETTY_NAME=Void\n", "build")
        assert.equal(1, status)
        assert.equal([[
deps: Void is not a known distribution, and these programs are missing: gcc pkg-config lua5.4
deps: install the equivalents of these Debian packages: build-essential pkg-config lua5.4 liblua5.4-dev ]]
            .. "libegl-dev libopengl-dev libglew-dev libpng-dev zlib1g-dev libegl1 libgl1-mesa-dri\n", text)
        for _, name in ipairs {"gcc", "pkg-config", "lua5.4"} do program(name, "") end
        assert.same({"", 0}, {deps("", "build test")})
    end)

    it("agrees with docs/driver.md", function()
        program("rpm", "exit 1")
        program("pacman", "exit 1")
        local manual = tempfiles.read "docs/driver.md"
        for _, id in ipairs {"fedora", "arch", "opensuse"} do
            local command = deps("ID=" .. id .. "\n", "build"):match "\ndeps: +([^\n]+)\n"
            assert.truthy(manual:find("`" .. command .. "`", 1, true), command)
        end
    end)

    it("lists its groups", function()
        local text, status = deps("ID=debian\n", "build nonsense")
        assert.equal(2, status)
        assert.equal("deps: no group 'nonsense'; there are: build libraries prompt test live browser mpi drivers check "
            .. "fuzz docs rock bare\n", text)
    end)

    it("has the same packages as the README", function()
        local listed = {}
        for row in tempfiles.read "README.md":match "### Packages\n\n(.-)\n\n":gmatch "\n| ([^|]+) |" do
            for name in row:gmatch "`([^`]+)`" do listed[name] = true end
        end
        local needed = {}
        for name in tempfiles.read "tools/deps.sh":match "names='\n(.-)'":gmatch "%l+ +(%S+)[^\n]*\n" do
            needed[name] = true
        end
        assert.same(needed, listed)
    end)
end)
