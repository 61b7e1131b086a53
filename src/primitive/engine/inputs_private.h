/* Declarations shared by the files that write how inputs are read. */
#ifndef RILL_PRIMITIVE_ENGINE_INPUTS_PRIVATE_H
#define RILL_PRIMITIVE_ENGINE_INPUTS_PRIVATE_H

#include "primitive/engine/inputs.h"

/* Returns whether stream i is read by whole texels. */
bool inputs_is_texels(const InputText *t, int i);
/* Writes a call of rill_fS, the value of source s. `element` writes each argument: element k of stream i. */
void inputs_write_call(InputText *t, int s, int k, void (*element)(InputText *t, int i, int k));

#endif
