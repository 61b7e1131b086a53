/* What the files that write a source share. */
#ifndef RILL_GENERATOR_H
#define RILL_GENERATOR_H

#include "kernel/variant/access.h"

typedef struct Generator {
    const KernelText *text;
    const Function *f;
    const VariantKey *key;
    const Layout *layout;
    StrBuf *out;
} Generator;

/* Bytes of argument i that one step covers; whether it is read as whole texels. */
int generator_step_bytes(const Generator *g, int i);
bool generator_flat_load(const Generator *g, int i);
/* Whether a fault word may be written. */
bool generator_faults(const Generator *g);

/* generate_main.c: main() and what it calls. */
void generate_main(Generator *g);
void generate_group_queries(Generator *g);

#endif
