-- Drivers beside the one at hand, by the variables that choose them: for specs that start processes on them.
local drivers = {}

local LAVAPIPE <const> = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"

-- Variables that choose zink (OpenGL over Vulkan) above lavapipe, the Vulkan device of the processor; `more` is set besides. nil and the
-- reason where this machine has none. Mesa's cache is off, since zink builds no uniforms into programs that come from it, which hides what
-- ZINK_INLINE_UNIFORMS does.
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

-- The same for Mesa's interpreter, softpipe, which comes with its other drivers.
function drivers.softpipe(more)
    local environment = { LIBGL_ALWAYS_SOFTWARE = "1", GALLIUM_DRIVER = "softpipe", MESA_GL_VERSION_OVERRIDE = "4.5",
        MESA_GLSL_VERSION_OVERRIDE = "450", RILL_FAMILY = false, RILL_ASYNC = false, RILL_DEVICE = false }
    for name, value in pairs(more or {}) do
        environment[name] = value
    end
    return environment
end

return drivers
