/* rill.image.load, save and formats: image files. */
#include "io/image/image.h"
#include "base/strbuf.h"
#include "binding/binding.h"
#include "binding/files/image_options.h"
#include "io/file.h"
#include "io/image/formats.h"
#include "io/image/pixels.h"
#include "kernel/host/packed.h"

#include <stdlib.h>

static const char load_name[] = "rill.image.load";
static const char save_name[] = "rill.image.save";
static const char formats_name[] = "rill.image.formats";

/* Returns the default type of an image: float, vec3 or vec4. */
static const Type *natural_type(const Image *image)
{
    static const int components[] = {0, 1, 4, 3, 4};
    return type_of(SCALAR_FLOAT, components[image->channels]);
}

static bool load_pixels(Device *device, const Image *image, const Type *type, Stream *result)
{
    PixelArray array = {.kind = image_options_type(type)->kind,
                        .components = type->components,
                        .rows = image->rows,
                        .cols = image->cols};
    Shape shape = {.rank = 2, .size = {image->rows, image->cols}};
    size_t bytes = (size_t)image->rows * (size_t)image->cols * (size_t)type->bytes;
    array.data = malloc(bytes);
    if (!array.data) {
        return error_set("out of host memory for %zu bytes", bytes);
    }
    bool ok = pixels_from_image(image, &array) && packed_stream(device, type, &shape, array.data, result);
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

/* rill.image.load(path [, type]): returns an image as a stream {rows, columns}. The format is detected from the
 * content. Default type: float for gray images, vec3 for RGB, vec4 for images with alpha (gray repeated), in 0..1;
 * values of PFM files are not scaled. Other types convert: float, half and unorm8 by the luminance of Rec. 709; vec3
 * drops alpha; vec4, half4 and unorm8x4 set a missing alpha to 1; uint8 and uint16 give the samples of a gray image. */
static int l_load(lua_State *L)
{
    binding_count(L, load_name, 2, false);
    const char *path = argument_path(L, 1, load_name, 1, "path");
    const Type *type = lua_isnoneornil(L, 2) ? NULL : type_check(L, 2, load_name, 2, "type");
    const PictureType *pixel = type ? image_options_type(type) : NULL;
    if (type && (!pixel || !pixel->loads)) {
        binding_argument(L, load_name, 2, "type", 2,
                         "float, vec3, vec4, half, half4, unorm8, unorm8x4, uint8 or uint16");
    }
    return file_load(L, load_name, path, type, load_picture);
}

/* rill.image.save(s, path [, {min=, max=, colormap=, depth=, quality=}]): writes an image in the format of the extension. min and
 * max are drawn black and white. Default: 0 and 1 for floats, halves, unorm8 and bool, 0 and 255 for uint8, 0 and 65535
 * for uint16; required for other integers. Values outside are clamped, NaN is black, alpha is not scaled. colormap: for
 * scalars. depth: 8 or 16 bits. Default: 16 for uint16, else 8. PFM stores floats unchanged. quality: of JPEG, 1 to 100. Default: 90. */
static int l_save(lua_State *L)
{
    binding_count(L, save_name, 3, false);
    accept_check(L, 1, save_name, 1, "s");
    const char *path = argument_path(L, 2, save_name, 2, "path");
    const ImageFormat *format = image_format_of_path(path);
    if (!format) {
        error_prefix("%s", save_name);
        binding_raise(L);
    }
    static const PictureLimit limits[] = {
        [IMAGE_INTEGERS] = PICTURE_ANY, [IMAGE_FLOATS] = PICTURE_FLOATS, [IMAGE_LOSSY] = PICTURE_LOSSY};
    PictureCall call = {.function = save_name, .s = 1, .options = 3, .limit = limits[format->samples]};
    Image image;
    image_options_take(L, &call, &image);
    bool ok = image_save(&image, path);
    image_free(&image);
    if (!ok) {
        error_prefix("%s", save_name);
        binding_raise(L);
    }
    return 0;
}

/* rill.image.formats(): returns the list of supported formats, {name =, extension =, lossy =}. */
static int l_formats(lua_State *L)
{
    binding_count(L, formats_name, 0, false);
    lua_newtable(L);
    for (int i = 0; image_format_at(i); i++) {
        const ImageFormat *format = image_format_at(i);
        if (image_format_is_built(format)) {
            lua_createtable(L, 0, 3);
            fields_string(L, "name", format->name);
            fields_string(L, "extension", format->extension);
            fields_boolean(L, "lossy", format->samples == IMAGE_LOSSY);
            lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        }
    }
    return 1;
}

/* _png(s [, options]): returns the bytes of the file that rill.image.save would write. */
static int l_png(lua_State *L)
{
    PictureCall call = {.function = "rill._png", .s = 1, .options = 2, .limit = PICTURE_ANY};
    Image image;
    StrBuf bytes = STRBUF_EMPTY;
    lua_settop(L, 2);
    scratch_push(L, 0);
    image_options_take(L, &call, &image);
    bool ok = png_encode(&image, &bytes);
    image_free(&image);
    scratch_give(L, 3, bytes.text);
    if (!ok) {
        binding_raise(L);
    }
    lua_pushlstring(L, bytes.text, bytes.length);
    scratch_free(L, 3);
    return 1;
}

/* _write(path, bytes): writes a file under a temporary name and renames it. Returns nothing, or the error message. */
static int l_write(lua_State *L)
{
    FilePart part;
    const char *path = luaL_checkstring(L, 1);
    part.data = luaL_checklstring(L, 2, &part.size);
    if (file_write(path, &part, 1)) {
        return 0;
    }
    lua_pushstring(L, error_message());
    return 1;
}

/* _colormap(name): returns 256 colors of three bytes each. */
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

static void push_colormap_names(lua_State *L)
{
    lua_newtable(L);
    const char *name;
    for (size_t i = 0; (name = colormap_name(i)); i++) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

void open_image(lua_State *L)
{
    push_colormap_names(L);
    lua_setfield(L, -2, "_colormaps");
    fields_function(L, "_colormap", l_colormap);
    fields_function(L, "_png", l_png);
    fields_function(L, "_write", l_write);
    static const luaL_Reg functions[] = {{"load", l_load}, {"save", l_save}, {"formats", l_formats}, {NULL, NULL}};
    luaL_newlib(L, functions);
    binding_strict(L, "rill.image");
    lua_setfield(L, -2, "image");
}
