#include "io/array/sound.h"

#include "base/error.h"
#include "io/byteorder.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

#ifdef RILL_SNDFILE
#include <sndfile.h>
#else
enum { SF_FORMAT_AIFF, SF_FORMAT_FLAC, SF_FORMAT_OGG, SF_FORMAT_VORBIS, SF_FORMAT_MPEG, SF_FORMAT_MPEG_LAYER_III };
#endif

static const SoundFormat formats[] = {
    {"WAV", "wav", 0, 0},
    {"FLAC", "flac", SF_FORMAT_FLAC, 0},
    {"AIFF", "aiff", SF_FORMAT_AIFF, 0},
    {"AIFF", "aif", SF_FORMAT_AIFF, 0},
    {"Ogg Vorbis", "ogg", SF_FORMAT_OGG, SF_FORMAT_VORBIS},
    {"MP3", "mp3", SF_FORMAT_MPEG, SF_FORMAT_MPEG_LAYER_III},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const SoundFormat *sound_format(const char *path)
{
    for (int i = 0; i < FORMATS; i++) {
        if (file_has_extension(path, formats[i].extension)) {
            return &formats[i];
        }
    }
    error_set("cannot write '%s': expected one of the extensions .wav, .flac, .aiff, .aif, .ogg and .mp3", path);
    return NULL;
}

bool sound_is_wav(const SoundFormat *format)
{
    return format == formats;
}

bool sound_is_lossy(const SoundFormat *format)
{
    return format->coding != 0;
}

/* Returns whether the content begins like a file of the formats that libsndfile reads here. */
static bool recognize(const unsigned char *bytes, size_t size)
{
    bool aiff = size >= 12 && memcmp(bytes, "FORM", 4) == 0 && memcmp(bytes + 8, "AIF", 3) == 0;
    bool mp3 = size >= 4 && (memcmp(bytes, "ID3", 3) == 0 || (bytes[0] == 0xff && bytes[1] >= 0xe0));
    return aiff || mp3 || (size >= 4 && (memcmp(bytes, "fLaC", 4) == 0 || memcmp(bytes, "OggS", 4) == 0));
}

#ifndef RILL_SNDFILE

static bool missing(void)
{
    return error_set(
        "rill was built without libsndfile: install Debian's package libsndfile1-dev and build rill again");
}

static bool decode(const unsigned char *bytes, size_t size, WavSound *sound, StrBuf *samples)
{
    (void)bytes, (void)size, (void)sound, (void)samples;
    return missing();
}

static bool encode(const SoundFormat *format, const WavSound *sound, const double *samples, bool whole, int quality,
                   StrBuf *bytes)
{
    (void)format, (void)sound, (void)samples, (void)whole, (void)quality, (void)bytes;
    return missing();
}

#else

enum { CHUNK = 1 << 14, MOST_SAMPLES = INT32_MAX }; /* CHUNK: samples that are converted together */

/* A file in memory: `bytes` is read, `text` is written. */
typedef struct Memory {
    const unsigned char *bytes;
    StrBuf *text;
    sf_count_t size, at;
} Memory;

static sf_count_t memory_length(void *self)
{
    return ((Memory *)self)->size;
}

static sf_count_t memory_tell(void *self)
{
    return ((Memory *)self)->at;
}

static sf_count_t memory_seek(sf_count_t offset, int whence, void *self)
{
    Memory *m = self;
    sf_count_t from = whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->size : 0;
    if (offset < -from || offset > m->size - from) {
        return -1;
    }
    m->at = from + offset;
    return m->at;
}

static sf_count_t memory_read(void *to, sf_count_t count, void *self)
{
    Memory *m = self;
    sf_count_t some = count < m->size - m->at ? count : m->size - m->at;
    if (some <= 0) {
        return 0;
    }
    memcpy(to, (m->bytes ? (const char *)m->bytes : m->text->text) + m->at, (size_t)some);
    m->at += some;
    return some;
}

static sf_count_t memory_write(const void *from, sf_count_t count, void *self)
{
    Memory *m = self;
    sf_count_t over = count < m->size - m->at ? count : m->size - m->at;
    if (!m->text || m->text->failed || count <= 0) {
        return 0;
    }
    if (over > 0) {
        memcpy(m->text->text + m->at, from, (size_t)over);
    }
    strbuf_add_bytes(m->text, (const char *)from + over, (size_t)(count - over));
    m->at += count;
    m->size = (sf_count_t)m->text->length;
    return m->text->failed ? 0 : count;
}

static SF_VIRTUAL_IO memory_io = {memory_length, memory_seek, memory_read, memory_write, memory_tell};

/* Returns the bytes of an integer sample of an encoding; 0 for floats, and for encodings with losses. */
static int integer_bytes(int format)
{
    switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8: return 1;
    case SF_FORMAT_PCM_16: return 2;
    case SF_FORMAT_PCM_24: return 3;
    case SF_FORMAT_PCM_32: return 4;
    default: return 0;
    }
}

/* Writes samples in the form of `sound`. */
static void pack_integers(const int *from, size_t count, const WavSound *sound, unsigned char *to)
{
    for (size_t i = 0; i < count; i++) {
        int32_t sample = from[i] >> (32 - 8 * sound->bytes);
        byteorder_put(to + i * (size_t)sound->bytes, sound->bytes,
                      (uint64_t)(sound->bytes == 1 ? sample + 128 : sample));
    }
}

/* The buffer of a conversion. */
typedef union Numbers {
    int integers[CHUNK];
    float floats[CHUNK];
    double doubles[CHUNK];
} Numbers;

static bool read_samples(SNDFILE *file, const WavSound *sound, StrBuf *samples)
{
    Numbers from;
    unsigned char to[CHUNK * sizeof(double)];
    sf_count_t most = CHUNK / sound->channels * sound->channels, got;
    size_t total = 0;
    do {
        got = !sound->floats      ? sf_read_int(file, from.integers, most)
              : sound->bytes == 8 ? sf_read_double(file, from.doubles, most)
                                  : sf_read_float(file, from.floats, most);
        size_t count = got > 0 ? (size_t)got : 0, bytes = count * (size_t)sound->bytes;
        total += count;
        if (total > MOST_SAMPLES) {
            return error_set("it has more than %d samples", MOST_SAMPLES);
        }
        if (sound->floats) {
            byteorder_convert(&from, (size_t)sound->bytes, count, true);
            memcpy(to, &from, bytes);
        } else {
            pack_integers(from.integers, count, sound, to);
        }
        strbuf_add_bytes(samples, to, bytes);
    } while (got > 0 && !samples->failed);
    return !samples->failed || error_set("out of host memory");
}

static bool decode(const unsigned char *bytes, size_t size, WavSound *sound, StrBuf *samples)
{
    Memory memory = {.bytes = bytes, .size = (sf_count_t)size};
    SF_INFO info = {0};
    /* libsndfile reads the samples that are there. */
    if (bytes[0] == 'F' && byteorder_get_big(bytes + 4, 4) + 8 > size) {
        return error_set("the AIFF file is truncated: it should have %llu bytes, but has %zu",
                         (unsigned long long)byteorder_get_big(bytes + 4, 4) + 8, size);
    }
    SNDFILE *file = sf_open_virtual(&memory_io, SFM_READ, &info, &memory);
    if (!file) {
        return error_set("it is damaged: libsndfile reports \"%s\"", sf_strerror(NULL));
    }
    sound->rate = (uint32_t)info.samplerate;
    sound->channels = info.channels;
    sound->bytes = integer_bytes(info.format);
    sound->floats = sound->bytes == 0;
    if (sound->floats) {
        sound->bytes = (info.format & SF_FORMAT_SUBMASK) == SF_FORMAT_DOUBLE ? 8 : 4;
    }
    bool done = info.channels >= 1 && info.channels <= 1024 && info.samplerate >= 1;
    done = done ? read_samples(file, sound, samples)
                : error_set("it is damaged: %d channels, %d frames per second", info.channels, info.samplerate);
    int failure = sf_error(file);
    if (done && failure) {
        done = error_set("it is damaged: libsndfile reports \"%s\"", sf_error_number(failure));
    }
    sf_close(file);
    size_t block = (size_t)(sound->channels * sound->bytes);
    if (done && info.frames != (sf_count_t)(samples->length / block) && integer_bytes(info.format)) {
        done = error_set("it is truncated: it should have %lld frames, but has %zu", (long long)info.frames,
                         samples->length / block);
    }
    sound->frames = done ? samples->length / block : 0;
    sound->data = (const unsigned char *)samples->text;
    return done;
}

/* Returns the encoding of libsndfile, without the format; 0 if there is none. */
static int encoding_of(const SoundFormat *format, const WavSound *sound)
{
    static const int integers[] = {SF_FORMAT_PCM_S8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32};
    if (format->coding) {
        return format->coding;
    }
    if (sound->floats) {
        return sound->bytes == 8 ? SF_FORMAT_DOUBLE : SF_FORMAT_FLOAT;
    }
    return integers[sound->bytes - 1];
}

/* Converts samples to numbers for libsndfile: to integers of 32 bits for encodings of integers, otherwise to doubles. */
static void fill(Numbers *to, const WavSound *sound, bool lossy, const double *from, size_t count, bool whole)
{
    for (size_t i = 0; i < count; i++) {
        if (lossy) {
            double value = whole ? ldexp(from[i], 1 - 8 * sound->bytes) : from[i];
            to->doubles[i] = isnan(value) ? 0 : fmax(-1, fmin(value, 1));
        } else if (sound->floats) {
            to->doubles[i] = from[i];
        } else {
            unsigned char bytes[4];
            WavSound one = {.bytes = sound->bytes, .data = bytes};
            wav_put(&one, bytes, from[i], whole);
            to->integers[i] = (int)((uint32_t)wav_integer(&one, 0) << (32 - 8 * sound->bytes));
        }
    }
}

static bool write_samples(SNDFILE *file, const WavSound *sound, bool lossy, const double *samples, bool whole)
{
    Numbers numbers;
    size_t count = sound->frames * (size_t)sound->channels,
           most = CHUNK / (size_t)sound->channels * (size_t)sound->channels;
    for (size_t i = 0; i < count;) {
        size_t some = count - i < most ? count - i : most;
        fill(&numbers, sound, lossy, samples + i, some, whole);
        bool integers = !lossy && !sound->floats;
        sf_count_t done = integers ? sf_write_int(file, numbers.integers, (sf_count_t)some)
                                   : sf_write_double(file, numbers.doubles, (sf_count_t)some);
        if (done != (sf_count_t)some) {
            return error_set("libsndfile reports \"%s\"", sf_strerror(file));
        }
        i += some;
    }
    return true;
}

static bool encode(const SoundFormat *format, const WavSound *sound, const double *samples, bool whole, int quality,
                   StrBuf *bytes)
{
    Memory memory = {.text = bytes};
    SF_INFO info = {.samplerate = sound->rate <= INT32_MAX ? (int)sound->rate : 0,
                    .channels = sound->channels,
                    .format = format->major | encoding_of(format, sound)};
    SNDFILE *file = sf_format_check(&info) ? sf_open_virtual(&memory_io, SFM_WRITE, &info, &memory) : NULL;
    if (!file) {
        return format->coding ? error_set("%s cannot hold %d channels at %u frames per second", format->name,
                                          sound->channels, (unsigned)sound->rate)
                              : error_set("%s cannot hold %d channels of %s of %d bits at %u frames per second",
                                          format->name, sound->channels, sound->floats ? "floats" : "integers",
                                          8 * sound->bytes, (unsigned)sound->rate);
    }
    double part = quality / 100.0;
    if (quality) {
        sf_command(file, SFC_SET_VBR_ENCODING_QUALITY, &part, sizeof part);
    }
    bool done = write_samples(file, sound, format->coding != 0, samples, whole);
    int failure = sf_close(file);
    if (done && failure) {
        done = error_set("libsndfile reports \"%s\"", sf_error_number(failure));
    }
    return done && (!bytes->failed || error_set("out of host memory"));
}

#endif

bool sound_decode(const unsigned char *bytes, size_t size, WavSound *sound, StrBuf *samples)
{
    *sound = (WavSound){0};
    return recognize(bytes, size) ? decode(bytes, size, sound, samples) : wav_decode(bytes, size, sound);
}

bool sound_write(const char *path, const SoundFormat *format, const WavSound *sound, const double *samples, bool whole,
                 int quality)
{
    if (sound_is_wav(format)) {
        return wav_write(path, sound, samples, whole);
    }
    StrBuf bytes = STRBUF_EMPTY;
    bool done = (!whole || sound_is_lossy(format) || wav_check_range(sound, samples)) &&
                encode(format, sound, samples, whole, quality, &bytes);
    FilePart part = {bytes.text, bytes.length};
    done = done ? file_write(path, &part, 1) : error_prefix("cannot write '%s'", path);
    strbuf_free(&bytes);
    return done;
}
