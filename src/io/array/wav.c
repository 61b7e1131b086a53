#include "io/array/wav.h"

#include "base/error.h"
#include "io/byteorder.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

enum { PCM = 1, FLOATS = 3, EXTENSIBLE = 0xfffe, FORMAT = 16, EXTENSION = 26, CHUNK = 8, RIFF = 12, BUFFER = 1 << 16 };

bool wav_recognize(const unsigned char *bytes, size_t size)
{
    return size >= RIFF && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WAVE", 4) == 0;
}

static bool read_format(const unsigned char *chunk, size_t size, WavSound *sound)
{
    if (size < FORMAT) {
        return error_set("the WAV file is damaged: its format chunk has %zu bytes", size);
    }
    unsigned format = (unsigned)byteorder_get(chunk, 2), bits = (unsigned)byteorder_get(chunk + 14, 2);
    unsigned block = (unsigned)byteorder_get(chunk + 12, 2);
    if (format == EXTENSIBLE && size >= EXTENSION) {
        format = (unsigned)byteorder_get(chunk + 24, 2);
    }
    if (format != PCM && format != FLOATS) {
        return error_set("the WAV file's samples have the format %u: expected 1 (integers) or 3 (floats); compressed "
                         "sound is not supported",
                         format);
    }
    sound->channels = (int)byteorder_get(chunk + 2, 2);
    sound->rate = (uint32_t)byteorder_get(chunk + 4, 4);
    sound->floats = format == FLOATS;
    sound->bytes = (int)((bits + 7) / 8);
    bool known = sound->floats ? bits == 32 || bits == 64 : bits >= 1 && bits <= 32;
    if (!known) {
        return error_set("the WAV file's samples have %u bits: expected integers of up to 32, or floats of 32 or 64",
                         bits);
    }
    if (sound->channels == 0 || block != (unsigned)(sound->channels * sound->bytes) || sound->rate == 0) {
        return error_set("the WAV file is damaged: %d channels of %u bits in frames of %u bytes, %u frames per second",
                         sound->channels, bits, block, sound->rate);
    }
    return true;
}

static bool read_data(const unsigned char *chunk, size_t size, WavSound *sound)
{
    size_t block = (size_t)(sound->channels * sound->bytes);
    if (sound->channels == 0) {
        return error_set("the WAV file is damaged: its samples precede their format");
    }
    if (size % block != 0) {
        return error_set("the WAV file is truncated: its last frame has only %zu of %zu bytes", size % block, block);
    }
    sound->data = chunk;
    sound->frames = size / block;
    return true;
}

/* Returns whether a text consists of chunks: identifiers of visible characters, lengths and contents. */
static bool are_chunks(const unsigned char *bytes, size_t size)
{
    while (size >= CHUNK) {
        for (int i = 0; i < 4; i++) {
            if (bytes[i] < ' ' || bytes[i] > '~') {
                return false;
            }
        }
        size_t length = byteorder_get(bytes + 4, 4);
        if (length > size - CHUNK) {
            return false;
        }
        length += CHUNK + (size_t)(length % 2 && length < size - CHUNK);
        bytes += length;
        size -= length;
    }
    return size == 0;
}

/* Returns whether the length of a chunk of samples is unknown because the program that wrote it wrote to a pipe.
 * `left`: the number of bytes that follow. */
static bool is_open_end(const unsigned char *chunk, size_t length, size_t left)
{
    bool padded = left == 1 && chunk[0] == 0;
    return length == UINT32_MAX || (length == 0 && !padded && !are_chunks(chunk, left));
}

bool wav_decode(const unsigned char *bytes, size_t size, WavSound *sound)
{
    *sound = (WavSound){0};
    if (!wav_recognize(bytes, size)) {
        return error_set(size ? "it is not a WAV file" : "the file is empty");
    }
    for (size_t at = RIFF; size - at >= CHUNK;) {
        const unsigned char *chunk = bytes + at + CHUNK;
        size_t left = size - at - CHUNK, length = byteorder_get(bytes + at + 4, 4);
        bool is_data = memcmp(bytes + at, "data", 4) == 0;
        if (is_data && is_open_end(chunk, length, left)) {
            length = left;
        }
        if (length > left) {
            return error_set("the WAV file is truncated: a chunk should have %zu bytes, but only %zu follow", length,
                             left);
        }
        if (is_data) {
            return read_data(chunk, length, sound);
        }
        if (memcmp(bytes + at, "fmt ", 4) == 0 && !read_format(chunk, length, sound)) {
            return false;
        }
        at += CHUNK + length + (length % 2 && length < left);
    }
    return error_set("the WAV file is truncated: it has no samples");
}

int32_t wav_integer(const WavSound *sound, size_t i)
{
    const unsigned char *at = sound->data + i * (size_t)sound->bytes;
    switch (sound->bytes) { /* one case for each size is faster than a loop over bytes */
    case 1: return *at - 128;
    case 2: return (int16_t)(at[0] | at[1] << 8);
    case 3: return (int32_t)((uint32_t)at[0] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 24) >> 8;
    default: return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
    }
}

double wav_sample(const WavSound *sound, size_t i)
{
    if (!sound->floats) {
        static const double units[] = {0, 1.0 / 0x80, 1.0 / 0x8000, 1.0 / 0x800000, 1.0 / 0x80000000};
        return wav_integer(sound, i) * units[sound->bytes];
    }
    uint64_t bits = byteorder_get(sound->data + i * (size_t)sound->bytes, sound->bytes);
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return sound->bytes == 8 ? wide : (double)narrow;
}

void wav_floats(const WavSound *sound, float *to)
{
    size_t count = sound->frames * (size_t)sound->channels;
    const unsigned char *at = sound->data;
    bool usual = !sound->floats && sound->bytes == 2; /* the most frequent form */
    for (size_t i = 0; usual && i < count; i++, at += 2) {
        to[i] = (float)(int16_t)(at[0] | at[1] << 8) * (1.0F / 0x8000);
    }
    for (size_t i = 0; !usual && i < count; i++) {
        to[i] = (float)wav_sample(sound, i);
    }
}

/* ---- writing */

/* Writes the header of a file with `size` bytes of samples. Returns its length. */
static size_t put_header(unsigned char *to, const WavSound *sound, size_t size)
{
    size_t format = sound->floats ? FORMAT + 2 : FORMAT, length = RIFF + CHUNK + format;
    size_t block = (size_t)(sound->channels * sound->bytes);
    memcpy(to, "RIFF....WAVEfmt ", 16);
    byteorder_put(to + 16, 4, format);
    byteorder_put(to + 20, 2, sound->floats ? FLOATS : PCM);
    byteorder_put(to + 22, 2, (uint64_t)sound->channels);
    byteorder_put(to + 24, 4, sound->rate);
    byteorder_put(to + 28, 4, sound->rate * block);
    byteorder_put(to + 32, 2, block);
    byteorder_put(to + 34, 2, (uint64_t)sound->bytes * 8);
    if (sound->floats) {
        /* The format chunk of floats has an empty extension, and a chunk with the number of frames follows. */
        byteorder_put(to + 36, 2, 0);
        memcpy(to + length, "fact", 4);
        byteorder_put(to + length + 4, 4, 4);
        byteorder_put(to + length + 8, 4, sound->frames);
        length += CHUNK + 4;
    }
    memcpy(to + length, "data", 4);
    byteorder_put(to + length + 4, 4, size);
    length += CHUNK;
    byteorder_put(to + 4, 4, length - CHUNK + size + size % 2);
    return length;
}

static void put_float(unsigned char *to, int bytes, double value)
{
    float narrow = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    byteorder_put(to, bytes, bytes == 8 ? bits : low);
}

static void put_integer(unsigned char *to, int bytes, double value, bool whole)
{
    double most = (double)(INT64_C(1) << (8 * bytes - 1)), scaled = whole ? value : value * most;
    int64_t sample = isnan(scaled)        ? 0
                     : scaled <= -most    ? (int64_t)-most
                     : scaled >= most - 1 ? (int64_t)most - 1
                                          : llrint(scaled);
    if (bytes == 2) { /* the most frequent size */
        to[0] = (unsigned char)sample;
        to[1] = (unsigned char)(sample >> 8);
    } else {
        byteorder_put(to, bytes, (uint64_t)(bytes == 1 ? sample + 128 : sample));
    }
}

void wav_put(const WavSound *sound, unsigned char *to, double value, bool whole)
{
    if (sound->floats) {
        put_float(to, sound->bytes, value);
    } else {
        put_integer(to, sound->bytes, value, whole);
    }
}

bool wav_check_range(const WavSound *sound, const double *samples)
{
    size_t count = sound->frames * (size_t)sound->channels;
    double most = ldexp(1, 8 * sound->bytes - 1);
    for (size_t i = 0; i < count; i++) {
        if (samples[i] < -most || samples[i] >= most) {
            return error_set("sample %.0f of frame %zu (0-based) does not fit %d bits", samples[i],
                             i / (size_t)sound->channels, 8 * sound->bytes);
        }
    }
    return true;
}

static bool write_samples(FileDraft *draft, const WavSound *sound, const double *samples, size_t count, bool whole)
{
    unsigned char buffer[BUFFER];
    size_t used = 0, width = (size_t)sound->bytes;
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        wav_put(sound, buffer + used, samples[i], whole);
        used += width;
        if (used + width > sizeof buffer) {
            done = file_draft_write(draft, buffer, used);
            used = 0;
        }
    }
    memset(buffer + used, 0, 1); /* a chunk of odd size is padded */
    return done && file_draft_write(draft, buffer, used + (count * width) % 2);
}

bool wav_write(const char *path, const WavSound *sound, const double *samples, bool whole)
{
    size_t count = sound->frames * (size_t)sound->channels, size = count * (size_t)sound->bytes;
    unsigned char header[RIFF + 4 * CHUNK + FORMAT];
    FileDraft draft;
    if (size > UINT32_MAX - 64) {
        return error_set("cannot write '%s': its samples have more than 4 GiB, the limit of WAV files", path);
    }
    if (whole && !wav_check_range(sound, samples)) {
        return error_prefix("cannot write '%s'", path);
    }
    if (!file_draft_open(path, &draft)) {
        return false;
    }
    size_t length = put_header(header, sound, size);
    if (!file_draft_write(&draft, header, length) || !write_samples(&draft, sound, samples, count, whole)) {
        file_draft_discard(&draft);
        return false;
    }
    return file_draft_commit(&draft);
}
