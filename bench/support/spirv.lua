-- Counts the operations of a GLSL program after glslang and spirv-opt -O, each instruction of the text once, also in loops. Every instruction of the functions
-- counts, except labels, variables and merge hints. All calls are inlined at that point.
local spirv = {}

local not_counted <const> = {OpFunction = 1, OpFunctionEnd = 1, OpFunctionParameter = 1, OpLabel = 1, OpVariable = 1,
                             OpSelectionMerge = 1, OpLoopMerge = 1, OpLine = 1, OpNoLine = 1, OpNop = 1}

--- Returns whether the tools are installed, and if not, which are needed.
function spirv.possible()
    for _, tool in ipairs {"glslangValidator", "spirv-opt", "spirv-dis"} do
        if not os.execute("command -v " .. tool .. " >/dev/null 2>&1") then
            return false, "needs glslangValidator, spirv-opt, spirv-dis: apt-get install glslang-tools spirv-tools"
        end
    end
    return true
end

-- Instructions that compute with floats: arithmetic, products of vectors, and GLSL functions.
local function arithmetic(name)
    return name == "OpDot" or name == "OpExtInst" or name:find "^OpVectorTimes" or name:find "^OpMatrixTimes" or
        name:find "^OpF%u%l+$" and not name:find "^OpF[OU]rd" and name ~= "OpFunction"
end

--- spirv.count(glsl): returns the number of instructions, of texel fetches, and of float operations, where one on a vector counts once.
function spirv.count(glsl)
    local path = os.tmpname()
    local file <close> = assert(io.open(path .. ".comp", "w"))
    file:write(glsl:find "#version" and "" or "#version 430\n", glsl)
    file:flush()
    local command = ([[
        glslangValidator -G --target-env opengl -o PATH.spv PATH.comp >PATH &&
        spirv-opt -O PATH.spv -o PATH.opt && spirv-dis --no-color PATH.opt
    ]]):gsub("PATH", path)
    local pipe <close> = assert(io.popen(command))
    local all, fetches, floats, inside = 0, 0, 0, false
    for line in pipe:lines() do
        local name = line:match("Op%a+")
        inside = name == "OpFunction" or inside
        assert(name ~= "OpFunctionCall", "a call was not inlined")
        if inside and name and not not_counted[name] then
            all = all + 1
            fetches = fetches + (name == "OpImageFetch" and 1 or 0)
            floats = floats + (arithmetic(name) and 1 or 0)
        end
    end
    for _, ending in ipairs {"", ".comp", ".spv", ".opt"} do os.remove(path .. ending) end
    assert(all > 0, "glslang or spirv-opt refused a program")
    return all, fetches, floats
end

return spirv
