#include "primitive/reduction/scaled.h"

#include <string.h>

const Type *scaled_fields(const char *name, const Type *type, const char *const *names, int count, const char *last)
{
    Field fields[8];
    for (int i = 0; i < count; i++) {
        fields[i] = (Field){.type = type, .offset = i * type->bytes};
        strcpy(fields[i].name, names[i]);
    }
    if (last) {
        fields[count] = (Field){.type = type_of(SCALAR_DOUBLE, 1), .offset = count * type->bytes};
        strcpy(fields[count].name, last);
    }
    return type_struct_kept(name, fields, count + (last != NULL));
}

const Type *scaled_sum(const Type *type)
{
    return scaled_fields("Sum", type, (const char *[]){"s", "e", "b", "l"}, 4, NULL);
}

const Type *scaled_product(const Type *type)
{
    return scaled_fields("Product", type_of(SCALAR_DOUBLE, type->components), (const char *[]){"m", "e"}, 2, NULL);
}

void scaled_macros(StrBuf *out, int components)
{
    strbuf_addf(out, "#define W %s\n", type_of(SCALAR_DOUBLE, components)->name);
    strbuf_add(out, components == 1 ? "#define RILL_ABOVE(x, y) ((x) > (y))\n#define RILL_NONE(x) isnan(x)\n"
                                    : "#define RILL_ABOVE(x, y) greaterThan(x, y)\n#define RILL_NONE(x) false\n");
}
