/* The userdata of rill.animate: a file of frames, written by rill (animated PNG) or by ffmpeg. */
#include "binding/files/image_options.h"
#include "binding/values/handle.h"
#include "io/image/apng.h"
#include "io/image/video.h"

typedef struct Animation {
    bool is_video, open;
    Apng apng;
    Video video;
} Animation;

static bool animation_finish(Animation *animation)
{
    if (!animation->open) {
        return true;
    }
    animation->open = false;
    return animation->is_video ? video_close(&animation->video) : apng_close(&animation->apng);
}

static void drop(lua_State *L, void *animation)
{
    (void)L;
    animation_finish(animation);
}

static const HandleType animation_type = {"animation", "a", sizeof(Animation), .drop = drop};

static Animation *animation_check(lua_State *L, const char *function)
{
    Animation *animation = handle_to(L, 1, &animation_type);
    if (!animation) {
        binding_argument(L, function, 0, "a", 1, "an animation");
    }
    return animation;
}

/* a:frame(s [, options]): appends a frame. Returns the animation. */
static int animation_frame(lua_State *L)
{
    static const char function[] = "a:frame";
    Animation *animation = animation_check(L, function);
    binding_count(L, function, 3, true);
    if (!animation->open) {
        return luaL_error(L, "%s: the animation is closed", function);
    }
    PictureCall call = {.function = function,
                        .s = 2,
                        .options = 3,
                        .self = 1,
                        .limit = animation->is_video ? PICTURE_BYTES : PICTURE_ANY};
    Image image;
    image_options_take(L, &call, &image);
    bool ok = animation->is_video ? video_frame(&animation->video, &image) : apng_frame(&animation->apng, &image);
    image_free(&image);
    if (!ok) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    lua_settop(L, 1);
    return 1;
}

static bool animation_empty(const Animation *animation)
{
    return animation->is_video ? animation->video.like.rows == 0 : animation->apng.frames == 0;
}

/* a:close(): completes the file and moves it to its path. Closing again does nothing. */
static int animation_close(lua_State *L)
{
    Animation *animation = animation_check(L, "a:close");
    if (!animation_finish(animation)) {
        error_prefix("a:close");
        binding_raise(L);
    }
    return 0;
}

/* __close. If the block is left by an error, the file is completed with the frames written so far, and that error is
 * kept. */
static int animation_leave(lua_State *L)
{
    Animation *animation = animation_check(L, "a:close");
    if (!lua_isnoneornil(L, 2)) {
        animation_finish(animation);
        return 0;
    }
    return animation_close(L);
}

static int animation_tostring(lua_State *L)
{
    const Animation *animation = animation_check(L, "tostring");
    const FileDraft *draft = animation->is_video ? &animation->video.draft : &animation->apng.draft;
    if (!animation->open) {
        lua_pushliteral(L, "animation (closed)");
    } else {
        lua_pushfstring(L, "animation '%s'%s", draft->path, animation_empty(animation) ? " (no frame yet)" : "");
    }
    return 1;
}

/* _animation(path, fps): returns a new animation. The caller checks fps. */
static int l_animation(lua_State *L)
{
    const char *path = argument_path(L, 1, "rill.animate", 1, "path");
    double fps = luaL_checknumber(L, 2);
    Animation *animation = handle_push(L, &animation_type);
    animation->is_video = video_extension(path);
    animation->open =
        animation->is_video ? video_open(path, fps, &animation->video) : apng_open(path, fps, &animation->apng);
    if (!animation->open) {
        error_prefix("rill.animate");
        binding_raise(L);
    }
    return 1;
}

void open_animate(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__close", animation_leave}, {"__tostring", animation_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"frame", animation_frame}, {"close", animation_close}, {NULL, NULL}};
    handle_methods(L, &animation_type, methods);
    binding_strict(L, "animation");
    handle_open(L, &animation_type, meta);
    fields_function(L, "_animation", l_animation);
}
