-- Tests tools/plain.sh, which hides optional libraries and programs, on an artificial PATH, and how the Makefile finds
-- libraries that pkg-config does not know.
local tempfiles = require "spec.support.tempfiles"

describe("tools/plain.sh", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    -- Runs a shell command. Returns its output.
    local function output(format, ...)
        local pipe = assert(io.popen(format:format(...)))
        local text = pipe:read "a"
        pipe:close()
        return text
    end

    it("hides optional libraries and programs, and keeps the others", function()
        local first, second, plain = files:path "first", files:path "second", files:path "plain"
        assert(os.execute(("mkdir '%s' '%s'"):format(first, second)))
        for path, said in pairs {["first/mpirun"] = "mpirun", ["first/both"] = "first", ["second/both"] = "second",
            ["second/other"] = "other", ["second/pkg-config"] = "pkg-config $*"} do
            assert(os.execute(("chmod +x '%s'"):format(files:write(path, "#!/bin/sh\necho " .. said .. "\n"))))
        end
        assert(os.execute(("PATH='%s:%s':\"$PATH\" tools/plain.sh '%s' >/dev/null"):format(first, second, plain)))
        local hidden = "PATH='" .. plain .. "' "
        assert.equal("first\nother\npkg-config --libs zlib\n",
            output(hidden .. "sh -c 'both; other; pkg-config --libs zlib'"))
        for _, command in ipairs {"command -v mpirun", "pkg-config --libs libjpeg", "pkg-config --exists ompi-c"} do
            assert.equal("none\n", output(hidden .. "sh -c '%s || echo none'", command))
        end
    end)
end)

describe("the Makefile", function()
    it("finds libmeshoptimizer only if the compiler does", function()
        local folder = tempfiles.open()
        folder:write("meshoptimizer.h", "")
        for options, found in pairs {[""] = "no", ["-I" .. folder.directory] = "yes"} do
            local pipe = assert(io.popen(("env -u MAKEFLAGS -u MFLAGS -u MESHOPTIMIZER make -s --eval='found: ; "
                .. "@echo $(MESHOPTIMIZER)' found CC='cc -nostdinc %s'"):format(options)))
            assert.equal(found .. "\n", pipe:read "a")
            pipe:close()
        end
        folder:close()
    end)
end)
