/* RILL_DUMP=directory: writes each program as the driver receives it to NAME-hash.comp, or .rejected if the
 * driver rejects it. */
#include "base/environment.h"
#include "gpu/context/device_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *dump_folder(void)
{
    return environment_text("RILL_DUMP");
}

static bool cannot_dump(const char *path)
{
    return error_set("RILL_DUMP: cannot write '%s': %s; name a folder that can be written, or unset it", path,
                     strerror(errno));
}

static bool dump_path(char path[4096], const char *name, uint64_t hash)
{
    char file[96];
    snprintf(file, sizeof file, "%s", name);
    for (char *c = file; *c; c++) {
        *c = isalnum((unsigned char)*c) || *c == '_' || *c == '.' ? *c : '_';
    }
    errno = ENAMETOOLONG;
    return snprintf(path, 4096, "%s/%s-%016llx.comp", dump_folder(), file, (unsigned long long)hash) < 4080 ||
           cannot_dump(dump_folder());
}

/* Writes each line of the note as a comment. */
static bool write_note(FILE *out, const char *note)
{
    for (const char *line = note; line && *line;) {
        int length = (int)strcspn(line, "\n");
        if (fprintf(out, "// %.*s\n", length, line) < 0) {
            return false;
        }
        line += length + (line[length] == '\n');
    }
    return true;
}

bool dump_program(const char *name, const char *note, const char *source, uint64_t hash)
{
    char path[4096];
    if (!dump_folder()) {
        return true;
    }
    if (!dump_path(path, name, hash)) {
        return false;
    }
    mkdir(dump_folder(), 0777);
    FILE *out = fopen(path, "w");
    if (!out) {
        return cannot_dump(path);
    }
    bool written = fprintf(out, "// %s\n", name) >= 0 && write_note(out, note) && fputs(source, out) >= 0;
    return (fclose(out) == 0 && written) || cannot_dump(path);
}

void dump_rejected(const char *name, uint64_t hash)
{
    char path[4096], rejected[4096];
    if (dump_folder() && dump_path(path, name, hash)) {
        snprintf(rejected, sizeof rejected, "%.*s.rejected", (int)(strlen(path) - strlen(".comp")), path);
        rename(path, rejected);
    }
}
