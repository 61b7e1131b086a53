#include "primitive/sorting/search.h"

#include "base/error.h"
#include "kernel/launch/builtin.h"
#include "primitive/engine/order.h"

/* Returns the GLSL of less(a, b) for a value type. NaNs are tested by their bits, since compilers may assume that
 * there are none. */
static const char *less_text(const Type *type)
{
    switch (type->scalar) {
    case SCALAR_FLOAT:
        return "bool nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }\n"
               "bool less(float a, float b) { return nan(b) ? !nan(a) : !nan(a) && a < b; }\n";
    case SCALAR_DOUBLE:
        return "bool nan(double x) { uvec2 w = unpackDouble2x32(x); w.y = w.y & 0x7fffffffu;\n"
               "  return w.y > 0x7ff00000u || (w.y == 0x7ff00000u && w.x != 0u); }\n"
               "bool less(double a, double b) { return nan(b) ? !nan(a) : !nan(a) && a < b; }\n";
    case SCALAR_INT: return "bool less(int a, int b) { return a < b; }\n";
    case SCALAR_UINT: return "bool less(uint a, uint b) { return a < b; }\n";
    default: return "bool less(bool a, bool b) { return !a && b; }\n";
    }
}

static Kernel *search_kernel(Device *device, const Type *type, int64_t count, bool right)
{
    StrBuf text = STRBUF_EMPTY;
    int steps = 0;
    while (INT64_C(1) << steps < count + 1) {
        steps++;
    }
    strbuf_add(&text, less_text(type));
    strbuf_addf(&text,
                "kernel int search(%s sorted[], %s x<>, int count) {\n"
                "  int low = 0, high = count;\n"
                "  for (int k = 0; k < %d; k++) {\n"
                "    int middle = low + ((high - low) >> 1);\n"
                "    %s at = sorted[min(middle, count - 1)];\n"
                "    bool up = low < high && %s;\n"
                "    high = up ? high : middle;\n"
                "    low = up ? middle + 1 : low;\n"
                "  }\n  return low;\n}\n",
                type->name, type->name, steps, type->name, right ? "!less(x, at)" : "less(at, x)");
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    return kernel;
}

/* Returns the type in which both are compared, or NULL with error_set. */
static const Type *common_type(const Type *a, const Type *b)
{
    RadixKey key;
    if (!order_key(a, false, &key) || !order_key(b, false, &key)) {
        return NULL;
    }
    if (type_converts(b, a->value)) {
        return a->value;
    }
    if (!type_converts(a, b->value)) {
        error_set("values of %s can't be compared with elements of %s", b->name, a->name);
        return NULL;
    }
    return b->value;
}

bool search_stream(const Stream *sorted, const Stream *values, bool right, Stream *result)
{
    const Type *type = common_type(sorted->type, values->type);
    int64_t count = stream_elements(sorted);
    Kernel *kernel = type ? search_kernel(values->device, type, count, right) : NULL;
    if (!kernel || !stream_create(values->device, type_of(SCALAR_INT, 1), &values->shape, false, result)) {
        return false;
    }
    if (values->length.buffer) {
        stream_set_length(result, values->length);
    }
    uint32_t words = (uint32_t)count;
    Argument args[] = {{.stream = sorted}, {.stream = values}, {.words = &words}, {.stream = result}};
    if (!kernel_launch(kernel, values->device, args, &values->shape, false)) {
        stream_release(result);
        return false;
    }
    return true;
}
