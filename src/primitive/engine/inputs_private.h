/* What the files share that write how inputs are read. */
#ifndef RILL_PRIMITIVE_ENGINE_INPUTS_PRIVATE_H
#define RILL_PRIMITIVE_ENGINE_INPUTS_PRIVATE_H

#include "primitive/engine/inputs.h"

/* Whether stream i is read by whole texels. */
bool inputs_is_texels(const InputText *t, int i);
/* The calls of rill_fS: `element` writes the element of stream i. */
void inputs_write_call(InputText *t, int s, int k, void (*element)(InputText *t, int i, int k));

#endif
