/* The elements around a position of a container whose pages have replicas of what is around them: one of these pages is looked up. */
#include "kernel/variant/access.h"

enum { UNMAPPED = -(1 << 30) };

static void add_corner(StrBuf *out, const char *name, int rank)
{
    strbuf_addf(out, "adr_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%si%d + (k >> %d & 1) * n%d", d ? ", " : "", d, d, d);
    }
    strbuf_add(out, ")");
}

void access_cell(StrBuf *out, const AccessText *text, int rank)
{
    const char *name = text->param->name;
    strbuf_addf(out, "int cell_%s(", name);
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "%sint i%d, inout int j%d", d ? ", " : "", d, d);
    }
    strbuf_add(out, ") {\n");
    for (int d = 0; d < rank; d++) {
        const char *size = access_size(text, d);
        strbuf_addf(out, "    i%d = rill_clamp(i%d, %s); int n%d = rill_clamp(j%d, %s) - i%d;\n", d, d, size, d, d,
                    size, d);
        strbuf_addf(out, "    j%d = n%d", d, d);
        if (d > 0) {
            strbuf_addf(out, " * int(%s)", access_word(text->layout->strides + d - 1));
        }
        strbuf_add(out, ";\n");
    }
    if (text->key->replicas == REPLICAS_ALL) {
        strbuf_add(out, "    const int k = 0;\n    return ");
        add_corner(out, name, rank);
        strbuf_add(out, ";\n}\n");
        return;
    }
    /* Where the first one's page is none, another one's is looked for: in a loop that compilers don't unroll, as its end is not known to them. */
    strbuf_addf(out,
                "    int e = -1, most = %s > 0 ? %d : 0;\n    for (int k = 0; e < 0 && k < most; k++) {\n        e = ",
                access_size(text, 0), 1 << rank);
    add_corner(out, name, rank);
    strbuf_add(out, ";\n        e = e < 0 ? e : e");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, " - (k >> %d & 1) * j%d", d, d);
    }
    strbuf_addf(out, ";\n    }\n    return e < 0 ? %d : e;\n}\n", UNMAPPED);
}
