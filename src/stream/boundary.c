#include "stream/boundary.h"

#include <stddef.h>

const char *const boundary_names[] = {
    [BOUNDARY_CLAMP] = "clamp", [BOUNDARY_WRAP] = "wrap", [BOUNDARY_MIRROR] = "mirror", [BOUNDARY_VALUE] = "zero", NULL,
};
