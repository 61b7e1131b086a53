#include "io/array/tiles.h"

#include "base/error.h"
#include "base/thread/thread.h"
#include "base/timer.h"
#include "io/byteorder.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Transfer {
    struct Transfer *next;
    int buffer;
    bool write;
    size_t first, count, at;
} Transfer;

struct Tiles {
    TilesLayout layout;
    char *path;      /* for messages */
    FileDraft draft; /* of a file that is written */
    int handle;
    bool is_source;
    size_t stride; /* bytes of a number in buffers */
    unsigned char *memory[TILES_BUFFERS];
    size_t flushed; /* the bytes that the disk has */

    pthread_t thread;
    pthread_mutex_t lock; /* protects the following fields */
    pthread_cond_t posted, done;
    Transfer *queue, **last;
    int pending[TILES_BUFFERS];
    double busy;
    bool started, stop, failed;
    char problem[1024];
};

static int64_t modified_of(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

bool tiles_status(const char *path, int64_t *size, int64_t *modified)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return error_set("%s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set("it is not a regular file");
    }
    *size = (int64_t)status.st_size;
    *modified = modified_of(&status);
    return true;
}

/* Describes the directory of a path. Returns false if it does not exist. */
static bool directory_status(const char *path, struct stat *status)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool done = directory && stat(directory, status) == 0;
    free(directory);
    return done;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tiles_same(const char *a, const char *b)
{
    struct stat first, second;
    bool exists = stat(a, &first) == 0;
    if (exists != (stat(b, &second) == 0)) {
        return false;
    }
    bool known = exists || (strcmp(base_name(a), base_name(b)) == 0 && directory_status(a, &first) &&
                            directory_status(b, &second));
    return known && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* Returns false with error_set if the source is no longer the file that was described. */
static bool check_source(const Tiles *tiles)
{
    struct stat status;
    if (fstat(tiles->handle, &status) != 0) {
        return error_set("%s", strerror(errno));
    }
    if (status.st_size < tiles->layout.size) {
        return error_set("the file was truncated from %lld to %lld bytes while it was used",
                         (long long)tiles->layout.size, (long long)status.st_size);
    }
    if (status.st_size != tiles->layout.size || modified_of(&status) != tiles->layout.modified) {
        return error_set("the file was changed while it was used");
    }
    return true;
}

/* Reads or writes bytes at an offset. */
static bool move(const Tiles *tiles, bool write, unsigned char *bytes, size_t size, size_t offset)
{
    for (size_t done = 0; done < size;) {
        off_t at = (off_t)(offset + done);
        ssize_t count = write ? pwrite(tiles->handle, bytes + done, size - done, at)
                              : pread(tiles->handle, bytes + done, size - done, at);
        if (count < 0 && errno != EINTR) {
            return error_set("%s", strerror(errno));
        }
        if (count == 0) {
            return error_set(write ? "the disk is full" : "the file was truncated while it was used");
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Converts the numbers of a file, at the end of `bytes` if they are narrower than those of buffers, in place. */
static bool convert_read(const TilesLayout *layout, unsigned char *bytes, size_t count, size_t first)
{
    byteorder_convert(bytes, npy_kind_bytes(layout->kind), count, layout->little);
    if (layout->kind != layout->memory) {
        NpyArray array = {.kind = layout->kind, .count = count, .data = bytes};
        return npy_convert(&array, layout->memory, false) || error_prefix("in the tile from element %zu on", first);
    }
    return true;
}

static void widen(const unsigned char *narrow, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = narrow[i] != 0;
        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
}

static void narrow(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        bytes[i] = word != 0;
    }
}

static bool read_numbers(const Tiles *tiles, const Transfer *transfer)
{
    const TilesLayout *layout = &tiles->layout;
    size_t width = npy_kind_bytes(layout->kind), count = transfer->count;
    unsigned char *bytes = tiles->memory[transfer->buffer] + transfer->at * tiles->stride;
    bool is_bool = layout->kind == NPY_B1;
    unsigned char *place = is_bool ? bytes + count * (tiles->stride - width) : bytes;
    if (!move(tiles, false, place, count * width, layout->start + transfer->first * width)) {
        return tiles->is_source && check_source(tiles) ? error_prefix("cannot read") : false;
    }
    if (is_bool) {
        widen(place, bytes, count);
    }
    return (is_bool || convert_read(layout, bytes, count, transfer->first)) &&
           (!tiles->is_source || check_source(tiles));
}

/* Begins to write the last range to the disk, and waits for ranges that are far behind, so that a limited number of pages
 * of the cache wait to be written. */
static void flush(Tiles *tiles, size_t offset, size_t size)
{
    const size_t window = (size_t)32 << 20;
    sync_file_range(tiles->handle, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
    if (offset > tiles->flushed + window) {
        unsigned flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
        sync_file_range(tiles->handle, (off_t)tiles->flushed, (off_t)(offset - window - tiles->flushed), flags);
        tiles->flushed = offset - window;
    }
}

static bool write_numbers(Tiles *tiles, const Transfer *transfer)
{
    const TilesLayout *layout = &tiles->layout;
    size_t width = npy_kind_bytes(layout->kind), offset = layout->start + transfer->first * width;
    unsigned char *bytes = tiles->memory[transfer->buffer] + transfer->at * tiles->stride;
    if (layout->kind == NPY_B1) {
        narrow(bytes, transfer->count);
    }
    if (!move(tiles, true, bytes, transfer->count * width, offset)) {
        return false;
    }
    if (tiles->draft.name) {
        flush(tiles, offset, transfer->count * width);
    }
    return true;
}

static void *work(void *argument)
{
    Tiles *tiles = argument;
    pthread_mutex_lock(&tiles->lock);
    for (;;) {
        while (!tiles->queue && !tiles->stop) {
            pthread_cond_wait(&tiles->posted, &tiles->lock);
        }
        Transfer *transfer = tiles->queue;
        if (!transfer) {
            break;
        }
        bool skip = tiles->failed || tiles->stop;
        pthread_mutex_unlock(&tiles->lock);
        double begin = timer_clock();
        bool ok = skip || (transfer->write ? write_numbers(tiles, transfer) : read_numbers(tiles, transfer));
        pthread_mutex_lock(&tiles->lock);
        tiles->busy += timer_clock() - begin;
        if (!ok) {
            tiles->failed = true;
            strncpy(tiles->problem, error_message(), sizeof tiles->problem - 1);
        }
        tiles->queue = transfer->next;
        tiles->last = tiles->queue ? tiles->last : &tiles->queue;
        tiles->pending[transfer->buffer]--;
        free(transfer);
        pthread_cond_broadcast(&tiles->done);
    }
    pthread_mutex_unlock(&tiles->lock);
    return NULL;
}

static bool start(Tiles *tiles)
{
    int code = thread_start(&tiles->thread, work, tiles);
    tiles->started = code == 0;
    return tiles->started || error_set("cannot start a thread: %s", strerror(code));
}

static Tiles *create(const char *path, const TilesLayout *layout)
{
    Tiles *tiles = calloc(1, sizeof *tiles);
    if (!tiles) {
        error_set("out of host memory");
        return NULL;
    }
    tiles->layout = *layout;
    tiles->handle = -1;
    tiles->draft.handle = -1;
    tiles->last = &tiles->queue;
    pthread_mutex_init(&tiles->lock, NULL);
    pthread_cond_init(&tiles->posted, NULL);
    pthread_cond_init(&tiles->done, NULL);
    size_t file = npy_kind_bytes(layout->kind);
    tiles->stride = layout->memory == NPY_B1 ? sizeof(uint32_t) : npy_kind_bytes(layout->memory);
    size_t width = file > tiles->stride ? file : tiles->stride;
    tiles->path = strdup(path);
    bool ok = tiles->path != NULL;
    for (int i = 0; i < layout->buffers; i++) {
        tiles->memory[i] = layout->capacity < SIZE_MAX / width ? malloc(layout->capacity * width + 1) : NULL;
        ok = ok && tiles->memory[i];
    }
    if (!ok) {
        error_set("out of host memory for tiles of %zu numbers", layout->capacity);
        tiles_close(tiles);
        return NULL;
    }
    return tiles;
}

/* Returns the tiles if the file was opened and the thread starts, otherwise closes them and returns NULL. */
static Tiles *opened(Tiles *tiles, bool ok)
{
    if (ok && start(tiles)) {
        return tiles;
    }
    tiles_close(tiles);
    return NULL;
}

Tiles *tiles_read(const char *path, const TilesLayout *layout)
{
    Tiles *tiles = create(path, layout);
    if (!tiles) {
        return NULL;
    }
    tiles->is_source = true;
    tiles->handle = open(path, O_RDONLY | O_CLOEXEC);
    if (tiles->handle < 0) {
        return opened(tiles, error_set("cannot read '%s': %s", path, strerror(errno)));
    }
    posix_fadvise(tiles->handle, 0, 0, POSIX_FADV_SEQUENTIAL);
    return opened(tiles, check_source(tiles) || error_prefix("cannot read '%s'", path));
}

Tiles *tiles_write(const char *path, const TilesLayout *layout)
{
    Tiles *tiles = create(path, layout);
    if (!tiles) {
        return NULL;
    }
    bool ok = file_draft_open(path, &tiles->draft);
    tiles->handle = tiles->draft.handle;
    return opened(tiles, ok);
}

Tiles *tiles_scratch(const char *path, const TilesLayout *layout)
{
    Tiles *tiles = create(path, layout);
    if (!tiles) {
        return NULL;
    }
    bool ok = file_draft_open(path, &tiles->draft);
    tiles->handle = ok ? dup(tiles->draft.handle) : -1;
    file_draft_discard(&tiles->draft);
    if (tiles->handle >= 0) {
        posix_fadvise(tiles->handle, 0, 0, POSIX_FADV_RANDOM);
    }
    return opened(tiles, ok && (tiles->handle >= 0 || error_set("cannot write '%s': %s", path, strerror(errno))));
}

void *tiles_memory(Tiles *tiles, int buffer)
{
    return tiles->memory[buffer];
}

bool tiles_post(Tiles *tiles, int buffer, bool write, size_t first, size_t count, size_t at)
{
    Transfer *transfer = malloc(sizeof *transfer);
    if (!transfer) {
        return error_set("out of host memory");
    }
    if (!write && !tiles->is_source) { /* many small ranges: the system begins to read them together */
        size_t width = npy_kind_bytes(tiles->layout.kind);
        posix_fadvise(tiles->handle, (off_t)(first * width), (off_t)(count * width), POSIX_FADV_WILLNEED);
    }
    *transfer = (Transfer){.buffer = buffer, .write = write, .first = first, .count = count, .at = at};
    pthread_mutex_lock(&tiles->lock);
    *tiles->last = transfer;
    tiles->last = &transfer->next;
    tiles->pending[buffer]++;
    pthread_cond_signal(&tiles->posted);
    pthread_mutex_unlock(&tiles->lock);
    return true;
}

bool tiles_wait(Tiles *tiles, int buffer)
{
    pthread_mutex_lock(&tiles->lock);
    while (tiles->pending[buffer] > 0) {
        pthread_cond_wait(&tiles->done, &tiles->lock);
    }
    bool ok = !tiles->failed || error_set("'%s': %s", tiles->path, tiles->problem);
    pthread_mutex_unlock(&tiles->lock);
    return ok;
}

/* Writes a header whose text ends `start` bytes after the beginning of the file, where its padding allows for it. */
static bool write_header(Tiles *tiles, const NpyArray *header)
{
    StrBuf bytes = STRBUF_EMPTY;
    npy_start(header, &bytes);
    size_t start = tiles->layout.start, used = bytes.length;
    while (!bytes.failed && bytes.length < start) {
        strbuf_add(&bytes, " ");
    }
    bool ok = !bytes.failed && bytes.length == start;
    if (ok) {
        enum { PREFIX = 10 }; /* the bytes before the text in version 1.0; its length is in the last two */
        bytes.text[used - 1] = ' ';
        bytes.text[start - 1] = '\n';
        byteorder_put((unsigned char *)bytes.text + PREFIX - 2, 2, start - PREFIX);
        ok = file_draft_patch(&tiles->draft, 0, bytes.text, start);
    } else {
        error_set("cannot write '%s': no room for its header", tiles->path);
    }
    strbuf_free(&bytes);
    return ok;
}

bool tiles_finish(Tiles *tiles, const NpyArray *header)
{
    for (int i = 0; i < tiles->layout.buffers; i++) {
        if (!tiles_wait(tiles, i)) {
            return false;
        }
    }
    if (tiles->is_source) {
        return check_source(tiles) || error_prefix("'%s'", tiles->path);
    }
    if (!tiles->draft.name) {
        return true;
    }
    if (header && !write_header(tiles, header)) {
        return false;
    }
    tiles->handle = -1;
    return file_draft_commit(&tiles->draft);
}

double tiles_busy(Tiles *tiles)
{
    pthread_mutex_lock(&tiles->lock);
    double busy = tiles->busy;
    pthread_mutex_unlock(&tiles->lock);
    return busy;
}

void tiles_close(Tiles *tiles)
{
    if (tiles->started) {
        pthread_mutex_lock(&tiles->lock);
        tiles->stop = true;
        pthread_cond_signal(&tiles->posted);
        pthread_mutex_unlock(&tiles->lock);
        pthread_join(tiles->thread, NULL);
    }
    if (tiles->handle >= 0 && tiles->handle != tiles->draft.handle) {
        close(tiles->handle);
    }
    file_draft_discard(&tiles->draft);
    for (int i = 0; i < TILES_BUFFERS; i++) {
        free(tiles->memory[i]);
    }
    pthread_mutex_destroy(&tiles->lock);
    pthread_cond_destroy(&tiles->posted);
    pthread_cond_destroy(&tiles->done);
    free(tiles->path);
    free(tiles);
}
