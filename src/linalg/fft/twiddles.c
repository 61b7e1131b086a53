#include "linalg/fft/twiddles.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TAU = 6.283185307179586476925286766559;

/* The angle of cos and sin is at most an eighth of a turn. */
void twiddles_find(int64_t k, int64_t n, double *x, double *y)
{
    int64_t quarter = (8 * k / n + 1) / 2; /* the nearest multiple of a quarter turn */
    double angle = TAU * (double)(4 * k - quarter * n) / (4.0 * (double)n);
    double c = cos(angle), s = sin(angle);
    *x = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
    *y = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
}

void twiddles_put(void *elements, int64_t i, bool wide, double x, double y)
{
    double exact[] = {x, -y};
    float narrow[] = {(float)x, (float)-y};
    if (wide) {
        memcpy((double *)elements + 2 * i, exact, sizeof exact);
    } else {
        memcpy((float *)elements + 2 * i, narrow, sizeof narrow);
    }
}

bool twiddles_write(const Constants *constants, Buffer *buffer, void *elements)
{
    bool done = elements ? buffer_write(buffer, 0, elements, constants->bytes) : error_set("out of host memory");
    free(elements);
    return done;
}
