-- A temporary directory for the files of one spec: `local files = tempfiles.open()` in setup, `files:close()` in
-- teardown.
local tempfiles = {}
tempfiles.__index = tempfiles

function tempfiles.open()
    local name = os.tmpname()
    assert(os.remove(name))
    assert(os.execute("mkdir '" .. name .. "'"))
    return setmetatable({ directory = name }, tempfiles)
end

function tempfiles:path(name)
    return self.directory .. "/" .. name
end

function tempfiles:write(name, bytes)
    local path = self:path(name)
    local file = assert(io.open(path, "wb"))
    assert(file:write(bytes))
    assert(file:close())
    return path
end

function tempfiles.read(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "a"
    file:close()
    return bytes
end

-- Returns the names in the directory, sorted, including hidden files.
function tempfiles:list()
    local pipe = assert(io.popen("ls -A '" .. self.directory .. "'"))
    local names = {}
    for name in pipe:lines() do
        names[#names + 1] = name
    end
    pipe:close()
    return names
end

function tempfiles:close()
    os.execute("rm -rf '" .. self.directory .. "'")
end

-- Returns the directory of the public test data, or nil and the reason to skip a test.
function tempfiles.data()
    for _, directory in ipairs { os.getenv "RILL_DATA" or "", "../shared/data" } do
        local file = directory ~= "" and io.open(directory .. "/images/camera.pgm", "rb")
        if file then
            file:close()
            return directory
        end
    end
    return nil, "no test data: set RILL_DATA to a directory with images/camera.png"
end

return tempfiles
