/* Draws triangles with the device's rasterizer into an offscreen framebuffer, and stores the result in a buffer. Positions are clip coordinates
 * that kernels computed. */
#ifndef RILL_GPU_RASTER_RASTER_H
#define RILL_GPU_RASTER_RASTER_H

#include "gpu/memory/buffer.h"

typedef enum RasterPass {
    RASTER_VISIBLE, /* writes the nearest face of each pixel to `target` (int), or -1; the lowest one at equal depths */
    RASTER_DEPTH,   /* writes the depth of the nearest face (float); 0 where there is none */
    RASTER_HITS,    /* adds the number of faces that cover a pixel to `target` (int) */
    RASTER_LAYERS,  /* adds the number of faces that are nearer than `solid` (float) */
    RASTER_NEXT, /* stores the minimum of `target` (int) and the lowest face that is nearer than `solid` and above `last` (int) */
    RASTER_INVOCATIONS, /* adds the number of invocations of the vertex shader to the first word of `target` (int) */
    RASTER_PASSES
} RasterPass;

/* The triangles of one mesh. `triangles` has three 32-bit indices per face from byte `offset` on. A triangle with an index of `vertices` or above
 * covers nothing. `clips` has a vec4 per vertex: x and y in pixels right of and below the center of the image times w, the depth from 0 to 1,
 * larger when nearer, times w, and w. {0, 0, 1e30, 0} marks a vertex whose triangles cover nothing. */
typedef struct RasterMesh {
    Buffer *clips, *triangles;
    uint64_t vertices, offset, faces;
    int base; /* the index of the first face */
} RasterMesh;

typedef struct RasterRun {
    RasterPass pass;
    int columns, rows;
    const RasterMesh *meshes;
    int mesh_count;
    Buffer *target;       /* columns * rows elements, row by row from the top */
    Buffer *depth;        /* RASTER_VISIBLE: also gets the depths (float); may be NULL */
    Buffer *solid, *last; /* RASTER_LAYERS, RASTER_NEXT */
} RasterRun;

/* Returns whether the device can draw images of this size. Returns false with error_set that says why not. */
bool raster_supports(Device *device, int columns, int rows);
/* Runs a pass over meshes in order. Framebuffers are kept with the device for the next run. Does not wait, except on synchronous devices. Returns
 * false with error_set. */
bool raster_run(Device *device, const RasterRun *run);

#endif
