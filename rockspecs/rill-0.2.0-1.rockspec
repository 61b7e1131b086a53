rockspec_format = "3.0"
package = "rill"
version = "0.2.0-1"
source = {
    url = "git+file://.",
    tag = "v0.2.0",
}
description = {
    license = "MIT",
    summary = "Streams and kernels on the GPU, headless, from Lua",
    detailed = [[
        rill turns a GPU, or a machine without one, into a streaming co-processor: streams, kernels and reductions are Lua values
        over a headless EGL and OpenGL 4.3 compute core. The signature of a kernel says how each argument is accessed.]],
}
supported_platforms = { "linux" }
dependencies = { "lua ~> 5.4" }
external_dependencies = {
    EGL = { header = "EGL/egl.h", library = "EGL" },
    OPENGL = { header = "GL/gl.h", library = "OpenGL" },
    GLEW = { header = "GL/glew.h", library = "GLEW" },
    PNG = { header = "png.h", library = "png" },
    ZLIB = { header = "zlib.h", library = "z" },
}
build = {
    type = "make",
    build_target = "build",
    install_target = "install",
    -- A build folder of its own.
    variables = {
        BUILD = "build/rock",
        CFLAGS = "$(CFLAGS)",
        LUA_INCDIR = "$(LUA_INCDIR)",
    },
    install_variables = {
        PREFIX = "$(PREFIX)",
        LUADIR = "$(LUADIR)",
        LIBDIR = "$(LIBDIR)",
        BINDIR = "$(BINDIR)",
    },
}
test = { type = "busted" }
