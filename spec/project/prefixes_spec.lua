-- Tests tools/prefixes.lua on a small tree: which names it accepts and which it reports.
local tempfiles = require "spec.support.tempfiles"

local LOADER <const> = "void luaopen_rill_core(void) {}\n"
local HEADER <const> = [[
/* void wrong_comment(void); */
int river_length(int from,
                 int to);
void bank_wet(void);
]]
local SOURCE <const> = [[
static int hidden(int x) { return x; }
int river_bed_depth(int x) { return hidden(x); }
int river_bed(int x) { return x; }
int river_length(int from, int to) { return to - from; }
]] .. LOADER

describe("tools/prefixes.lua", function()
    local files
    setup(function()
        files = tempfiles.open()
        assert(os.execute(("mkdir -p '%s/src/land' '%s/build/obj/land'"):format(files.directory, files.directory)))
        files:write("src/land/river_private.h", HEADER)
    end)
    teardown(function() files:close() end)

    -- Returns the tool's output for a file src/land/NAME.c, and whether it succeeded.
    local function report(name, source)
        local path = files:write(("src/land/%s.c"):format(name), source)
        local directory = files.directory
        assert(os.execute(("env -u LD_PRELOAD gcc -c -o '%s/build/obj/land/%s.o' '%s'"):format(directory, name, path)))
        local command = "%s tools/prefixes.lua '%s/build' '%s' 2>&1"
        local pipe = assert(io.popen(command:format(os.getenv "RILL_LUA" or "lua5.4", directory, directory)))
        local output = pipe:read "a"
        local content = pipe:close()
        assert(os.remove(path)) -- objects without a source file are ignored
        return output, content == true
    end

    it("accepts the name of the file, its first word, and the name of the header", function()
        local output, content = report("river_bed", SOURCE)
        assert.equal("prefixes: ok, 4 functions, 1 permitted exceptions\n", output)
        assert.is_true(content)
        local binding = "void bed_lay(void) {}\nvoid open_bed(void) {}\n" .. LOADER
        assert.is_true(select(2, report("bed", binding)))
    end)

    it("reports functions with the prefix of another file", function()
        local output, content = report("shore", SOURCE)
        assert.is_false(content)
        local says = "src/land/shore.c: %s begins with the name of none of its file, header and directory\n"
        assert.equal(says:format "river_bed" .. says:format "river_bed_depth", output)
        for _, name in ipairs {"wrong_comment", "bank_wet", "open_river", "shores", "lua_shore"} do
            output, content = report("shore", ("void %s(void) {}\n"):format(name) .. LOADER)
            assert.is_false(content)
            assert.truthy(output:find("shore.c: " .. name .. " begins", 1, true), output)
        end
    end)

    it("reports an exception that no longer occurs", function()
        local output, content = report("shore", "void shore(void) {}\n")
        assert.is_false(content)
        local says = "prefixes: this exception no longer occurs, remove it from the list in tools/prefixes.lua: "
            .. "luaopen_rill_core\n"
        assert.equal(says, output)
    end)
end)
