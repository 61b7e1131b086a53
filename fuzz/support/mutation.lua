-- Damages files: edits bytes, and corrects checksums so that readers process the damaged parts.
local mutation = {}

local function crc32(bytes)
    local crc = 0xffffffff
    for i = 1, #bytes do
        crc = crc ~ bytes:byte(i)
        for _ = 1, 8 do
            crc = crc & 1 == 1 and (crc >> 1) ~ 0xedb88320 or crc >> 1
        end
    end
    return ~crc & 0xffffffff
end

function mutation.edited(bytes, edits)
    for _, edit in ipairs(edits) do
        local kind, at, value = table.unpack(edit)
        at = #bytes > 0 and at % #bytes + 1 or 1
        if kind == "set" then
            bytes = bytes:sub(1, at - 1) .. string.char(value % 256) .. bytes:sub(at + 1)
        elseif kind == "word" then
            bytes = bytes:sub(1, at - 1) .. ("<I4"):pack(value & 0xffffffff) .. bytes:sub(at + 4)
        elseif kind == "cut" then
            bytes = bytes:sub(1, at - 1)
        elseif kind == "remove" then
            bytes = bytes:sub(1, at - 1) .. bytes:sub(at + 1 + value % 9)
        elseif kind == "repeat" then
            bytes = bytes:sub(1, at) .. bytes:sub(at, at + value % 40) .. bytes:sub(at + 1)
        else
            bytes = bytes:sub(1, at) .. value .. bytes:sub(at + 1)
        end
    end
    return bytes
end

local repairs = {}

function repairs.rill(bytes)
    return #bytes > 4 and bytes:sub(1, -5) .. ("<I4"):pack(crc32(bytes:sub(1, -5))) or bytes
end

function repairs.png(bytes)
    local made, at = {bytes:sub(1, 8)}, 9
    while at + 11 <= #bytes do
        local length = (">I4"):unpack(bytes, at)
        if at + 11 + length > #bytes then
            break
        end
        local part = bytes:sub(at + 4, at + 7 + length)
        table.insert(made, bytes:sub(at, at + 3) .. part .. (">I4"):pack(crc32(part)))
        at = at + 12 + length
    end
    table.insert(made, bytes:sub(at))
    return table.concat(made)
end

-- Returns the bytes with correct checksums, if the format has any.
function mutation.repaired(format, bytes)
    return (repairs[format] or function(same) return same end)(bytes)
end

function mutation.read(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "a"
    file:close()
    return bytes
end

function mutation.write(path, bytes)
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
end

-- Returns the maximum memory of the process in kilobytes, or nil if /proc does not report it.
function mutation.peak()
    local file = io.open "/proc/self/status"
    local text = file and file:read "a" or ""
    if file then
        file:close()
    end
    return tonumber(text:match "VmHWM:%s*(%d+)")
end

return mutation
