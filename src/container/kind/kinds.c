/* Loads a container by the name of its kind. The list of kinds is in kinds.h. */
#include "container/kind/kinds.h"

#include "base/error.h"
#include "container/container_kind.h"

#include <string.h>

#define ADDRESS(name) &container_kind_##name,
static const ContainerKind *const kinds[] = {CONTAINER_KINDS(ADDRESS)};

enum { KINDS = sizeof kinds / sizeof *kinds };

Container *container_data_load(Device *device, const ContainerData *data)
{
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i]->load && strcmp(kinds[i]->name, data->kind) == 0) {
            return kinds[i]->load(device, data);
        }
    }
    error_set("it holds a container of an unknown kind, '%s'", data->kind);
    return NULL;
}
