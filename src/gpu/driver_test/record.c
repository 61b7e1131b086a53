/* Keeps the measures of a driver version in a small text file, and a marker file during a test. If a record
 * cannot be read or written, the driver is tested again. */
#include "base/strbuf.h"
#include "gpu/context/device_private.h"
#include "gpu/driver_test/driver_test_private.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DRIVER_TEST_VERSION = 9, PATH_ROOM = CACHE_PATH_ROOM };

/* --- keys --- */

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    }
    return hash;
}

static const uint64_t HASH_START = 14695981039346656037u;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* Returns whether an environment variable ("NAME=value") may change a driver's results. */
static bool changes_driver(const char *variable)
{
    static const char *const prefixes[] = {"ZINK_", "LP_",  "GALLIUM_", "GALLIVM_", "MESA_", "LIBGL_",   "NIR_", "VK_",
                                           "LVP_",  "RADV", "AMD_",     "INTEL_",   "NVK_",  "NOUVEAU_", "__GL_"};
    static const char *const names[] = {"LD_PRELOAD=", "LD_LIBRARY_PATH=", "DRI_PRIME=", "mesa_glthread="};
    if (strncmp(variable, "MESA_", 5) == 0 && strstr(variable, "_CACHE")) {
        return false;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Hashes the processor's model and features as reported by the kernel. A software driver generates code for
 * them, and machines may share a home directory. */
static uint64_t hash_processor(void)
{
    static const char *const lines[] = {"vendor_id", "cpu family", "model",    "stepping",
                                        "flags",     "CPU ",       "Features", "isa"};
    uint64_t hash = HASH_START;
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 1) { /* reads the first processor; an empty line ends it */
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            hash = strncmp(line, lines[i], strlen(lines[i])) == 0 ? hash_text(hash, line) : hash;
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return hash;
}

uint64_t driver_test_key(const Device *device)
{
    uint64_t key = HASH_START, surroundings = 0;
    char version[32];
    snprintf(version, sizeof version, "trial %d", DRIVER_TEST_VERSION);
    key = hash_text(key, version);
    key = hash_text(key, device->info.name);
    key = hash_text(key, device->info.vendor);
    key = hash_text(key, device->info.version);
    for (char **variable = environ; variable && *variable; variable++) {
        if (changes_driver(*variable)) {
            surroundings += hash_text(HASH_START, *variable); /* the order of the variables does not matter */
        }
    }
    return key ^ surroundings ^ (device->info.software ? hash_processor() : 0);
}

static bool path_of(uint64_t key, const char *ending, char path[PATH_ROOM])
{
    char directory[CACHE_PATH_ROOM];
    return driver_cache_directory(directory) &&
           snprintf(path, PATH_ROOM, "%s/trial-%016llx%s", directory, (unsigned long long)key, ending) < PATH_ROOM;
}

/* --- records --- */

static void add_measures(StrBuf *text, const DriverTestMeasures *measures)
{
#define X(name) strbuf_addf(text, #name " %u\n", measures->name);
    DRIVER_TEST_MEASURES(X)
#undef X
}

static bool read_measures(const char *text, DriverTestMeasures *measures)
{
    bool good = true;
    int used = 0;
#define X(name)                                                                                                        \
    good = good && sscanf(text, #name " %u\n%n", &measures->name, &used) == 1 && used > 0;                             \
    text += good ? used : 0;                                                                                           \
    used = 0;
    DRIVER_TEST_MEASURES(X)
#undef X
    return good && *text == '\0';
}

/* The text that is returned excludes the checksum. */
bool driver_test_read(uint64_t key, const char *ending, char text[DRIVER_TEST_RECORD_ROOM])
{
    char path[PATH_ROOM];
    FILE *file = path_of(key, ending, path) ? fopen(path, "rbe") : NULL;
    if (!file) {
        return false;
    }
    size_t length = fread(text, 1, DRIVER_TEST_RECORD_ROOM - 1, file);
    fclose(file);
    text[length] = '\0';
    char *sum = strstr(text, "\nsum ");
    char wanted[32];
    if (!sum || strlen(text) != length) {
        return false;
    }
    sum++;
    snprintf(wanted, sizeof wanted, "sum %016llx\n",
             (unsigned long long)hash_bytes(HASH_START, text, (size_t)(sum - text)));
    bool same = strcmp(sum, wanted) == 0;
    *sum = '\0';
    return same;
}

bool driver_test_recall(uint64_t key, DriverTestMeasures *measures)
{
    char text[DRIVER_TEST_RECORD_ROOM];
    int version = 0, used = 0;
    if (!driver_test_read(key, "", text) || sscanf(text, "rill trial %d\n%n", &version, &used) != 1 ||
        version != DRIVER_TEST_VERSION || used == 0) {
        return false;
    }
    const char *at = strstr(text, "\n"
                                  "measures\n");
    return at && read_measures(at + sizeof "\nmeasures", measures);
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written <= 0) {
            return false;
        }
        text += written;
        length -= (size_t)written;
    }
    return true;
}

void driver_test_write(uint64_t key, const char *ending, StrBuf *text)
{
    char path[PATH_ROOM], temporary[PATH_ROOM + 16];
    if (!path_of(key, ending, path)) {
        return;
    }
    const uint64_t sum = text->failed ? 0 : hash_bytes(HASH_START, text->text, text->length);
    strbuf_addf(text, "sum %016llx\n", (unsigned long long)sum);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int file = text->failed ? -1 : mkostemp(temporary, O_CLOEXEC);
    if (file >= 0) {
        bool written = write_all(file, text->text, text->length);
        written = close(file) == 0 && written;
        if (!written || rename(temporary, path) != 0) {
            unlink(temporary);
        }
    }
}

void driver_test_keep(uint64_t key, const Device *device, const DriverTestMeasures *measures)
{
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "rill trial %d\nrenderer %s\nvendor %s\nversion %s\nmeasures\n", DRIVER_TEST_VERSION,
                device->info.name, device->info.vendor, device->info.version);
    add_measures(&text, measures);
    driver_test_write(key, "", &text);
    strbuf_free(&text);
}

/* --- marker files --- */

/* The number of failures in a row after which a driver is refused. A single process may be killed for other
 * reasons. */
enum { MOST_FAILURES = 3 };

/* Returns the seconds for which a driver is refused: ten minutes, ten times longer for each further failure, at
 * most a week. */
static double refusal_seconds(int failures)
{
    double seconds = failures < MOST_FAILURES ? 0 : 600;
    for (int i = MOST_FAILURES; i < failures && seconds < 604800; i++) {
        seconds *= 10;
    }
    return seconds < 604800 ? seconds : 604800;
}

/* Opens and locks a file, and checks that the path still refers to it. The lock ends with the process. Returns
 * -1 on failure. */
static int open_locked(const char *path)
{
    struct stat info;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &info) != 0 || info.st_nlink == 0)) {
        close(file);
        return -1;
    }
    return file;
}

/* Reads the number of processes in a row that ended without removing the marker. */
static int read_failures(int file)
{
    char text[16] = "";
    int failures = 0;
    return pread(file, text, sizeof text - 1, 0) > 0 && sscanf(text, "%d", &failures) == 1 && failures > 0 ? failures
                                                                                                           : 0;
}

static bool write_failures(int file, int failures)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d\n", failures);
    return ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) == length;
}

bool driver_test_mark(uint64_t key, const Device *device, DriverTestMark *mark)
{
    struct stat info;
    mark->file = path_of(key, ".tried", mark->path) ? open_locked(mark->path) : -1;
    if (mark->file < 0) {
        return true; /* no writable directory, or another process is testing the driver */
    }
    int failures = read_failures(mark->file);
    double rest = fstat(mark->file, &info) == 0 ? refusal_seconds(failures) - difftime(time(NULL), info.st_mtime) : 0;
    if (rest > 0) {
        close(mark->file);
        return error_set(
            "\"%s\" (%s) is refused: %d processes in a row crashed or hung while they tested this driver. It "
            "is tested again in %.0f minutes, or when %s is removed; RILL_TRUST=1 uses it without a test",
            device->info.name, device->info.version, failures, rest / 60 + 0.5, mark->path);
    }
    write_failures(mark->file, failures + 1);
    return true;
}

void driver_test_unmark(DriverTestMark *mark)
{
    if (mark->file >= 0) {
        /* The file is emptied first, so that a process that waits for the lock does not count it as a failure. */
        if (ftruncate(mark->file, 0) != 0 || unlink(mark->path) != 0) {
            mark->path[0] = '\0';
        }
        close(mark->file);
        mark->file = -1;
    }
}

/* --- results --- */

void driver_test_note(DriverTest *test, const char *name, DriverTestVerdict verdict, const char *format, ...)
{
    if (test->count == DRIVER_TEST_LINES) {
        return;
    }
    DriverTestLine *line = &test->lines[test->count++];
    *line = (DriverTestLine){.name = name, .verdict = verdict};
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line->text, sizeof line->text, format, arguments);
        va_end(arguments);
    }
}
