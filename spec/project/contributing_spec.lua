-- Checks that the files and functions that CONTRIBUTING.md names exist.
local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

local function capture(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    pipe:close()
    return text
end

local page = read "CONTRIBUTING.md"

-- Returns every piece of code in backquotes.
local function pieces(text)
    return text:gsub("\n```.-\n```", ""):gmatch "`([^`\n]+)`"
end

local function is_path(piece)
    return piece:match "^[%w_./]+$" and piece:find("/", 1, true) and not piece:find("NAME", 1, true)
end

describe("CONTRIBUTING.md", function()
    it("names existing files only", function()
        local tree = {}
        for path in capture "find . -path './build*' -prune -o -path ./.git -prune -o -print":gmatch "%./([^\n]+)" do
            tree[path] = true
        end
        local makefile = read "Makefile"
        -- Files of the build tree are rules of the Makefile. Some are built only where an optional library is installed.
        local function is_built(piece)
            return makefile:find("%$%(BUILD%)/" .. piece:gsub("^build/", ""):gsub("%p", "%%%0") .. "%f[^%w_]")
        end
        local count = 0
        for piece in pieces(page) do
            if is_path(piece) and piece ~= "bin/rill" then
                count = count + 1
                assert(tree[piece:gsub("/$", "")] or is_built(piece), piece)
            end
        end
        assert.is_true(count > 50)
    end)

    it("names all directories of src and lua/rill, except those of kernel texts", function()
        local count = 0
        for path in capture "find src/* lua/rill/* -type d":gmatch "[^\n]+" do
            if not path:match "^lua/rill/.+/kernels$" then
                count = count + 1
                assert(page:find("`" .. path .. "`", 1, true), path)
            end
        end
        assert.is_true(count > 50)
    end)

    it("names functions of the right files", function()
        local count = 0
        for path, names in page:gmatch "\n| `(src/[%w_/]+%.c)` | ([^|]+) |" do
            local text = read(path)
            for name in pieces(names) do
                count = count + 1
                assert(text:find("\n[%w_ *]-%f[%w_]" .. name .. "%f[^%w_][%(%[]"), path .. ": " .. name)
            end
        end
        assert.is_true(count > 25)
    end)

    it("names only identifiers that occur in the sources", function()
        local sources = capture "cat src/*/*.[ch] src/*/*/*.[ch]"
        for piece in pieces(page) do
            if piece:match "^%l+_[%l_]+$" then
                assert(sources:find("%f[%w_]" .. piece .. "%f[^%w_]"), piece)
            end
        end
    end)
end)
