-- Tests that the checks of the manual detect errors: tools/site.lua, tools/errors.lua and tools/annotations.lua,
-- each in a copy of the tree with one error.
local tempfiles = require "spec.support.tempfiles"

local lua = os.getenv "RILL_LUA" or "lua5.4"

-- Runs a shell command in a directory. Returns its output and whether it succeeded.
local function run(directory, format, ...)
    local pipe = assert(io.popen(("cd '%s' && (%s) 2>&1"):format(directory, format:format(...))))
    local text = pipe:read "a"
    return text, pipe:close() == true
end

local function slurp(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

local function spill(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

describe("the checks of the manual #slow #long", function()
    local files, tree

    setup(function()
        files = tempfiles.open()
        tree = files.directory
        local root = run(".", "pwd"):gsub("\n", "")
        local _, good = run(root,
            "cp -r README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE docs examples lua src tools '%s'", tree)
        assert.is_true(good)
    end)
    teardown(function() files:close() end)

    -- Returns the output of a tool after `change` has changed a file of the copy. The tool must fail. Restores the
    -- file.
    local function refused(command, path, change)
        local before = slurp(tree .. "/" .. path)
        spill(tree .. "/" .. path, change(before))
        local said, good = run(tree, command)
        spill(tree .. "/" .. path, before)
        assert.is_false(good, said)
        return said
    end

    local function append(text)
        return function(before) return before .. text end
    end

    local function says(said, wanted)
        assert.is_truthy(said:find(wanted, 1, true), said)
    end

    describe("errors.lua", function()
        local command = lua .. " tools/errors.lua"

        it("passes for the unchanged tree", function()
            local said, good = run(tree, command)
            assert.is_true(good, said)
        end)

        it("reports a message of C without an entry", function()
            local line = 'bool f(void) { return error_set("the %d moons differ", 2); }\n'
            local said = refused(command, "src/base/array.c", append(line))
            says(said, "not in docs/errors.md: the ... moons differ")
        end)

        it("reports a message of Lua without an entry", function()
            local said = refused(command, "lua/rill/horn.lua", append 'error("the moons of " .. x .. " differ")\n')
            says(said, "lua/rill/horn.lua:")
            says(said, "not in docs/errors.md: the moons of")
        end)

        it("reports an entry without a message", function()
            local rows = "\n| message |\n|---|\n| `the moons ... are blue` |\n"
            local said = refused(command, "docs/errors.md", append(rows))
            says(said, "no such message: the moons ... are blue")
        end)
    end)

    describe("annotations.lua", function()
        -- The copy has no specs, so the tool always reports that names occur in no spec.
        local command = 'LUA_PATH="./lua/?.lua;./lua/?/init.lua;$LUA_PATH" ' .. lua ..
            " tools/annotations.lua --check"

        it("reports only names without a spec for the unchanged tree", function()
            local said, good = run(tree, command)
            assert.is_false(good)
            says(said, "rill.matmul is in no spec")
            for line in said:gmatch "annotations: (.-)\n" do
                assert.is_truthy(line:find "is in no spec$" or line:find "faults$", line)
            end
        end)

        it("reports a function without a line in the reference", function()
            local said = refused(command, "lua/rill/init.lua", function(before)
                return (before:gsub("\nreturn setmetatable%(rill", "\nfunction rill.moon() end%0"))
            end)
            says(said, "rill.moon is in the module, and has no line in lua/rill/shell/reference.lua")
        end)

        it("reports a line of the reference without a function", function()
            local said = refused(command, "lua/rill/shell/reference.lua", function(before)
                return (before:gsub("\nrill%.sync%(%)", "\nrill.moon() -- it rises%0"))
            end)
            says(said, "rill.moon has a line in lua/rill/shell/reference.lua, and is not in the module")
        end)
    end)

    describe("site.lua", function()
        local command = lua .. " tools/site.lua --check site"
        local installed = os.execute "command -v cmark-gfm >/dev/null" == true

        -- Needs cmark-gfm, which `make check` installs.
        local function check(name, body)
            if installed then it(name, body) else pending(name) end
        end

        check("shows code in lines of the reference as it is", function()
            local said, good = run(tree, command)
            assert.is_true(good, said)
            for _, page in ipairs {"names", "algebra"} do
                local html = slurp(("%s/site/%s.html"):format(tree, page))
                says(html, "<code>local e &lt;close&gt;</code>")
                says(html, "s &lt; t")
            end
        end)

        check("reports a link to no page", function()
            local said = refused(command, "docs/scan.md", append "\n[x](moon.md)\n")
            says(said, "docs/scan.md: link to 'moon.md': no such page")
        end)

        check("reports a link to no heading", function()
            local said = refused(command, "docs/scan.md", append "\n[x](sort.md#moon)\n")
            says(said, "docs/scan.md: link to 'sort.md#moon': no such heading")
        end)

        check("reports a picture that the page's code does not save", function()
            says(refused(command, "docs/scan.md", append "\n![moon](moon.png)\n"), "docs/scan.md: image 'moon.png'")
        end)

        check("reports a page that no table lists", function()
            local said = refused(command, "docs/README.md", function(before)
                return (before:gsub("| %[scan%.md%][^\n]*\n", ""))
            end)
            says(said, "docs/scan.md is in no table of docs/README.md")
        end)
    end)
end)
