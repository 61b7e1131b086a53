/* Sets environment variables that Mesa reads when it starts. Mesa caches compiled shaders on disk; if its
 * directory cannot be written, it silently works without a cache. */
#include "gpu/context/device_private.h"

#include "base/environment.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = CACHE_PATH_ROOM };

/* Creates a directory if it is missing, as Mesa would. Returns whether it can be written. */
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

/* Returns whether Mesa's directory in a cache directory such as ~/.cache can be written. */
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

/* Old releases of Mesa read the home directory from the password file, new ones from HOME first. */
static bool default_works(const char *cache_home, const char *home)
{
    if (cache_home) {
        return works_below(cache_home);
    }
    const struct passwd *user = getpwuid(geteuid());
    return (!home || works_at_home(home)) && user && works_at_home(user->pw_dir);
}

/* Other users can create files in the temporary directory, so only a directory that we own and that others
 * cannot access is accepted. */
static bool make_private(char *path, const char *parent)
{
    struct stat info;
    snprintf(path, PATH_ROOM, "%s/rill-cache-%lu", parent, (unsigned long)geteuid());
    mkdir(path, 0700);
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0;
}

static bool make_temporary(char *path)
{
    const char *temporary = environment_text("TMPDIR");
    return make_private(path, temporary ? temporary : "/tmp");
}

/* Works around two defects of zink (OpenGL over Vulkan). Mesa 22.3 and 25.0 compile values of uniforms used in
 * conditions into compute programs and miss their changes, so that intermediate results are used as final ones.
 * Mesa 22.3 moves copies of buffers before launches although they depend on them (seen in
 * spec/container/launches_spec.lua). */
static void fix_zink(void)
{
    const char *debug = environment_text("ZINK_DEBUG");
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
    fix_zink();
    const char *cache_home = environment_text("XDG_CACHE_HOME"), *home = environment_text("HOME");
    char path[PATH_ROOM];
    if (environment_text("MESA_SHADER_CACHE_DIR") || environment_text("MESA_GLSL_CACHE_DIR") ||
        default_works(cache_home, home)) {
        return;
    }
    if (make_below(path, cache_home, "rill") || make_below(path, home, ".cache") || make_temporary(path)) {
        setenv("MESA_SHADER_CACHE_DIR", path, 0);
    }
}

bool driver_cache_directory(char path[CACHE_PATH_ROOM])
{
    const char *own = environment_text("RILL_CACHE"), *cache_home = environment_text("XDG_CACHE_HOME");
    const char *home = environment_text("HOME");
    char parent[PATH_ROOM];
    if (own) {
        return snprintf(path, PATH_ROOM, "%s", own) < PATH_ROOM && make(path);
    }
    if (cache_home && make(cache_home) && make_below(path, cache_home, "rill")) {
        return true;
    }
    return (make_below(parent, home, ".cache") && make_below(path, parent, "rill")) || make_temporary(path);
}
