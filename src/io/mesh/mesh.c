#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mesh_free(MeshData *mesh)
{
    free(mesh->positions);
    free(mesh->exact);
    free(mesh->triangles);
    free(mesh->normals);
    free(mesh->uv);
    free(mesh->colors);
    *mesh = (MeshData){0};
}

bool mesh_grow(void **array, size_t *room, size_t count, size_t size)
{
    if (count <= *room && *array) {
        return true;
    }
    size_t half = *room + *room / 2, wanted = half > count ? half : count + 64;
    void *grown = realloc(*array, wanted * size);
    if (!grown) {
        return error_set("out of host memory for %zu bytes", wanted * size);
    }
    *array = grown;
    *room = wanted;
    return true;
}

bool mesh_reserve(MeshData *mesh, size_t vertices, size_t faces)
{
    if (mesh->vertices + vertices > MESH_MOST || mesh->faces + faces > MESH_MOST) {
        return error_set("a mesh has %d vertices and triangles at most", MESH_MOST);
    }
    return mesh_grow((void **)&mesh->positions, &mesh->vertex_room, mesh->vertices + vertices, 3 * sizeof(float)) &&
           (!mesh->reading.doubles ||
            mesh_grow((void **)&mesh->exact, &mesh->exact_room, mesh->vertices + vertices, 3 * sizeof(double))) &&
           mesh_grow((void **)&mesh->triangles, &mesh->face_room, mesh->faces + faces, 3 * sizeof(int32_t));
}

bool mesh_accepts(const MeshData *mesh, const double *numbers, int count)
{
    if (mesh->reading.invalid) {
        return true;
    }
    if (!mesh->reading.doubles) {
        return text_are_finite(numbers, count);
    }
    return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]) &&
           text_are_finite(numbers + 3, count - 3);
}

bool mesh_add_vertex(MeshData *mesh, const double position[3])
{
    bool full = mesh->vertices == mesh->vertex_room || (mesh->reading.doubles && mesh->vertices == mesh->exact_room);
    if (full && !mesh_reserve(mesh, 1, 0)) {
        return false;
    }
    if (mesh->reading.doubles) {
        memcpy(mesh->exact + 3 * mesh->vertices, position, 3 * sizeof(double));
    }
    float *to = mesh->positions + 3 * mesh->vertices++;
    for (int d = 0; d < 3; d++) {
        to[d] = (float)position[d];
    }
    return true;
}

bool mesh_add_triangle(MeshData *mesh, int32_t a, int32_t b, int32_t c)
{
    if (mesh->faces == mesh->face_room && !mesh_reserve(mesh, 0, 1)) {
        return false;
    }
    int32_t *to = mesh->triangles + 3 * mesh->faces++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return true;
}

size_t mesh_count(const MeshData *mesh, MeshOwner owner)
{
    switch (owner) {
    case MESH_VERTICES: return mesh->vertices;
    case MESH_FACES: return mesh->faces;
    case MESH_CORNERS: return 3 * mesh->faces;
    default: return 0;
    }
}

size_t mesh_element(MeshOwner owner, size_t corner, int32_t vertex)
{
    return owner == MESH_VERTICES ? (size_t)vertex : owner == MESH_FACES ? corner / 3 : corner;
}
