-- Runs the Lua of README.md, CONTRIBUTING.md and the manual, and compares the output: see spec/support/manual.lua.
local tempfiles = require "spec.support.tempfiles"

local function capture(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    return text, pipe:close()
end

local root = capture "pwd":gsub("\n$", "")

local function pages()
    local list = {}
    for path in ("README.md\nCONTRIBUTING.md\n" .. capture "ls docs/*.md"):gmatch "[^\n]+" do
        list[#list + 1] = path
    end
    return list
end

-- What pages need that rill can be built without: the module that is missing then, or a function that raises an error,
-- and the reason.
local optional = {
    {"rill.mpi", "rill.mpi.core", "there is no MPI here: apt install libopenmpi-dev openmpi-bin, and build again"},
    {"rill.live", "rill.live.core", "there is no libwebsockets here: apt install libwebsockets-dev, and build again"},
    {":simplify", function() require "rill".mesh.box():simplify {ratio = 1} end,
        "there is no libmeshoptimizer here: apt install libmeshoptimizer-dev, and build again"},
}

-- Returns why a page with this text cannot run here, or nil.
local function missing(text)
    local code = {}
    for block in text:gmatch "\n```lua%s*\n(.-)\n```" do
        code[#code + 1] = block
    end
    code = table.concat(code, "\n")
    for _, part in ipairs(optional) do
        local name, module, reason = table.unpack(part)
        local works = type(module) == "function" and module or function() require(module) end
        if code:find(name, 1, true) and not pcall(works) then return reason end
    end
end

-- Pages that compile many programs and whose subjects have other specs.
local many = "algebra blas calculus collide compact container cost errors fft fluid frame gradient guide_cluster "
    .. "guide_fast_kernels guide_fitting guide_from_pytorch guide_points guide_projects guide_recipes histogram horn "
    .. "image kernel linalg matrix mesh neighbors optimize plot points primitive ray render reuse scale scan scatter "
    .. "signal solve sparse sph statistics subdivide tour translator volume"
local long = {}
for name in many:gmatch "[%w_]+" do
    long["docs/" .. name .. ".md"] = " #long"
end

describe("the manual", function()
    for _, path in ipairs(pages()) do
        it("prints the documented output: " .. path .. (long[path] or ""), function()
            local reason = missing(tempfiles.read(path))
            if reason then return pending(reason) end
            local files <close> = setmetatable({files = tempfiles.open()}, {
                __close = function(self) self.files:close() end,
            })
            local directory = files.files.directory
            local command = ("cp '%s/%s' '%s' && cd '%s' && %s '%s/spec/support/manual.lua' '%s' 2>&1"):format(
                root, path, directory, directory, os.getenv "RILL_LUA" or "lua5.4", root, path:match "[^/]+$")
            local output, good = capture(command)
            assert(good, "\n" .. output)
        end)
    end
end)
