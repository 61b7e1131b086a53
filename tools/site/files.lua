-- Files of the tree, for the other tools.
local files = {}

--- The text of a file; nil when `optional` and there is none.
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

--- Copies a file; false when there is none.
function files.copy(from, to)
    local text = files.read(from, true)
    if text then files.write(to, text) end
    return text ~= nil
end

--- Runs a command of the shell: true when it ends well.
function files.run(format, ...)
    return os.execute(format:format(...)) == true
end

--- The lines that a command prints.
function files.lines(format, ...)
    local list, pipe = {}, assert(io.popen(format:format(...)))
    for line in pipe:lines() do
        list[#list + 1] = line
    end
    pipe:close()
    return list
end

--- The files of a folder whose names match a pattern of the shell, in order.
function files.list(folder, pattern)
    return files.lines("find '%s' -maxdepth 1 -name '%s' | LC_ALL=C sort", folder, pattern)
end

--- The same with all folders in it.
function files.tree(folder, pattern)
    return files.lines("find '%s' -name '%s' | LC_ALL=C sort", folder, pattern)
end

function files.make_folder(path)
    assert(files.run("mkdir -p '%s'", path))
end

--- The current directory.
function files.here()
    return files.lines("pwd")[1]
end

--- Is the file at `path` there, and newer than each of the others?
function files.newer(path, ...)
    for _, other in ipairs {...} do
        if not files.run("[ '%s' -nt '%s' ]", path, other) then return false end
    end
    return true
end

--- The keys of a table, in order.
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

--- A path seen from a folder, without "." and "..".
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
