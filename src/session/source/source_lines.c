/* SPDX-License-Identifier: MIT
 * A file of lines -> a text per line: plain, a pair with a tab, or a JSON object. */
#include <string.h>
#include <zlib.h>

#include "base/lines.h"
#include "session/encode.h"
#include "session/shard.h"
#include "session/source/ahead.h"
#include "session/source/line.h"
#include "session/source/source.h"

struct line_source {
    struct source source;
    struct lines *lines;
    struct progress *stdin_progress;    /* NULL: of a file, which does not wait */
    const char *first;          /* a line that was read to see whether there is one */
    size_t first_size;          /* NULL: none, or taken */
    struct ahead *ahead;        /* NULL: lines are read one by one */
    struct ahead_line *taken;   /* of it, the last; NULL: it was not of it */
    int status;                 /* as lines_next: of the line after those of ahead … */
    struct err why;             /* … and the error, where it is one */
    int64_t begin;              /* lines before it are no texts */
    const struct line_source *leader;   /* whose lines these are; NULL: its own */
    const char *line;           /* [size] the last, until the next is read */
    size_t size;
    struct shard shard;         /* lines of others are read, but are no texts */
};

/* taken: of the line; NULL: it was not read ahead. */
static int source_lines_fill(const struct session *session, struct arena *a, const char *line,
                             size_t n, struct ahead_line *taken, struct item *out, struct err *e)
{
    bool done;

    if (line_read(session, a, line, n, out, &done, e) != 0)
        return -1;
    if (out->blank)
        return 0;
    if (!done && (taken == NULL || !ahead_tokens(taken, session->budget, a, out)) &&
        encode_text(session, a, out, e) != 0)
        return -1;
    if (taken != NULL && taken->report.data != NULL)
        out->report = &taken->report;
    return 0;
}

/* The line that the leader read last, once. */
static int next_led(struct line_source *source)
{
    const struct line_source *leader = source->leader;

    if (source->source.n == leader->source.n)
        return 0;
    /* take_line counts it, as the leader has. */
    source->source.n = leader->source.n - 1;
    source->line = leader->line;
    source->size = leader->size;
    return 1;
}

/* As lines_next. */
static int source_lines_read(struct line_source *source, const char **line, size_t *size,
                             struct err *e)
{
    struct progress *progress = source->stdin_progress;
    int status;

    progress_wait(progress, true);
    status = lines_next(source->lines, line, size, e);
    progress_wait(progress, false);
    return status;
}

/* Whether the line is a text, and one to be given. */
static bool source_lines_is_given(const struct line_source *source, int64_t index)
{
    return index >= source->begin && (source->source.others || shard_has(&source->shard, index));
}

/* The lines that are there, at least one: only the first may be waited for. */
static void read_ahead(struct line_source *source)
{
    int64_t index = source->source.n;
    const char *line;
    size_t size;
    bool more = true;

    ahead_begin(source->ahead);
    for (; more; index++) {
        source->status = source_lines_read(source, &line, &size, &source->why);
        if (source->status <= 0)
            break;
        more = ahead_add(source->ahead, line, size, index, source_lines_is_given(source, index)) &&
               lines_ready(source->lines);
    }
    ahead_run(source->ahead, &source->source.report);
}

static int next_ahead(struct line_source *source, struct err *e)
{
    source->taken = ahead_take(source->ahead);
    if (source->taken == NULL && source->status > 0) {
        read_ahead(source);
        source->taken = ahead_take(source->ahead);
    }
    if (source->taken == NULL) {
        if (source->status < 0)
            *e = source->why;
        return source->status;
    }
    source->line = source->taken->line;
    source->size = source->taken->size;
    return 1;
}

/* The next line into source->line; returns as lines_next. */
static int source_lines_next_line(struct line_source *source, struct err *e)
{
    if (source->leader != NULL)
        return next_led(source);
    if (source->first == NULL)
        return source->ahead != NULL ? next_ahead(source, e) :
                                       source_lines_read(source, &source->line, &source->size, e);
    source->line = source->first;
    source->size = source->first_size;
    source->first = NULL;
    return 1;
}

/* The next line, counted; returns as lines_next. */
static int take_line(struct line_source *source, struct err *e)
{
    struct source *self = &source->source;
    int status = source_lines_next_line(source, e);

    if (status > 0) {
        self->n++;
        self->crc = (uint32_t)crc32_z(self->crc, (const Bytef *)source->line, source->size);
        self->crc = (uint32_t)crc32_z(self->crc, (const Bytef *)"\n", 1);
    }
    return status;
}

/* To the next line that is a text to be given, or may be; returns as lines_next. */
static int find_line(struct line_source *source, struct item *out, struct err *e)
{
    struct source *self = &source->source;
    int status;

    do {
        status = take_line(source, e);
        out->index = self->n - 1;
        out->passed = status > 0 && !shard_has(&source->shard, out->index);
    } while (out->passed && !self->others);
    return status;
}

static int source_lines_next(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct line_source *source = (struct line_source *)self;
    const struct session *session = self->s;
    struct item empty = *out;
    int status;

    do {
        struct arena_mark mark = arena_mark(a);

        *out = empty;
        if ((status = find_line(source, out, e)) <= 0)
            return status;
        status = source_lines_fill(session, a, arena_strndup(a, source->line, source->size),
                                   source->size, source->taken, out, e);
        if (out->blank)
            arena_reset(a, mark);
        self->n_blank += out->blank && !out->passed;
    } while (status == 0 && out->blank);
    if (status == 0)
        return SOURCE_TEXT;
    /* Without a tokeniser no line would fare better. */
    return session->tok == NULL && !session->asked->jsonl ? SOURCE_FAILED :
                                                            SOURCE_UNUSABLE;
}

int source_skip(struct source *lines, int64_t n, struct err *e)
{
    struct line_source *source = (struct line_source *)lines;

    source->begin = n;
    while (lines->n < n) {
        int status = take_line(source, e);

        if (status < 0)
            return -1;
        if (status == 0)
            return err_set(e, ERR_INPUT, "%s: has %lld lines, expected %lld at least",
                           lines->name, (long long)lines->n, (long long)n);
    }
    return 0;
}

static double source_lines_share(const struct source *self)
{
    return lines_share(((const struct line_source *)self)->lines);
}

static bool waits(const struct source *self)
{
    const struct line_source *source = (const struct line_source *)self;

    return source->first == NULL && (source->ahead == NULL || !ahead_has(source->ahead)) &&
           !lines_ready(source->lines);
}

static void close_lines(struct source *self)
{
    struct line_source *source = (struct line_source *)self;

    lines_close(source->lines);
    source->lines = NULL;
}

/* Where the run was left in the midst of it. */
static void source_lines_release(void *source)
{
    close_lines(source);
}

struct lines *source_open_lines(const struct session *session, const char *path, struct err *e)
{
    if (strcmp(path, "-") == 0 && session->env->again && lines_keep_stdin(e) != 0)
        return NULL;
    return lines_open(path, e);
}

static struct line_source *open_lines(const struct session *session, const char *path,
                                      struct err *e)
{
    struct line_source *source = arena_alloc(session->a, 1, sizeof *source);

    if (shard_parse(session->asked->shard, &source->shard, e) != 0)
        return NULL;
    source->lines = source_open_lines(session, path, e);
    if (source->lines == NULL)
        return NULL;
    arena_own(session->a, source_lines_release, source);
    source->status = 1;
    if (session->tok != NULL && par_threads(session->par) > 1)
        source->ahead = ahead_new(session);
    source->stdin_progress = strcmp(path, "-") == 0 ? session->env->progress : NULL;
    source->source = (struct source){
        .s = session, .name = strcmp(path, "-") == 0 ? "standard input" : path, .unit = "line",
        .is_file = true, .lines = true, .next = source_lines_next, .share = source_lines_share,
        .waits = waits, .close = close_lines,
    };
    return source;
}

struct source *source_lines(const struct session *session, struct err *e)
{
    struct line_source *source = open_lines(session, session->asked->file, e);

    return source != NULL ? &source->source : NULL;
}

struct source *source_follow(const struct session *session, const struct source *leader)
{
    struct line_source *source = arena_alloc(session->a, 1, sizeof *source);

    source->source = *leader;
    source->source.s = session;
    source->source.close = NULL;
    source->source.share = NULL;
    source->source.waits = NULL;
    source->leader = (const struct line_source *)leader;
    return &source->source;
}

/* Says what is waited for, where nothing comes. */
static void wait_for_stdin(const struct session *session)
{
    enum { PATIENCE_MS = 1000 };

    progress_wait(session->env->progress, true);
    if (!lines_wait_stdin(PATIENCE_MS))
        err_warn(session->env->note, "texts are read from standard input, one per line, as no TEXT "
                 "is given; with </dev/null it is not read");
    progress_wait(session->env->progress, false);
}

int source_piped(const struct session *session, struct source **out, struct err *e)
{
    struct line_source *source;
    const char *line;
    int status;

    *out = NULL;
    wait_for_stdin(session);
    source = open_lines(session, "-", e);
    if (source == NULL)
        return -1;
    status = source_lines_read(source, &line, &source->first_size, e);
    if (status <= 0) {
        close_lines(&source->source);
        return status;
    }
    source->first = arena_strndup(session->a, line, source->first_size);
    *out = &source->source;
    return 0;
}
