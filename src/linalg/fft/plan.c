#include "linalg/fft/fft_private.h"

#include "kernel/variant/access.h"

#include <string.h>

bool fft_serves(int64_t length)
{
    static const int primes[] = {2, 3, 5, 7};
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        while (length > 1 && length % primes[i] == 0) {
            length /= primes[i];
        }
    }
    return length == 1;
}

/* The cost is the number of passes over memory. Small lengths use powers of two only, so that few programs suffice, and
 * GPUs too, because exchange.c moves several times fewer sectors than shared_memory.c. */
int64_t fft_above(Device *device, int64_t n)
{
    static const int odd[] = {1, 3, 5};
    enum { SMALL = 1 << 14 };
    int64_t best = 0;
    double least = 0;
    bool powers = n <= SMALL || device_traits(device)->family == FAMILY_GPU;
    for (int i = 0; i < (powers ? 1 : 3); i++) {
        int64_t length = odd[i];
        int passes =
            i > 0 ? 4 : 0; /* quarters of a pass: one for each factor of 2, since a pass has radix 16 at most */
        for (; length < n; length *= 2) {
            passes++;
        }
        double cost = (double)length * (double)((passes + 3) / 4);
        if (i == 0 || cost < least) {
            best = length;
            least = cost;
        }
    }
    return best;
}

bool fft_wide(const Stream *s)
{
    return s->type->scalar == SCALAR_DOUBLE;
}

/* clang-format off */
/* The constants of fft_butterflies.glsl: cosN_k and sinN_k are the cosine and sine of k / N of a turn. Literals of
 * doubles end in lf. */
#define CONSTANTS(type, end) \
    "const " type " cos3_1 = -0.50000000000000000000" end ", sin3_1 = 0.86602540378443864676" end ";\n" \
    "const " type " cos5_1 = 0.30901699437494742410" end ", sin5_1 = 0.95105651629515357212" end ";\n" \
    "const " type " cos5_2 = -0.80901699437494742410" end ", sin5_2 = 0.58778525229247312917" end ";\n" \
    "const " type " cos7_1 = 0.62348980185873353053" end ", sin7_1 = 0.78183148246802980871" end ";\n" \
    "const " type " cos7_2 = -0.22252093395631440429" end ", sin7_2 = 0.97492791218182360702" end ";\n" \
    "const " type " cos7_3 = -0.90096886790241912624" end ", sin7_3 = 0.43388373911755812048" end ";\n" \
    "const " type " cos8_1 = 0.70710678118654752440" end ", cos16_1 = 0.92387953251128675613" end ";\n" \
    "const " type " sin16_1 = 0.38268343236508977173" end ", cos32_1 = 0.98078528040323044913" end ";\n" \
    "const " type " sin32_1 = 0.19509032201612826785" end ", cos32_3 = 0.83146961230254523708" end ";\n" \
    "const " type " sin32_3 = 0.55557023301960222474" end ";\n" \
    "const " type " cos64_1 = 0.99518472667219688624" end ", sin64_1 = 0.09801714032956060199" end ";\n" \
    "const " type " cos64_3 = 0.95694033573220886494" end ", sin64_3 = 0.29028467725446236764" end ";\n" \
    "const " type " cos64_5 = 0.88192126434835502971" end ", sin64_5 = 0.47139673682599764856" end ";\n" \
    "const " type " cos64_7 = 0.77301045336273696081" end ", sin64_7 = 0.63439328416364549822" end ";\n"
/* clang-format on */

const char *fft_declarations(bool wide)
{
    return wide ? CONSTANTS("double", "lf") : CONSTANTS("float", "");
}

void fft_fill(const Fft *f, const FftPass *pass, bool last, const Stream *from, const Stream *to, int unit,
              uint32_t *words)
{
    int64_t span = pass->rest * pass->stride / unit;
    int64_t stride = pass->stride % unit == 0 ? pass->stride / unit : pass->stride;
    double scale = last ? f->scale : 1;
    float direction = f->backwards ? -1 : 1, narrow = (float)scale;
    words[FFT_P_COLUMNS] = (uint32_t)(f->outer * span);
    words[FFT_P_SPAN] = (uint32_t)span;
    access_divisor(span, &words[FFT_P_SPAN_M], &words[FFT_P_SPAN_S]);
    words[FFT_P_STRIDE] = (uint32_t)stride;
    access_divisor(stride, &words[FFT_P_STRIDE_M], &words[FFT_P_STRIDE_S]);
    words[FFT_P_FROM] = (uint32_t)(from->offset / unit);
    words[FFT_P_TO] = (uint32_t)(to->offset / unit);
    memcpy(&words[FFT_P_SIGN], &direction, sizeof direction);
    if (fft_wide(from)) {
        memcpy(&words[FFT_P_SCALE], &scale, sizeof scale);
    } else {
        memcpy(&words[FFT_P_SCALE], &narrow, sizeof narrow);
    }
}
