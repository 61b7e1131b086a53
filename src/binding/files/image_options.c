#include "binding/files/image_options.h"
#include "kernel/host/packed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const PictureType picture_types[] = {
    {SCALAR_FLOAT, PIXEL_FLOAT, true, true},    {SCALAR_HALF, PIXEL_HALF, true, true},
    {SCALAR_UNORM8, PIXEL_UNORM8, true, true},  {SCALAR_UINT8, PIXEL_UINT8, false, true},
    {SCALAR_UINT16, PIXEL_UINT16, false, true}, {SCALAR_DOUBLE, PIXEL_DOUBLE, true, false},
    {SCALAR_BOOL, PIXEL_BOOL, false, false},    {SCALAR_INT, PIXEL_INT, false, false},
    {SCALAR_UINT, PIXEL_UINT, false, false},    {SCALAR_INT8, PIXEL_INT8, false, false},
    {SCALAR_INT16, PIXEL_INT16, false, false},
};

const PictureType *image_options_type(const Type *type)
{
    for (size_t i = 0; !type->is_struct && i < sizeof picture_types / sizeof *picture_types; i++) {
        if (picture_types[i].scalar == type->scalar) {
            bool fits = type->components == 1 || (type->components != 2 && picture_types[i].colors);
            return fits ? &picture_types[i] : NULL;
        }
    }
    return NULL;
}

typedef struct Options {
    PixelOptions pixels;
    bool has_min, has_max, has_depth;
    int quality; /* 0: default */
} Options;

static double number_option(lua_State *L, const PictureCall *call, const char *key)
{
    double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : (double)NAN;
    if (!isfinite(value)) {
        luaL_error(L, "%s: option '%s': expected a finite number, got %s", call->function, key,
                   binding_describe(L, -1));
    }
    return value;
}

static void read_min(lua_State *L, const PictureCall *call, Options *options)
{
    options->pixels.min = number_option(L, call, "min");
    options->has_min = true;
}

static void read_max(lua_State *L, const PictureCall *call, Options *options)
{
    options->pixels.max = number_option(L, call, "max");
    options->has_max = true;
}

static void read_depth(lua_State *L, const PictureCall *call, Options *options)
{
    double depth = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    bool eight = depth >= 8 && depth <= 8, sixteen = depth >= 16 && depth <= 16;
    if (!eight && !sixteen) {
        luaL_error(L, "%s: option 'depth': expected 8 or 16, got %s", call->function, binding_describe(L, -1));
    }
    options->pixels.depth = sixteen ? IMAGE_U16 : IMAGE_U8;
    options->has_depth = true;
}

static void read_quality(lua_State *L, const PictureCall *call, Options *options)
{
    lua_Integer quality = lua_type(L, -1) == LUA_TNUMBER ? lua_tointeger(L, -1) : 0;
    if (quality < 1 || quality > 100) {
        luaL_error(L, "%s: option 'quality': expected a whole number from 1 to 100, got %s", call->function,
                   binding_describe(L, -1));
    }
    options->quality = (int)quality;
}

static void read_colormap(lua_State *L, const PictureCall *call, Options *options)
{
    if (lua_type(L, -1) != LUA_TSTRING) {
        luaL_error(L, "%s: option 'colormap': expected a name, got %s", call->function, binding_describe(L, -1));
    }
    options->pixels.map = colormap_find(lua_tostring(L, -1));
    if (!options->pixels.map) {
        luaL_error(L, "%s: option 'colormap': %s", call->function, error_message());
    }
}

static const struct {
    const char *key;
    void (*read)(lua_State *L, const PictureCall *call, Options *options); /* reads the value on top of the stack */
} known_options[] = {
    {"min", read_min}, {"max", read_max}, {"colormap", read_colormap}, {"depth", read_depth}, {"quality", read_quality},
};

static void read_option(lua_State *L, const PictureCall *call, Options *options)
{
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    for (size_t i = 0; key && i < sizeof known_options / sizeof *known_options; i++) {
        if (strcmp(key, known_options[i].key) == 0) {
            known_options[i].read(L, call, options);
            return;
        }
    }
    binding_unknown(L, -2, call->function, (const char *const[]){"min", "max", "colormap", "depth", "quality", NULL});
}

static void read_options(lua_State *L, const PictureCall *call, Options *options)
{
    int index = call->options;
    if (lua_isnoneornil(L, index)) {
        return;
    }
    if (!binding_is_options(L, index)) {
        binding_argument(L, call->function, index - call->self, "options", index, "a table of options");
    }
    int top = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        read_option(L, call, options);
        lua_settop(L, top + 1);
    }
}

/* Returns the pixel type of a stream that can be an image, or raises. */
static const PictureType *picture_check(lua_State *L, const PictureCall *call, const Stream *stream)
{
    const PictureType *pixel = image_options_type(stream->type);
    if (!pixel) {
        binding_argument(
            L, call->function, call->s - call->self, "s", call->s,
            "a stream of float, vec3, vec4, half, half4, unorm8, unorm8x4, uint8, uint16, bool, double, dvec3, "
            "dvec4, or (with min and max) int, uint, int8 or int16");
    }
    if (stream->shape.rank != 2) {
        binding_argument(L, call->function, call->s - call->self, "s", call->s,
                         "a stream of 2 dimensions, {rows, columns}");
    }
    if (stream_elements(stream) == 0) {
        binding_argument(L, call->function, call->s - call->self, "s", call->s, "a stream with at least one element");
    }
    return pixel;
}

static void settle_range(lua_State *L, const PictureCall *call, const Stream *stream, PixelKind kind, Options *options)
{
    double min, max;
    if (!pixels_range(kind, &min, &max) && !(options->has_min && options->has_max)) {
        luaL_error(L, "%s: a stream of %s requires the options min and max, the values that are drawn black and white",
                   call->function, stream->type->name);
    }
    options->pixels.min = options->has_min ? options->pixels.min : min;
    options->pixels.max = options->has_max ? options->pixels.max : max;
    if (options->pixels.min >= options->pixels.max && options->pixels.min <= options->pixels.max) {
        luaL_error(L, "%s: options 'min' and 'max': expected two different values, both are %f", call->function,
                   options->pixels.min);
    }
}

/* Sets the options that were not given, by the type of the stream and the destination; raises if they are
 * incompatible. */
static void settle_options(lua_State *L, const PictureCall *call, const Stream *stream, PixelKind kind,
                           Options *options)
{
    if (options->pixels.map && stream->type->components != 1) {
        luaL_error(L, "%s: option 'colormap': expected a stream of numbers, got %s", call->function,
                   binding_describe(L, call->s));
    }
    if (call->limit == PICTURE_FLOATS && options->has_depth) {
        luaL_error(L, "%s: option 'depth' is not for PFM, which holds floats", call->function);
    }
    if ((call->limit == PICTURE_BYTES || call->limit == PICTURE_LOSSY) && options->pixels.depth == IMAGE_U16) {
        luaL_error(L, "%s: option 'depth': %s has 8 bits, got 16", call->function,
                   call->limit == PICTURE_BYTES ? "a video" : "a JPEG");
    }
    if (options->quality > 0 && call->limit != PICTURE_LOSSY) {
        luaL_error(L, "%s: option 'quality' is for JPEG files (.jpg)", call->function);
    }
    settle_range(L, call, stream, kind, options);
    if (call->limit == PICTURE_FLOATS) {
        options->pixels.depth = IMAGE_FLOAT;
    } else if (!options->has_depth) {
        bool sixteen = kind == PIXEL_UINT16 && call->limit == PICTURE_ANY;
        options->pixels.depth = sixteen ? IMAGE_U16 : IMAGE_U8;
    }
}

static bool take_pixels(const Stream *stream, PixelArray *array, const PixelOptions *options, Image *image)
{
    array->data = packed_bytes(stream);
    bool done = array->data && pixels_to_image(array, options, image);
    free(array->data);
    return done;
}

void image_options_take(lua_State *L, const PictureCall *call, Image *image)
{
    Options options = {0};
    const Stream *stream = accept_check(L, call->s, call->function, call->s - call->self, "s");
    read_options(L, call, &options);
    const PictureType *type = picture_check(L, call, stream);
    settle_options(L, call, stream, type->kind, &options);
    PixelArray array = {.kind = type->kind,
                        .components = stream->type->components,
                        .rows = stream->shape.size[0],
                        .cols = stream->shape.size[1]};
    binding_make(L, stream->device, call->function, take_pixels(stream, &array, &options.pixels, image));
    image->quality = options.quality;
}
