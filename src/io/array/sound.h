/* Files of sampled sound: WAV (wav.h), and FLAC, Ogg Vorbis, AIFF and MP3 through libsndfile, which is optional: without
 * RILL_SNDFILE these formats are an error that names the package. */
#ifndef RILL_IO_ARRAY_SOUND_H
#define RILL_IO_ARRAY_SOUND_H

#include "io/array/wav.h"

#include "base/strbuf.h"

/* Reads a file. `data` points into the file, or to `samples`, which the caller frees. Lossy formats have floats of 32
 * bits. Returns false with error_set on failure. */
bool sound_decode(const unsigned char *bytes, size_t size, WavSound *sound, StrBuf *samples);

typedef struct SoundFormat {
    const char *name, *extension;
    int major, coding; /* of libsndfile; coding: 0 for formats without losses */
} SoundFormat;

/* Returns the format of a path by its extension, or NULL with error_set. */
const SoundFormat *sound_format(const char *path);
/* Returns whether a format is WAV. */
bool sound_is_wav(const SoundFormat *format);
/* Returns whether the samples of a format are compressed with losses. */
bool sound_is_lossy(const SoundFormat *format);
/* Writes a file as wav_write does, in any format. quality: of lossy formats, 1 to 100; 0: the default of the library. */
bool sound_write(const char *path, const SoundFormat *format, const WavSound *sound, const double *samples, bool whole,
                 int quality);

#endif
