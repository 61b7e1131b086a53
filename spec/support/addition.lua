-- A copy of the tree in which a spec makes an addition, builds it, and counts the files that it touched.
local tempfiles = require "spec.support.tempfiles"

local addition = {}
addition.__index = addition

local FOLDERS <const> = "CONTRIBUTING.md src shaders lua docs spec tools"

-- Returns the output of a shell command, which must succeed. Removes the variables of the suite's preload and of
-- make.
local function must(format, ...)
    local clean = "unset LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL; "
    local pipe = assert(io.popen(("( %s%s ) 2>&1"):format(clean, format:format(...))))
    local output = pipe:read "a"
    assert(pipe:close(), output)
    return output
end

--- Creates a copy, with the existing objects of this tree's build. `local copy <close> = addition.open()`.
function addition.open()
    local self = setmetatable({files = tempfiles.open(), here = must "pwd":match "[^\n]+"}, addition)
    self.directory = self.files.directory
    local build = os.getenv "RILL_BUILD" or "build"
    must("cp -a Makefile %s '%s' && mkdir '%s/build'", FOLDERS, self.directory, self.directory)
    must("cd '%s' && cp -a obj flags shaders_embedded.* '%s/build' && find '%s/build' -name '*.d' -delete", build,
        self.directory, self.directory)
    return self
end

addition.__close = function(self)
    self.files:close()
end

function addition:read(path)
    return tempfiles.read(self.files:path(path))
end

--- Writes a new file.
function addition:write(path, text)
    self.files:write(path, text)
end

--- Inserts text before the first occurrence of `before` in a file of the copy, or at its end.
function addition:insert(path, text, before)
    local old = self:read(path)
    local at = #old + 1
    if before then
        at = assert(old:find(before, 1, true), path .. " has no " .. before)
    end
    self:write(path, old:sub(1, at - 1) .. text .. old:sub(at))
end

--- Builds rill.core of the copy. Compiles new and changed C files, and files that contain one of the words. The
--- other
-- objects are copied from this tree, which is correct if enumerations only get longer.
function addition:build(...)
    for _, word in ipairs {...} do
        must("cd '%s' && grep -rlw '%s' src | xargs touch", self.directory, word)
    end
    local sanitizers = self:read "build/flags":match "%-fsanitize=%S+" or ""
    local settings = ("BUILD=build WERROR=-Werror CFLAGS=-O0 LDFLAGS='%s'"):format(sanitizers)
    must("cd '%s' && make -j2 -o build/flags build %s", self.directory, settings)
end

--- Runs Lua in the copy. Returns its output.
function addition:run(format, ...)
    local lua = os.getenv "RILL_LUA" or "lua5.4"
    local own = ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;;'"):format(self.directory, self.directory)
    if os.rename(self.files:path "build/rill/core.so", self.files:path "build/rill/core.so") then
        own = own .. (" LUA_CPATH='%s/build/?.so;;'"):format(self.directory)
    end
    local preload = os.getenv "LD_PRELOAD"
    own = preload and own .. (" LD_PRELOAD='%s'"):format(preload) or own
    local clean = "env -u LUA_PATH_5_4 -u LUA_CPATH_5_4"
    return must("cd '%s' && %s %s %s %s", self.directory, clean, own, lua, format:format(...))
end

-- Returns a page of the manual without its tables of names, which `make build` writes.
local function without_tables(path)
    return (tempfiles.read(path):gsub("<!%-%- names: .-<!%-%- end of names %-%->", ""))
end

--- Returns the files of the copy that are new or changed, sorted. What `make build` writes into the manual does not
--- count.
function addition:touched()
    local list = {}
    for folder in ("Makefile " .. FOLDERS):gmatch "%S+" do
        local output = must("cd '%s' && diff -rq '%s/%s' '%s' || true", self.directory, self.here, folder, folder)
        for line in output:gmatch "[^\n]+" do
            local in_folder, new = line:match "^Only in ([^:]+): (.+)$"
            local differs = line:match " and (%S+) differ$"
            local written = differs and differs:find "%.md$" and
                without_tables(self.here .. "/" .. differs) == without_tables(self.files:path(differs))
            list[#list + 1] = not written and (new and in_folder .. "/" .. new or differs or line) or nil
        end
    end
    table.sort(list)
    return list
end

return addition
