/* The elements around a position of a container whose pages have replicas of what is around them: one of these pages is looked up. */
#include "kernel/variant/access.h"

enum { UNMAPPED = -(1 << 30) };

void access_cell(StrBuf *out, const AccessText *text, int rank)
{
    static const char corner[] = "adr_$N($,{i# + (k >> # & 1) * n#$})";
    access_addf(out, text, rank, "int cell_$N($,{int i#, inout int j#$}) {\n");
    access_addf(out, text, rank,
                "$0{    i# = rill_clamp(i#, $Z); int n# = rill_clamp(j#, $Z) - i#;\n    j# = n#$t;\n$}");
    if (text->key->replicas == REPLICAS_ALL) {
        strbuf_add(out, "    const int k = 0;\n    return ");
        access_addf(out, text, rank, corner);
        strbuf_add(out, ";\n}\n");
        return;
    }
    /* Where the first one's page is none, another one's is looked for: in a loop that compilers don't unroll, as its end is not known to them. */
    access_addf(out, text, rank,
                "    int e = -1, most = $Z > 0 ? %d : 0;\n    for (int k = 0; e < 0 && k < most; k++) {\n        e = ",
                1 << rank);
    access_addf(out, text, rank, corner);
    access_addf(out, text, rank,
                ";\n        e = e < 0 ? e : e$0{ - (k >> # & 1) * j#$};\n    }\n    return e < 0 ? %d : e;\n}\n",
                UNMAPPED);
}
