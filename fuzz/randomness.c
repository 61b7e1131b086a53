/* Tests a sequence of random 32-bit words: randomness WORDS [GENERATOR]. The words are read from standard input, or
 * computed by one of the generators below, which test this program. Prints one line per statistic. Fails if a
 * probability is not within 0.001 to 0.999, if a correlation is 4 standard errors or more, or if there are less words.
 *
 * The tests are those of Knuth (The Art of Computer Programming 2, section 3.3.2): equidistribution and serial test,
 * runs, gaps, collisions, serial correlation; and Marsaglia's birthday spacings. The probabilities are those of exact
 * distributions, and of chi-squared for frequencies of categories with 8 or more expected numbers. Some generators
 * have only good high bits, so most tests run for high and for low bits. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* ---- probabilities */

/* Returns the probability that a gamma number of a shape exceeds x (Press and others, Numerical Recipes, 6.2). */
static double gamma_above(double shape, double x)
{
    double front = exp(shape * log(x) - x - lgamma(shape)), sum = 1 / shape, term = sum;
    if (x <= 0) {
        return 1;
    }
    if (x < shape + 1) {
        for (double n = shape + 1; term > sum * 1e-17; n++) {
            term *= x / n;
            sum += term;
        }
        return 1 - front * sum;
    }
    double b = x + 1 - shape, c = 1e300, d = 1 / b, h = d, step = 0;
    for (double i = 1; fabs(step - 1) > 1e-15 && i < 1e7; i++) {
        b += 2;
        d = 1 / (b - i * (i - shape) * d);
        c = b - i * (i - shape) / c;
        step = c * d;
        h *= step;
    }
    return front * h;
}

static bool failed;

static void report(const char *test, const char *what, double p)
{
    bool good = p >= 0.001 && p <= 0.999;
    failed = failed || !good;
    printf("%-22s %-34s p = %.6f%s\n", test, what, p, good ? "" : "  FAILED");
}

/* Reports the chi-squared statistic of counts with the given probabilities. Categories with fewer than 8 expected
 * numbers are joined to the next one, or to the last one that is large enough. */
static void report_counts(const char *test, const char *what, const uint64_t *counts, const double *chances, int n)
{
    double total = 0, sum = 0, expected = 0, count = 0, last_expected = 0, last_count = 0;
    int categories = 0;
    for (int i = 0; i < n; i++) {
        total += (double)counts[i];
    }
    for (int i = 0; i < n; i++) {
        expected += chances[i] * total;
        count += (double)counts[i];
        if (expected >= 8) {
            sum += categories ? (last_count - last_expected) * (last_count - last_expected) / last_expected : 0;
            last_expected = expected, last_count = count;
            expected = count = 0;
            categories++;
        }
    }
    if (categories < 2) {
        return;
    }
    last_expected += expected, last_count += count;
    sum += (last_count - last_expected) * (last_count - last_expected) / last_expected;
    report(test, what, gamma_above((categories - 1) / 2.0, sum / 2));
}

/* ---- tests: each reads whole chunks */

static uint64_t words_total; /* the number of words that will be tested */

/* Equidistribution of tuples of `length` consecutive parts of words, each the `bits` bits from bit `shift` on. */
typedef struct Tuples {
    int length, most, shift; /* shift < 0: the highest bits */
    int bits, taken;
    uint32_t cell;
    uint64_t *counts;
} Tuples;

static Tuples tuples[] = {{.length = 1, .most = 16, .shift = -1},
                          {.length = 1, .most = 16},
                          {.length = 2, .most = 8, .shift = -1},
                          {.length = 2, .most = 8},
                          {.length = 3, .most = 6, .shift = -1},
                          {.length = 4, .most = 5, .shift = -1},
                          {.length = 4, .most = 5},
                          {.length = 8, .most = 2},
                          {.length = 16, .most = 1, .shift = -1},
                          {.length = 16, .most = 1}};
enum { TUPLES = sizeof tuples / sizeof *tuples };

static void tuples_start(Tuples *t)
{
    double most = log2((double)words_total / t->length / 16);
    t->bits = most / t->length < t->most ? (int)(most / t->length) : t->most;
    t->shift = t->shift < 0 ? 32 - t->bits : 0;
    t->counts = t->bits > 0 ? calloc((size_t)1 << t->bits * t->length, sizeof *t->counts) : NULL;
}

static void tuples_add(Tuples *t, const uint32_t *words)
{
    uint32_t mask = ((uint32_t)1 << t->bits) - 1, cell = t->cell;
    int taken = t->taken;
    for (int i = 0; i < CHUNK; i++) {
        cell = cell << t->bits | (words[i] >> t->shift & mask);
        if (++taken == t->length) {
            t->counts[cell]++;
            cell = 0, taken = 0;
        }
    }
    t->cell = cell, t->taken = taken;
}

/* Reports the frequencies of ones of each bit. */
static void bits_finish(const Tuples *t)
{
    char what[64];
    double sum = 0, half = (double)words_total / 2;
    for (int bit = 0; bit < t->bits; bit++) {
        uint64_t ones = 0;
        for (uint32_t cell = 0; cell < (uint32_t)1 << t->bits; cell++) {
            ones += cell >> bit & 1 ? t->counts[cell] : 0;
        }
        sum += ((double)ones - half) * ((double)ones - half) * 2 / half;
    }
    snprintf(what, sizeof what, "of %d bits from bit %d", t->bits, t->shift);
    report("ones", what, gamma_above(t->bits / 2.0, sum / 2));
}

static void tuples_finish(const Tuples *t)
{
    char what[64];
    int cells = 1 << t->bits * t->length;
    double *chances = calloc((size_t)cells, sizeof *chances);
    for (int i = 0; chances && i < cells; i++) {
        chances[i] = 1.0 / cells;
    }
    snprintf(what, sizeof what, "%d bits from bit %d of %d", t->bits, t->shift, t->length);
    report_counts("equidistribution", what, t->counts, chances, cells);
    free(chances);
    if (t->length == 1) {
        bits_finish(t);
    }
}

enum { LONGEST = 16 };

/* Lengths of runs up or down. The word after a run is left out, so that lengths are independent (exercise 14). */
typedef struct Runs {
    uint32_t flip, last;
    int length; /* 0: the next word begins a run */
    uint64_t counts[LONGEST];
} Runs;

static Runs runs[] = {{.flip = 0}, {.flip = UINT32_MAX}};

static void runs_add(Runs *r, const uint32_t *words)
{
    for (int i = 0; i < CHUNK; i++) {
        uint32_t word = words[i] ^ r->flip;
        if (r->length && word < r->last) {
            r->counts[r->length <= LONGEST ? r->length - 1 : LONGEST - 1]++;
            r->length = 0;
        } else {
            r->length++;
        }
        r->last = word;
    }
}

static void runs_finish(const Runs *r)
{
    double chances[LONGEST], factorial = 1;
    for (int i = 0; i < LONGEST; i++) {
        factorial *= i + 1;
        chances[i] = 1 / factorial - (i < LONGEST - 1 ? 1 / (factorial * (i + 2)) : 0);
    }
    report_counts("runs", r->flip ? "down" : "up", r->counts, chances, LONGEST);
}

enum { GAPS = 256 };

/* Numbers of words between two of which the bits from bit `shift` on are 0, so that their probability is 1/16. */
typedef struct Gap {
    int shift, length;
    uint64_t counts[GAPS];
} Gap;

static Gap gaps[] = {{.shift = 28}, {.shift = 12}, {.shift = 0}};

static void gaps_add(Gap *g, const uint32_t *words)
{
    for (int i = 0; i < CHUNK; i++) {
        if ((words[i] >> g->shift & 15) == 0) {
            g->counts[g->length < GAPS ? g->length : GAPS - 1]++;
            g->length = 0;
        } else {
            g->length++;
        }
    }
}

static void gaps_finish(const Gap *g)
{
    char what[64];
    double chances[GAPS], left = 1;
    for (int i = 0; i < GAPS; i++) {
        chances[i] = i < GAPS - 1 ? left / 16 : left;
        left -= left / 16;
    }
    snprintf(what, sizeof what, "4 bits from bit %d", g->shift);
    report_counts("gaps", what, g->counts, chances, GAPS);
}

enum { BALLS = 1 << 14, URN_BITS = 20, URNS = 1 << URN_BITS, COLLISIONS = 512 };

/* Collisions of 2^14 balls in 2^20 urns. The urn is `bits` bits from bit `shift` on of 20 / bits consecutive words. */
typedef struct Collision {
    int bits, shift, taken, balls, collisions;
    uint32_t urn;
    uint64_t used[URNS / 64], counts[COLLISIONS];
} Collision;

static Collision collisions[] = {
    {.bits = 20, .shift = 12}, {.bits = 20}, {.bits = 10, .shift = 22}, {.bits = 4}, {.bits = 1, .shift = 31}};

static void collisions_throw(Collision *c)
{
    uint64_t bit = (uint64_t)1 << (c->urn & 63), *used = &c->used[c->urn >> 6];
    c->collisions += (*used & bit) != 0;
    *used |= bit;
    if (++c->balls == BALLS) {
        c->counts[c->collisions < COLLISIONS ? c->collisions : COLLISIONS - 1]++;
        memset(c->used, 0, sizeof c->used);
        c->balls = c->collisions = 0;
    }
}

static void collisions_add(Collision *c, const uint32_t *words)
{
    uint32_t mask = ((uint32_t)1 << c->bits) - 1;
    for (int i = 0; i < CHUNK; i++) {
        c->urn = c->urn << c->bits | (words[i] >> c->shift & mask);
        if (++c->taken == URN_BITS / c->bits) {
            collisions_throw(c);
            c->urn = 0, c->taken = 0;
        }
    }
}

/* Computes the distribution of the number of collisions: a ball hits one of the used urns with a probability
 * proportional to their number. */
static void collisions_chances(double chances[COLLISIONS])
{
    memset(chances, 0, COLLISIONS * sizeof *chances);
    chances[0] = 1;
    for (int ball = 0; ball < BALLS; ball++) {
        for (int i = COLLISIONS - 1; i >= 0; i--) {
            double used = (double)(ball - i) / URNS, less = i ? (double)(ball - i + 1) / URNS : 0;
            double hit = i ? chances[i - 1] * less : 0;
            chances[i] = i <= ball ? chances[i] * (1 - used) + hit : 0;
        }
    }
}

static void collisions_finish(const Collision *c, const double chances[COLLISIONS])
{
    char what[64];
    snprintf(what, sizeof what, "%d bits from bit %d of %d", c->bits, c->shift, URN_BITS / c->bits);
    report_counts("collisions", what, c->counts, chances, COLLISIONS);
}

enum { BIRTHDAYS = 512, EQUAL = 4 };

/* Equal spacings of 512 birthdays in a year of 2^25 days. */
typedef struct Birthday {
    int shift;
    uint64_t counts[EQUAL];
} Birthday;

static Birthday birthdays[] = {{.shift = 7}, {.shift = 0}};

static void sort_words(uint32_t *words)
{
    uint32_t other[BIRTHDAYS], *from = words, *to = other;
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t start[257] = {0}, *swap = from;
        for (int i = 0; i < BIRTHDAYS; i++) {
            start[(from[i] >> shift & 255) + 1]++;
        }
        for (int i = 0; i < 256; i++) {
            start[i + 1] += start[i];
        }
        for (int i = 0; i < BIRTHDAYS; i++) {
            to[start[from[i] >> shift & 255]++] = from[i];
        }
        from = to, to = swap;
    }
}

static void birthdays_add(Birthday *b, const uint32_t *words)
{
    uint32_t days[BIRTHDAYS], spaces[BIRTHDAYS];
    for (int first = 0; first < CHUNK; first += BIRTHDAYS) {
        for (int i = 0; i < BIRTHDAYS; i++) {
            days[i] = words[first + i] >> b->shift & 0x1ffffff;
        }
        sort_words(days);
        for (int i = 0; i < BIRTHDAYS; i++) {
            spaces[i] = i ? days[i] - days[i - 1] : days[0] + 0x2000000 - days[BIRTHDAYS - 1];
        }
        sort_words(spaces);
        int equal = 0;
        for (int i = 1; i < BIRTHDAYS; i++) {
            equal += spaces[i] == spaces[i - 1];
        }
        b->counts[equal < EQUAL ? equal : EQUAL - 1]++;
    }
}

static void birthdays_finish(const Birthday *b)
{
    static const double chances[EQUAL] = {0.368801577, 0.369035243, 0.183471182, 0.078691998}; /* Knuth, exercise 30 */
    char what[64];
    snprintf(what, sizeof what, "25 bits from bit %d", b->shift);
    report_counts("birthday spacings", what, b->counts, chances, EQUAL);
}

enum { LAGS = 16 };

/* Correlations of words, and of their bits, at distances of 1 to 16 words within a chunk. */
static double products[LAGS];
static uint64_t differences[LAGS], pairs[LAGS];

static void correlations_add(const uint32_t *words)
{
    static float values[CHUNK];
    for (int i = 0; i < CHUNK; i++) {
        values[i] = (float)words[i] * 0x1p-32F - 0.5F;
    }
    for (int lag = 1; lag <= LAGS; lag++) {
        float sums[64] = {0};
        uint64_t count = 0;
        int n = CHUNK - 64;
        for (int i = 0; i < n; i++) {
            sums[i & 63] += values[i] * values[i + lag];
        }
        for (int i = 0; i < n; i++) {
            count += (uint64_t)__builtin_popcount(words[i] ^ words[i + lag]);
        }
        for (int i = 0; i < 64; i++) {
            products[lag - 1] += (double)sums[i];
        }
        differences[lag - 1] += count;
        pairs[lag - 1] += (uint64_t)n;
    }
}

static void report_deviation(const char *what, int lag, double z)
{
    char text[64];
    bool good = fabs(z) < 4;
    failed = failed || !good;
    snprintf(text, sizeof text, "of %s %d words apart", what, lag);
    printf("%-22s %-34s %+.3f standard errors%s\n", "correlation", text, z, good ? "" : "  FAILED");
}

static void correlations_finish(void)
{
    for (int i = 0; i < LAGS; i++) {
        double n = (double)pairs[i];
        report_deviation("words", i + 1, products[i] * 12 / sqrt(n));
        report_deviation("bits", i + 1, ((double)differences[i] - 16 * n) / sqrt(8 * n));
    }
}

#define EACH(list, call)                                                                                               \
    for (size_t k = 0; k < sizeof(list) / sizeof *(list); k++) {                                                       \
        call;                                                                                                          \
    }

static void start(void)
{
    EACH(tuples, tuples_start(&tuples[k]))
}

static void add(const uint32_t *words)
{
    for (int k = 0; k < TUPLES; k++) {
        if (tuples[k].counts) {
            tuples_add(&tuples[k], words);
        }
    }
    EACH(runs, runs_add(&runs[k], words))
    EACH(gaps, gaps_add(&gaps[k], words))
    EACH(collisions, collisions_add(&collisions[k], words))
    EACH(birthdays, birthdays_add(&birthdays[k], words))
    correlations_add(words);
}

static void finish(void)
{
    double chances[COLLISIONS];
    collisions_chances(chances);
    for (int k = 0; k < TUPLES; k++) {
        if (tuples[k].counts) {
            tuples_finish(&tuples[k]);
            free(tuples[k].counts);
        }
    }
    EACH(runs, runs_finish(&runs[k]))
    EACH(gaps, gaps_finish(&gaps[k]))
    EACH(collisions, collisions_finish(&collisions[k], chances))
    EACH(birthdays, birthdays_finish(&birthdays[k]))
    correlations_finish();
}

/* ---- generators that test the tests */

static uint32_t counter_next(void)
{
    static uint32_t x;
    return x++;
}

/* The congruential generator of Numerical Recipes: its low bits have short periods. */
static uint32_t congruential_next(void)
{
    static uint32_t x = 1;
    return x = x * 1664525U + 1013904223U;
}

/* IBM's RANDU, of 31 bits: points of three consecutive numbers are in 15 planes. */
static uint32_t randu_next(void)
{
    static uint32_t x = 1;
    x = x * 65539U & 0x7fffffffU;
    return x << 1 | x >> 30;
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint32_t split_next(void)
{
    static uint64_t x;
    uint64_t z = x += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return (uint32_t)(z >> 32);
}

/* Good words, except that one in 256 repeats the previous one. */
static uint32_t repeating_next(void)
{
    static uint32_t last;
    uint32_t word = split_next();
    return last = word >> 24 ? split_next() : last;
}

/* Good words of which the lowest bit is 1 with a probability of 1/2 + 1/512. */
static uint32_t biased_next(void)
{
    uint32_t word = split_next();
    return split_next() >> 24 ? word : word | 1;
}

/* Philox4x32-10 with the key 1 (Salmon, Moraes, Dror and Shaw 2011). */
static uint32_t philox_next(void)
{
    static uint32_t block[4], counter, at = 4;
    uint32_t c[4] = {counter, 0, 0, 0}, k0 = 1, k1 = 0;
    if (at < 4) {
        return block[at++];
    }
    for (int i = 0; i < 10; i++, k0 += 0x9e3779b9U, k1 += 0xbb67ae85U) {
        uint64_t a = (uint64_t)0xd2511f53U * c[0], b = (uint64_t)0xcd9e8d57U * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
    }
    memcpy(block, c, sizeof block);
    counter++;
    at = 1;
    return block[0];
}

static const struct {
    const char *name;
    uint32_t (*next)(void);
} generators[] = {{"philox", philox_next},   {"splitmix", split_next},
                  {"counter", counter_next}, {"congruential", congruential_next},
                  {"randu", randu_next},     {"repeating", repeating_next},
                  {"biased", biased_next}};

/* ---- the program */

static bool fill(uint32_t *words, uint32_t (*next)(void))
{
    if (!next) {
        return fread(words, sizeof *words, CHUNK, stdin) == CHUNK;
    }
    for (int i = 0; i < CHUNK; i++) {
        words[i] = next();
    }
    return true;
}

int main(int count, char **arguments)
{
    static uint32_t words[CHUNK];
    uint32_t (*next)(void) = NULL;
    words_total = count > 1 ? strtoull(arguments[1], NULL, 10) / CHUNK * CHUNK : 0;
    for (size_t k = 0; count > 2 && k < sizeof generators / sizeof *generators; k++) {
        next = strcmp(arguments[2], generators[k].name) == 0 ? generators[k].next : next;
    }
    if (words_total == 0 || (count > 2 && !next)) {
        fputs("usage: randomness WORDS [GENERATOR]: at least 65536 words\n", stderr);
        return 2;
    }
    start();
    for (uint64_t done = 0; done < words_total; done += CHUNK) {
        if (!fill(words, next)) {
            fprintf(stderr, "the input has less than %llu words\n", (unsigned long long)words_total);
            return 2;
        }
        add(words);
    }
    finish();
    printf("%s\n", failed ? "FAILED" : "passed");
    return failed;
}
