/* rill.image: pictures on disk. */
#include "binding/binding.h"
#include "io/image.h"
#include "io/pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char load_name[] = "rill.image.load";
static const char save_name[] = "rill.image.save";

/* Types of streams and the pixels they hold. */
typedef struct PixelType {
    Scalar scalar;
    PixelKind kind;
    bool colours; /* vectors of 3 and 4 too, where the type has them */
    bool loads;
} PixelType;

static const PixelType pixel_types[] = {
    {SCALAR_FLOAT, PIXEL_FLOAT, true, true},    {SCALAR_HALF, PIXEL_HALF, true, true},
    {SCALAR_UNORM8, PIXEL_UNORM8, true, true},  {SCALAR_UINT8, PIXEL_UINT8, false, true},
    {SCALAR_UINT16, PIXEL_UINT16, false, true}, {SCALAR_DOUBLE, PIXEL_DOUBLE, true, false},
    {SCALAR_BOOL, PIXEL_BOOL, false, false},    {SCALAR_INT, PIXEL_INT, false, false},
    {SCALAR_UINT, PIXEL_UINT, false, false},    {SCALAR_INT8, PIXEL_INT8, false, false},
    {SCALAR_INT16, PIXEL_INT16, false, false},
};

static const PixelType *pixel_type(const Type *type)
{
    for (size_t i = 0; !type->is_struct && i < sizeof pixel_types / sizeof *pixel_types; i++) {
        if (pixel_types[i].scalar == type->scalar) {
            bool fits = type->components == 1 || (type->components != 2 && pixel_types[i].colours);
            return fits ? &pixel_types[i] : NULL;
        }
    }
    return NULL;
}

/* The type a picture is read as when none is asked for. */
static const Type *natural_type(const Image *image)
{
    static const int components[] = {0, 1, 4, 3, 4};
    return type_of(SCALAR_FLOAT, components[image->channels]);
}

static bool load_pixels(Device *device, const Image *image, const Type *type, Stream *result)
{
    PixelArray array = {
        .kind = pixel_type(type)->kind, .components = type->components, .rows = image->rows, .cols = image->cols};
    Shape shape = {.rank = 2, .size = {image->rows, image->cols}};
    size_t bytes = (size_t)image->rows * (size_t)image->cols * (size_t)type->bytes;
    array.data = malloc(bytes);
    if (!array.data) {
        return error_set("out of host memory for %zu bytes", bytes);
    }
    bool ok = pixels_from_image(image, &array) && file_stream(device, type, &shape, array.data, result);
    free(array.data);
    return ok;
}

static bool load_picture(Device *device, const char *path, const Type *type, Stream *result)
{
    Image image;
    if (!image_load(path, &image)) {
        return false;
    }
    bool ok = load_pixels(device, &image, type ? type : natural_type(&image), result);
    image_free(&image);
    return ok || error_prefix("cannot read '%s'", path);
}

/* rill.image.load(path [, type]): PNG, PGM, PPM or PFM, found by its content, as a stream {rows, cols}. Without a type, gray gives
 * float, RGB vec3, and pictures with alpha vec4 (gray repeated), in 0..1; PFM as it is. A type converts: float and half by the luminance of
 * Rec. 709, vec3 without alpha, vec4 with alpha 1 where there is none; unorm8, unorm8x4 and half4 in the same way; uint8
 * and uint16 give the samples themselves of a gray picture. */
static int l_load(lua_State *L)
{
    binding_count(L, load_name, 2, false);
    const char *path = path_check(L, 1, load_name, 1, "path");
    const Type *type = lua_isnoneornil(L, 2) ? NULL : type_check(L, 2, load_name, 2, "type");
    const PixelType *pixel = type ? pixel_type(type) : NULL;
    if (type && (!pixel || !pixel->loads)) {
        binding_argument(L, load_name, 2, "type", 2,
                         "float, vec3, vec4, half, half4, unorm8, unorm8x4, uint8 or uint16");
    }
    Device *device = state_device(L);
    Stream *result = stream_push(L);
    DeviceScope scope;
    binding_enter(L, device, &scope);
    bool ok = load_picture(device, path, type, result);
    device_leave(&scope);
    if (!ok) {
        error_prefix("%s", load_name);
        binding_raise(L);
    }
    state_charge(L, device);
    return 1;
}

typedef struct SaveOptions {
    PixelOptions pixels;
    bool has_min, has_max, has_depth;
} SaveOptions;

static double number_option(lua_State *L, const char *key)
{
    double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : (double)NAN;
    if (!isfinite(value)) {
        luaL_error(L, "%s: option '%s': expected a finite number, got %s", save_name, key, binding_describe(L, -1));
    }
    return value;
}

static void read_min(lua_State *L, SaveOptions *options)
{
    options->pixels.min = number_option(L, "min");
    options->has_min = true;
}

static void read_max(lua_State *L, SaveOptions *options)
{
    options->pixels.max = number_option(L, "max");
    options->has_max = true;
}

static void read_depth(lua_State *L, SaveOptions *options)
{
    double depth = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    bool eight = depth >= 8 && depth <= 8, sixteen = depth >= 16 && depth <= 16;
    if (!eight && !sixteen) {
        luaL_error(L, "%s: option 'depth': expected 8 or 16, got %s", save_name, binding_describe(L, -1));
    }
    options->pixels.depth = sixteen ? IMAGE_U16 : IMAGE_U8;
    options->has_depth = true;
}

static void read_colormap(lua_State *L, SaveOptions *options)
{
    if (lua_type(L, -1) != LUA_TSTRING) {
        luaL_error(L, "%s: option 'colormap': expected a name, got %s", save_name, binding_describe(L, -1));
    }
    options->pixels.map = colormap_find(lua_tostring(L, -1));
    if (!options->pixels.map) {
        luaL_error(L, "%s: option 'colormap': %s", save_name, error_message());
    }
}

static const struct {
    const char *key;
    void (*read)(lua_State *L, SaveOptions *options); /* of the value on top */
} save_options[] = {
    {"min", read_min},
    {"max", read_max},
    {"colormap", read_colormap},
    {"depth", read_depth},
};

static void read_option(lua_State *L, SaveOptions *options)
{
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    for (size_t i = 0; key && i < sizeof save_options / sizeof *save_options; i++) {
        if (strcmp(key, save_options[i].key) == 0) {
            save_options[i].read(L, options);
            return;
        }
    }
    luaL_error(L, "%s: unknown option '%s': min, max, colormap and depth there are", save_name,
               luaL_tolstring(L, -2, NULL));
}

static void read_options(lua_State *L, int index, SaveOptions *options)
{
    if (lua_isnoneornil(L, index)) {
        return;
    }
    if (lua_type(L, index) != LUA_TTABLE) {
        binding_argument(L, save_name, 3, "options", index, "a table of options");
    }
    lua_pushnil(L);
    while (lua_next(L, index)) {
        read_option(L, options);
        lua_settop(L, index + 1);
    }
}

/* The kind of the pixels of a stream that can be a picture, or raises. */
static const PixelType *picture_check(lua_State *L, const Stream *stream)
{
    const PixelType *pixel = pixel_type(stream->type);
    if (!pixel) {
        binding_argument(
            L, save_name, 1, "s", 1,
            "a stream of float, vec3, vec4, half, half4, unorm8, unorm8x4, uint8, uint16, bool, double, dvec3, "
            "dvec4, or (with min and max) int, uint, int8 or int16");
    }
    if (stream->shape.rank != 2) {
        binding_argument(L, save_name, 1, "s", 1, "a stream of 2 dimensions, {rows, columns}");
    }
    if (stream_elements(stream) == 0) {
        binding_argument(L, save_name, 1, "s", 1, "a stream with at least one element");
    }
    return pixel;
}

static void settle_range(lua_State *L, const Stream *stream, PixelKind kind, SaveOptions *options)
{
    double min, max;
    if (!pixels_range(kind, &min, &max) && !(options->has_min && options->has_max)) {
        luaL_error(L, "%s: a stream of %s needs the options min and max, the values to draw black and white", save_name,
                   stream->type->name);
    }
    options->pixels.min = options->has_min ? options->pixels.min : min;
    options->pixels.max = options->has_max ? options->pixels.max : max;
    if (options->pixels.min >= options->pixels.max && options->pixels.min <= options->pixels.max) {
        luaL_error(L, "%s: options 'min' and 'max': both are %f, which leaves no range", save_name,
                   options->pixels.min);
    }
}

/* What the options leave open follows from the stream and the file's format; raises where they do not go together. */
static void settle_options(lua_State *L, const Stream *stream, const char *path, PixelKind kind, SaveOptions *options)
{
    ImageFormat format;
    if (!image_format(path, &format)) {
        error_prefix("%s", save_name);
        binding_raise(L);
    }
    if (options->pixels.map && (stream->type->components != 1 || !pixels_is_float(kind))) {
        luaL_error(L, "%s: option 'colormap' is for streams of float, half, double or unorm8, got %s", save_name,
                   binding_describe(L, 1));
    }
    if (format == IMAGE_PFM && options->has_depth) {
        luaL_error(L, "%s: option 'depth' is not for PFM, which holds floats", save_name);
    }
    settle_range(L, stream, kind, options);
    if (format == IMAGE_PFM) {
        options->pixels.depth = IMAGE_FLOAT;
    } else if (!options->has_depth) {
        options->pixels.depth = kind == PIXEL_UINT16 ? IMAGE_U16 : IMAGE_U8;
    }
}

static bool save_pixels(const PixelArray *array, const PixelOptions *options, const char *path)
{
    Image image;
    bool ok = pixels_to_image(array, options, &image);
    if (ok) {
        ok = image_save(&image, path);
        image_free(&image);
    }
    return ok;
}

/* rill.image.save(s, path [, {min=, max=, colormap=, depth=}]): the extension tells the format (.png .pgm .ppm .pnm .pfm). min and max
 * are drawn black and white: 0 and 1 for floats, halves, unorm8 and bool, 0 and 255 for uint8, 0 and 65535 for uint16; other integers
 * must give them. What is outside is clamped, NaN is black; alpha is not scaled. colormap: of scalar floats. depth: 8 or 16 bits; 8
 * unless the stream is uint16. PFM keeps floats as they are. */
static int l_save(lua_State *L)
{
    SaveOptions options = {0};
    binding_count(L, save_name, 3, false);
    const Stream *stream = stream_check(L, 1, save_name, 1, "s");
    const char *path = path_check(L, 2, save_name, 2, "path");
    read_options(L, 3, &options);
    const PixelType *pixel = picture_check(L, stream);
    settle_options(L, stream, path, pixel->kind, &options);
    PixelArray array = {.kind = pixel->kind,
                        .components = stream->type->components,
                        .rows = stream->shape.size[0],
                        .cols = stream->shape.size[1]};
    DeviceScope scope;
    binding_enter(L, stream->device, &scope);
    array.data = file_bytes(stream);
    device_leave(&scope);
    bool ok = array.data && save_pixels(&array, &options.pixels, path);
    free(array.data);
    if (!ok) {
        error_prefix("%s", save_name);
        binding_raise(L);
    }
    state_charge(L, stream->device);
    return 0;
}

/* _colormap(name): 256 colours, three bytes each. */
static int l_colormap(lua_State *L)
{
    const Colormap *map = lua_type(L, 1) == LUA_TSTRING ? colormap_find(lua_tostring(L, 1)) : NULL;
    if (!map) {
        return luaL_error(L, "option 'colormap': %s",
                          lua_type(L, 1) == LUA_TSTRING ? error_message() : "expected a name");
    }
    unsigned char bytes[3 * 256];
    for (int k = 0; k < 256; k++) {
        double rgb[3];
        colormap_sample(map, k / 255.0, rgb);
        for (int c = 0; c < 3; c++) {
            bytes[3 * k + c] = (unsigned char)(rgb[c] * 255 + 0.5);
        }
    }
    lua_pushlstring(L, (const char *)bytes, sizeof bytes);
    return 1;
}

void open_image(lua_State *L)
{
    lua_pushcfunction(L, l_colormap);
    lua_setfield(L, -2, "_colormap");
    static const luaL_Reg functions[] = {{"load", l_load}, {"save", l_save}, {NULL, NULL}};
    luaL_newlib(L, functions);
    binding_strict(L, "rill.image");
    lua_setfield(L, -2, "image");
}
