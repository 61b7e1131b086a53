-- Runs the Lua blocks of one page of the manual: manual.lua FILE. The blocks are one script, which runs in a new
-- environment in the current directory. The output of a line is compared with the text after `-->` on the line and
-- in the comment lines below it. Sequences of white space count as one space, and `...` matches anything. Prints the
-- differences as FILE:LINE, and fails if there is one.
local path = assert(arg[1], "usage: manual.lua FILE")

-- Returns the text of the blocks at their original lines, with other lines empty, and the expected output by line of
-- code.
local function extract(file)
    local code, expected, inside, last, number = {}, {}, false, nil, 0
    for line in file:lines() do
        number = number + 1
        local starts, ends = line:match "^```lua%s*$", inside and line:match "^```%s*$"
        local indent, comment = line:match "^(%s*)%-%->%s?(.*)$"
        code[number] = inside and not ends and line or ""
        if not inside or ends then
            inside = starts ~= nil
            last = nil
        elseif indent then
            assert(last, ("%s:%d: output that nothing printed"):format(path, number))
            expected[last] = (expected[last] and expected[last] .. "\n" or "") .. comment
        elseif line:match "%-%->" then
            last = number
            expected[last] = line:match "%-%->%s*(.*)$"
        elseif line:match "%S" then
            last = number
        end
    end
    return table.concat(code, "\n"), expected
end

local function squeeze(text)
    return (text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function matches(wanted, got)
    local pattern = squeeze(wanted):gsub("%p", "%%%0"):gsub("%%%.%%%.%%%.", ".-")
    return squeeze(got):match("^" .. pattern .. "$") ~= nil
end

local file = assert(io.open(path))
local code, expected = extract(file)
file:close()

if code:find('require "rill.mpi"', 1, true) and not pcall(require, "rill.mpi.core") then
    print(path .. ": not run, as there is no MPI here")
    os.exit(true)
end

local ends = {} -- lines with expected output, in order
for line in pairs(expected) do
    ends[#ends + 1] = line
end
table.sort(ends)

-- The output up to each line in `ends`, starting after the previous line.
local printed = {}
local environment = setmetatable({}, {__index = _G})
function environment.print(...)
    local line, words = debug.getinfo(2, "l").currentline, table.pack(...)
    for i = 1, words.n do
        words[i] = tostring(words[i])
    end
    for _, last in ipairs(ends) do
        if line <= last then
            printed[last] = (printed[last] and printed[last] .. "\n" or "") .. table.concat(words, "\t")
            break
        end
    end
end

local chunk = assert(load(code, "@" .. path, "t", environment))
local ran, message = xpcall(chunk, debug.traceback)
local failed = not ran
if not ran then
    print(message)
end
for _, line in ipairs(ends) do
    local wanted = expected[line]
    if ran and not matches(wanted, printed[line] or "") then
        failed = true
        print(("%s:%d: expected\n%s\nbut it printed\n%s"):format(path, line, wanted, printed[line] or "nothing"))
    end
end
os.exit(not failed, true)
