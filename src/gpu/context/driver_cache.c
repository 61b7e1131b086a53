/* What Mesa reads from the environment when it starts. It caches compiled shaders on disk and goes without, in silence, where its
 * directory cannot be written. */
#include "gpu/context/device_private.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = CACHE_PATH_ROOM };

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* A directory to write in, made if it is missing: Mesa would make the same. */
static bool make(const char *path)
{
    struct stat info;
    mkdir(path, 0700);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, W_OK | X_OK) == 0;
}

static bool make_below(char *path, const char *parent, const char *name)
{
    return parent && snprintf(path, PATH_ROOM, "%s/%s", parent, name) < PATH_ROOM && make(path);
}

/* Whether Mesa's directory works below a cache home such as ~/.cache. */
static bool works_below(const char *cache_home)
{
    char path[PATH_ROOM];
    return cache_home && make(cache_home) && make_below(path, cache_home, "mesa_shader_cache");
}

static bool works_at_home(const char *home)
{
    char path[PATH_ROOM];
    return make_below(path, home, ".cache") && works_below(path);
}

/* Old releases of Mesa take the home directory from the password file, new ones from HOME first. */
static bool default_works(const char *cache_home, const char *home)
{
    if (cache_home) {
        return works_below(cache_home);
    }
    const struct passwd *user = getpwuid(geteuid());
    return (!home || works_at_home(home)) && user && works_at_home(user->pw_dir);
}

/* Below the temporary directory anyone may have been first: only a directory of our own, closed to others, will do. */
static bool make_private(char *path, const char *parent)
{
    struct stat info;
    snprintf(path, PATH_ROOM, "%s/rill-cache-%lu", parent, (unsigned long)geteuid());
    mkdir(path, 0700);
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0;
}

static bool make_temporary(char *path)
{
    const char *temporary = set_variable("TMPDIR");
    return make_private(path, temporary ? temporary : "/tmp");
}

/* Zink (OpenGL over Vulkan, Mesa 22.3 and 25.0) builds the values of uniforms that conditions ask for into compute programs and
 * misses their changes: partial results are then kept as if they were the last. It also moves copies of buffers ahead of launches that
 * it takes for independent of them, which they are not always (22.3; seen in spec/container/launches_spec.lua). */
static void mend_zink(void)
{
    const char *debug = set_variable("ZINK_DEBUG");
    char flags[PATH_ROOM];
    setenv("ZINK_INLINE_UNIFORMS", "0", 0);
    if (!debug) {
        setenv("ZINK_DEBUG", "noreorder", 1);
    } else if (!strstr(debug, "noreorder") && snprintf(flags, sizeof flags, "%s,noreorder", debug) < PATH_ROOM) {
        setenv("ZINK_DEBUG", flags, 1);
    }
}

void driver_cache_prepare(void)
{
    mend_zink();
    const char *cache_home = set_variable("XDG_CACHE_HOME"), *home = set_variable("HOME");
    char path[PATH_ROOM];
    if (set_variable("MESA_SHADER_CACHE_DIR") || set_variable("MESA_GLSL_CACHE_DIR") ||
        default_works(cache_home, home)) {
        return;
    }
    if (make_below(path, cache_home, "rill") || make_below(path, home, ".cache") || make_temporary(path)) {
        setenv("MESA_SHADER_CACHE_DIR", path, 0);
    }
}

bool driver_cache_directory(char path[CACHE_PATH_ROOM])
{
    const char *own = set_variable("RILL_CACHE"), *cache_home = set_variable("XDG_CACHE_HOME");
    const char *home = set_variable("HOME");
    char parent[PATH_ROOM];
    if (own) {
        return snprintf(path, PATH_ROOM, "%s", own) < PATH_ROOM && make(path);
    }
    if (cache_home && make(cache_home) && make_below(path, cache_home, "rill")) {
        return true;
    }
    return (make_below(parent, home, ".cache") && make_below(path, parent, "rill")) || make_temporary(path);
}
