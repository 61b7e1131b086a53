-- Environment variables that select other drivers, for specs that start processes on them.
local drivers = {}

local LAVAPIPE <const> = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"

-- Returns variables that select zink (OpenGL over Vulkan) on lavapipe, Mesa's Vulkan driver for the CPU; `more` is
-- added. Returns nil and the reason if this machine lacks it. Disables Mesa's cache, because zink does not inline
-- uniforms into cached programs, which would hide the effect of ZINK_INLINE_UNIFORMS.
function drivers.zink(more)
    local file = io.open(LAVAPIPE)
    if not file then
        return nil, "needs lavapipe (Debian's mesa-vulkan-drivers)"
    end
    file:close()
    local environment = { LIBGL_ALWAYS_SOFTWARE = "1", GALLIUM_DRIVER = "zink", VK_ICD_FILENAMES = LAVAPIPE,
        XDG_RUNTIME_DIR = os.getenv "XDG_RUNTIME_DIR" or "/tmp",
        ZINK_INLINE_UNIFORMS = false, MESA_SHADER_CACHE_DISABLE = "true", RILL_FAMILY = false, RILL_ASYNC = false,
        MESA_GL_VERSION_OVERRIDE = false,
        MESA_GLSL_VERSION_OVERRIDE = false, MESA_EXTENSION_OVERRIDE = false }
    for name, value in pairs(more or {}) do
        environment[name] = value
    end
    return environment
end

-- Returns variables that select softpipe, Mesa's interpreter, which is installed with its other drivers.
function drivers.softpipe(more)
    local environment = { LIBGL_ALWAYS_SOFTWARE = "1", GALLIUM_DRIVER = "softpipe", MESA_GL_VERSION_OVERRIDE = "4.5",
        MESA_GLSL_VERSION_OVERRIDE = "450", RILL_FAMILY = false, RILL_ASYNC = false, RILL_DEVICE = false }
    for name, value in pairs(more or {}) do
        environment[name] = value
    end
    return environment
end

return drivers
