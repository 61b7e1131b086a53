-- File functions for the other tools.
local files = {}

--- Returns the text of a file. If `optional` is set and the file does not exist, returns nil.
function files.read(path, optional)
    local file, message = io.open(path, "rb")
    if not file then
        return not optional and error(message) or nil
    end
    local text = file:read "a"
    file:close()
    return text
end

function files.write(path, text)
    local file = assert(io.open(path, "wb"))
    assert(file:write(text))
    assert(file:close())
end

--- Copies a file. Returns false if it does not exist.
function files.copy(from, to)
    local text = files.read(from, true)
    if text then files.write(to, text) end
    return text ~= nil
end

--- Runs a shell command. Returns true if it succeeds.
function files.run(format, ...)
    return os.execute(format:format(...)) == true
end

--- Returns the lines that a command prints.
function files.lines(format, ...)
    local list, pipe = {}, assert(io.popen(format:format(...)))
    for line in pipe:lines() do
        list[#list + 1] = line
    end
    pipe:close()
    return list
end

--- Returns the files of a directory whose names match a shell pattern, sorted.
function files.list(folder, pattern)
    return files.lines("find '%s' -maxdepth 1 -name '%s' | LC_ALL=C sort", folder, pattern)
end

--- Returns the files of a directory and its subdirectories whose names match a shell pattern, sorted.
function files.tree(folder, pattern)
    return files.lines("find '%s' -name '%s' | LC_ALL=C sort", folder, pattern)
end

function files.make_folder(path)
    assert(files.run("mkdir -p '%s'", path))
end

--- Returns the current directory.
function files.here()
    return files.lines("pwd")[1]
end

--- Returns whether the file at `path` exists and is newer than each of the others.
function files.newer(path, ...)
    for _, other in ipairs {...} do
        if not files.run("[ '%s' -nt '%s' ]", path, other) then return false end
    end
    return true
end

--- Returns the keys of a table, sorted.
function files.sorted_keys(set)
    local list = {}
    for key in pairs(set) do
        list[#list + 1] = key
    end
    table.sort(list)
    return list
end

function files.folder(path)
    return path:match "^(.*)/[^/]*$" or "."
end

--- Returns a path relative to a directory, without "." and "..".
function files.join(folder, path)
    local parts = {}
    for part in (folder .. "/" .. path):gmatch "[^/]+" do
        if part == ".." then
            parts[#parts] = nil
        elseif part ~= "." then
            parts[#parts + 1] = part
        end
    end
    return table.concat(parts, "/")
end

return files
