-- Reports cyclic dependencies of files: cycles.lua BUILD. Files that depend on each other cannot be understood or
-- tested separately. The dependencies of a file are the functions and data of other files that its object file
-- references. Prints each cycle with the references that cause it, and fails unless the cycle is listed here. Also
-- fails if directories of a layer depend on each other, or if the files of a directory or the directories of a layer
-- have more than eight levels of dependencies.

local symbols = require "tools.symbols"

local build = arg[1] or "build"

-- Permitted cycles: their files in order, and the reason.
local allowed = {
    ["kernel/emit/emit kernel/emit/emit_access kernel/emit/emit_ahead kernel/emit/emit_call kernel/emit/emit_exact " ..
        "kernel/emit/emit_index kernel/emit/emit_loops kernel/emit/emit_matrix kernel/emit/emit_statement " ..
        "kernel/emit/emit_value"] =
        "a descent: each construct holds expressions, which hold constructs, and calls hold whole functions",
}

-- file -> names that it references; name -> file that defines it
local needs, home = {}, {}
for _, symbol in ipairs(symbols(build, ".")) do
    needs[symbol.file] = needs[symbol.file] or {}
    if symbol.kind == "U" then
        table.insert(needs[symbol.file], symbol.name)
    elseif symbol.kind:match "[TDBRCVW]" then
        home[symbol.name] = symbol.file
    end
end

local uses, files = {}, {} -- file -> file -> {names}
for file, names in pairs(needs) do
    files[#files + 1], uses[file] = file, {}
    for _, name in ipairs(names) do
        local other = home[name]
        if other and other ~= file then
            uses[file][other] = uses[file][other] or {}
            table.insert(uses[file][other], name)
        end
    end
end
table.sort(files)
assert(#files > 20, "cycles: no objects under " .. build .. "/obj")

-- Strongly connected components (Tarjan 1972).
local cycles = {}
local index, low, stack, waiting, count = {}, {}, {}, {}, 0
local function visit(file)
    count = count + 1
    index[file], low[file] = count, count
    stack[#stack + 1], waiting[file] = file, true
    for other in pairs(uses[file]) do
        if not index[other] then
            visit(other)
            low[file] = math.min(low[file], low[other])
        elseif waiting[other] then
            low[file] = math.min(low[file], index[other])
        end
    end
    if low[file] == index[file] then
        local cycle, last = {}
        repeat
            last = table.remove(stack)
            waiting[last] = nil
            cycle[#cycle + 1] = last
        until last == file
        if #cycle > 1 then
            table.sort(cycle)
            cycles[#cycles + 1] = cycle
        end
    end
end
for _, file in ipairs(files) do
    if not index[file] then
        visit(file)
    end
end

local function show(cycle)
    local inside = {}
    for _, file in ipairs(cycle) do
        inside[file] = true
    end
    for _, file in ipairs(cycle) do
        local others = {}
        for other in pairs(uses[file]) do
            others[#others + 1] = inside[other] and other or nil
        end
        table.sort(others)
        for _, other in ipairs(others) do
            table.sort(uses[file][other])
            print(("  %s depends on %s: %s"):format(file, other, table.concat(uses[file][other], " ")))
        end
    end
end

local failed = 0
for _, cycle in ipairs(cycles) do
    local key = table.concat(cycle, " ")
    if not allowed[key] then
        failed = failed + 1
        print(("cycles: %d files depend on each other: %s"):format(#cycle, key))
        show(cycle)
    end
    allowed[key] = nil
end
for key in pairs(allowed) do -- permitted exceptions that did not occur
    failed = failed + 1
    print("cycles: this cycle no longer occurs, remove it from the list in tools/cycles.lua: " .. key)
end
-- Checks the files and directories of a layer as graphs: no cycles, and few levels. core.c is left out, because it
-- opens all files of the binding.
local function directory(file)
    return file == "binding/core" and "binding/core" or file:match "^(.*)/"
end

-- Finds the longest chain of dependencies that starts at `node` and stays within `inside`. A chain that returns to
-- itself is a cycle.
local function depth_of(graph, node, inside, known, trail)
    if known[node] == "open" then
        failed = failed + 1
        print(("cycles: directories depend on each other: %s%s"):format(trail, node))
        return 0
    elseif not known[node] then
        local most = 0
        known[node] = "open"
        for other in pairs(graph[node]) do
            if inside(other) then
                most = math.max(most, depth_of(graph, other, inside, known, trail .. node .. " -> "))
            end
        end
        known[node] = most + 1
    end
    return known[node]
end

local MOST_LEVELS <const> = 8
-- Permitted dependencies on higher directories, with the reason. They are not counted.
local upward = {
    ["binding -> binding/values"] = "device, profile and others read fields of tables by functions of binding.h",
    ["binding/values -> binding/streams"] = "options that are shapes are read by shape.c",
}
local directories, members = {}, {} -- directory -> directory -> true; directory -> {its files}
for _, file in ipairs(files) do
    local from = directory(file)
    directories[from], members[from] = directories[from] or {}, members[from] or {}
    table.insert(members[from], file)
    for other in pairs(uses[file]) do
        local to = directory(other)
        directories[from][to] = to ~= from and not upward[from .. " -> " .. to] or directories[from][to]
    end
end

local function check_depth(what, depth)
    if depth > MOST_LEVELS then
        failed = failed + 1
        print(("cycles: %s is %d levels deep: at most %d"):format(what, depth, MOST_LEVELS))
    end
end

local cyclic = {} -- files of permitted cycles: their depth is not counted
for _, cycle in ipairs(cycles) do
    for _, file in ipairs(cycle) do
        cyclic[file] = true
    end
end
local layers = {}
for from, list in pairs(members) do
    local known, deepest = {}, 0
    for _, file in ipairs(list) do
        deepest = math.max(deepest, cyclic[file] and 0 or depth_of(uses, file, function(other)
            return directory(other) == from and not cyclic[other]
        end, known, ""))
    end
    check_depth("src/" .. from, deepest)
    layers[from:match "^[^/]+"] = true
end
for layer in pairs(layers) do
    local known, deepest = {}, 0
    for from in pairs(directories) do
        if from:match "^[^/]+" == layer then
            deepest = math.max(deepest, depth_of(directories, from, function(other)
                return other:match "^[^/]+" == layer
            end, known, ""))
        end
    end
    check_depth(("between directories, src/%s"):format(layer), deepest)
end
if failed > 0 then
    os.exit(false)
end
print(("cycles: ok, %d files, %d permitted cycles"):format(#files, #cycles))
