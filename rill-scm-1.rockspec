rockspec_format = "3.0"
package = "rill"
version = "scm-1"
source = {
    url = "git+file://.",
}
description = {
    license = "MIT",
    summary = "GPU computing for Lua: arrays, kernels, linear algebra, simulations, images",
    detailed = [[
        rill computes on a GPU, or on all cores of a CPU, with OpenGL 4.3 compute shaders and without a window system: arrays,
        kernels written in GLSL, array operations, linear algebra, simulations and images.]],
}
supported_platforms = { "linux" }
dependencies = { "lua ~> 5.4" }
external_dependencies = {
    EGL = { header = "EGL/egl.h", library = "EGL" },
    OPENGL = { header = "GL/gl.h", library = "OpenGL" },
    GLEW = { header = "GL/glew.h", library = "GLEW" },
    PNG = { header = "png.h", library = "png" },
    -- libjpeg-turbo, libsndfile and libmeshoptimizer are optional: the Makefile finds them.
    ZLIB = { header = "zlib.h", library = "z" },
}
build = {
    type = "make",
    build_target = "build",
    install_target = "install",
    -- A separate build directory.
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
