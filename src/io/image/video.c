#include "io/image/video.h"

#include "base/error.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
    const char *extension;
    const char *muxer;
    const char *pixels; /* pixel format that players expect; NULL: chosen by ffmpeg */
    const char *filter; /* NULL: none */
} formats[] = {
    /* yuv420p needs even sizes: an odd size is padded with a black row or column. */
    {"mp4", "mp4", "yuv420p", "pad=ceil(iw/2)*2:ceil(ih/2)*2"},
    {"webm", "webm", "yuv420p", "pad=ceil(iw/2)*2:ceil(ih/2)*2"},
    {"mkv", "matroska", "yuv420p", "pad=ceil(iw/2)*2:ceil(ih/2)*2"},
    {"gif", "gif", NULL, "split[a][b];[a]palettegen[p];[b][p]paletteuse"},
};

enum { FORMATS = sizeof formats / sizeof formats[0], REPORT = 400 };

static int find_format(const char *path)
{
    for (int i = 0; i < FORMATS; i++) {
        if (file_has_extension(path, formats[i].extension)) {
            return i;
        }
    }
    return -1;
}

bool video_extension(const char *path)
{
    return find_format(path) >= 0;
}

/* Returns whether PATH has a command of this name. */
static bool installed(const char *command)
{
    const char *path = getenv("PATH");
    for (const char *at = path; at && *at;) {
        size_t length = strcspn(at, ":");
        char name[4096];
        int count = snprintf(name, sizeof name, "%.*s/%s", (int)length, at, command);
        if (count > 0 && (size_t)count < sizeof name && access(name, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

bool video_open(const char *path, double fps, Video *video)
{
    *video = (Video){.format = find_format(path), .fps = fps, .feed = -1, .report = -1, .draft.handle = -1};
    if (!installed("ffmpeg")) {
        return error_set("cannot write '%s': %s is written by the program ffmpeg, which is not on PATH; install it, or "
                         "write an animated PNG (a path that ends in .png)",
                         path, file_extension(path));
    }
    return file_draft_open(path, &video->draft);
}

/* Creates an unnamed temporary file for ffmpeg's output. Returns its descriptor, or -1. */
static int report_create(void)
{
    FILE *file = tmpfile();
    int handle = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    if (file) {
        fclose(file);
    }
    return handle;
}

static bool spawn(Video *video, int input, char **words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, video->report, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, video->report, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    /* ffmpeg gets its own process group, so that Ctrl-C interrupts only Lua, which can then complete the file. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int reason = posix_spawnp(&video->child, "ffmpeg", &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (reason != 0) {
        video->child = 0;
        return error_set("cannot start ffmpeg: %s", strerror(reason));
    }
    return true;
}

/* Starts ffmpeg with these arguments, and a socket for its frames. */
static bool launch(Video *video, char **words)
{
    int ends[2];
    video->report = report_create();
    /* A socket, not a pipe: MSG_NOSIGNAL avoids SIGPIPE if ffmpeg has ended. */
    if (video->report < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_set("cannot start ffmpeg: %s", strerror(errno));
    }
    bool ok = spawn(video, ends[1], words);
    close(ends[1]);
    video->feed = ends[0];
    return ok;
}

/* Starts ffmpeg for frames with the size and channels of the first one. */
static bool start(Video *video)
{
    static const char *const channels[] = {"", "gray", "", "rgb24", "rgba"};
    const Image *like = &video->like;
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", like->cols, like->rows);
    snprintf(rate, sizeof rate, "%ld/1000", lround(video->fps * 1000));
    const char *filter = formats[video->format].filter, *pixels = formats[video->format].pixels;
    const char *muxer = formats[video->format].muxer, *depth = channels[like->channels];
    const char *words[32] = {"ffmpeg",        "-hide_banner", "-loglevel",   "error", "-y",         "-f", "rawvideo",
                             "-pixel_format", depth,          "-video_size", size,    "-framerate", rate, "-i",
                             "pipe:0",        "-vf",          filter,        "-f",    muxer};
    int count = 19;
    if (pixels) {
        words[count++] = "-pix_fmt";
        words[count++] = pixels;
    }
    /* Without "file:", ffmpeg may interpret a path as an option or a protocol. */
    StrBuf name = STRBUF_EMPTY;
    strbuf_addf(&name, "file:%s", video->draft.name);
    words[count] = name.text;
    bool ok = name.failed ? error_set("out of host memory") : launch(video, (char **)words);
    strbuf_free(&name);
    return ok;
}

/* Closes ffmpeg's input and waits for it. Returns whether it succeeded. */
static bool finish(Video *video)
{
    int status = -1;
    if (video->feed >= 0) {
        close(video->feed);
        video->feed = -1;
    }
    if (video->child > 0) {
        while (waitpid(video->child, &status, 0) < 0 && errno == EINTR) {
        }
        video->child = 0;
    }
    return status == 0;
}

/* Sets the error to ffmpeg's own message. Returns false. */
static bool report_error(Video *video)
{
    char text[REPORT + 1];
    ssize_t count = pread(video->report, text, REPORT, 0);
    while (count > 0 && (text[count - 1] == '\n' || text[count - 1] == ' ')) {
        count--;
    }
    text[count > 0 ? count : 0] = '\0';
    return error_set("cannot write '%s': ffmpeg failed%s%s", video->draft.path, *text ? ": " : "", text);
}

static bool feed(Video *video, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t done = 0; done < size;) {
        ssize_t count = send(video->feed, bytes + done, size - done, MSG_NOSIGNAL);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            finish(video);
            return report_error(video);
        }
    }
    return true;
}

bool video_frame(Video *video, const Image *image)
{
    Image *like = &video->like;
    if (!like->rows) {
        *like = *image;
        like->data = NULL;
        if (!start(video)) {
            return false;
        }
    }
    if (image->rows != like->rows || image->cols != like->cols) {
        return error_set("the first frame is of %dx%d pixels, this one of %dx%d", like->rows, like->cols, image->rows,
                         image->cols);
    }
    if (image->channels != like->channels) {
        return error_set("the first frame has %d channels, this one %d", like->channels, image->channels);
    }
    if (video->feed < 0) {
        return error_set("ffmpeg has failed before");
    }
    return feed(video, image->data, image_samples(image));
}

bool video_close(Video *video)
{
    bool ok = video->child > 0 || error_set(video->like.rows ? "ffmpeg has failed before" : "no frame was written");
    if (ok) {
        ok = (finish(video) || report_error(video)) && file_draft_commit(&video->draft);
    }
    video_discard(video);
    return ok;
}

void video_discard(Video *video)
{
    if (video->child > 0) {
        kill(video->child, SIGTERM);
        finish(video);
    }
    if (video->report >= 0) {
        close(video->report);
    }
    if (video->feed >= 0) {
        close(video->feed);
    }
    video->report = video->feed = -1;
    file_draft_discard(&video->draft);
}
