/* WAV files of sampled sound (RIFF, Microsoft and IBM 1991): integers of 8 to 32 bits (PCM), or floats of 32 or 64 bits,
 * with any number of channels. */
#ifndef RILL_IO_ARRAY_WAV_H
#define RILL_IO_ARRAY_WAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WavSound {
    uint32_t rate; /* frames per second */
    int channels;  /* 1 to 65535 */
    int bytes;     /* of a sample: 1 to 4 for integers, 4 or 8 for floats */
    bool floats;
    size_t frames;
    const unsigned char *data; /* the samples, frame by frame; points into the file */
} WavSound;

/* Returns whether the content begins with the signature of the format. */
bool wav_recognize(const unsigned char *bytes, size_t size);
/* Reads the header of a file. Returns false with error_set on failure. */
bool wav_decode(const unsigned char *bytes, size_t size, WavSound *sound);
/* Converts sample i. Integers are divided by the largest magnitude of their size, 128 for 8 bits, so that samples are
 * from -1 to 1. */
double wav_sample(const WavSound *sound, size_t i);
/* Converts all samples. */
void wav_floats(const WavSound *sound, float *to);
/* Returns sample i of a file of integers. Samples of 8 bits are from -128 to 127. */
int32_t wav_integer(const WavSound *sound, size_t i);

/* Writes a sample of a file with the form of `sound`. `whole`: see wav_write. */
void wav_put(const WavSound *sound, unsigned char *to, double value, bool whole);
/* Returns whether all samples are integers of the size in the file. Returns false with error_set otherwise. */
bool wav_check_range(const WavSound *sound, const double *samples);

/* Writes a file (see file_write) of frames * channels samples with the form of `sound`; its data are unused. `whole`: the
 * samples are integers of the size in the file; otherwise numbers from -1 to 1, which are scaled, rounded to nearest and
 * clamped, NaN to 0. Returns false with error_set on failure. */
bool wav_write(const char *path, const WavSound *sound, const double *samples, bool whole);

#endif
