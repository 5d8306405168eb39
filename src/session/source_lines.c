/* SPDX-License-Identifier: MIT
 * A file of lines -> a text per line: plain, a pair with a tab, or a JSON object. */
#include <string.h>
#include <zlib.h>

#include "base/lines.h"
#include "session/encode.h"
#include "session/jsonl.h"
#include "session/shard.h"
#include "session/source.h"

struct line_source {
    struct source source;
    struct lines *lines;
    struct progress *stdin_progress;    /* NULL: of a file, which does not wait */
    const char *first;          /* a line that was read to see whether there is one */
    size_t first_size;          /* NULL: none, or taken */
    const struct line_source *leader;   /* whose lines these are; NULL: its own */
    const char *line;           /* [size] the last, until the next is read */
    size_t size;
    struct shard shard;         /* lines of others are read, but are no texts */
};

static void set_text(struct item *out, const char *text, size_t n)
{
    out->text = text;
    out->text_size = n;
}

static int item_of_pair(struct item *out, const char *line, size_t n, struct err *e)
{
    const char *tab = memchr(line, '\t', n);

    if (tab == NULL)
        return err_set(e, ERR_INPUT, "has no tab, expected two texts separated by a tab");
    set_text(out, line, (size_t)(tab - line));
    out->pair = tab + 1;
    out->pair_size = n - out->text_size - 1;
    return 0;
}

/* Fills *out; *done: with ids, so there is nothing left to tokenise. */
static int item_of_json(const struct session *s, struct arena *a, const char *line, size_t n,
                        struct item *out, bool *done, struct err *e)
{
    struct json_line json_line;

    if (jsonl_read(a, line, n, s->asked->by, &json_line, e) != 0 ||
        (json_line.decoder_ids.id != NULL &&
         encode_needs_decoder(s, "decoder_ids", ERR_INPUT, e) != 0))
        return -1;
    out->group = json_line.group;
    out->global_at = json_line.global.id;
    out->n_global_at = json_line.global.n;
    if (json_line.decoder_ids.id != NULL)
        tok_describe(s->target_tok, a, json_line.decoder_ids.id, NULL,
                     json_line.decoder_ids.n, &out->target);
    *done = json_line.ids.id != NULL;
    if (*done)
        return encode_ids(s, a, &json_line.ids, &json_line.type_ids, ERR_INPUT, out, e);
    set_text(out, json_line.text, json_line.text_size);
    out->pair = json_line.pair;
    out->pair_size = json_line.pair_size;
    return 0;
}

/* Of a pair the text that is asked for, by itself. */
static int take_half(struct item *out, enum asked_half half, struct err *e)
{
    if (half == HALF_BOTH)
        return 0;
    if (out->pair == NULL)
        return err_set(e, ERR_INPUT, "has no pair, expected {\"text\":…,\"pair\":…}");
    if (half == HALF_SECOND)
        set_text(out, out->pair, out->pair_size);
    out->pair = NULL;
    out->pair_size = 0;
    return 0;
}

static int fill(const struct session *s, struct arena *a, const char *line, size_t n,
                struct item *out, struct err *e)
{
    bool done = false;

    if (s->asked->jsonl) {
        if (item_of_json(s, a, line, n, out, &done, e) != 0)
            return -1;
    } else if (s->asked->pairs) {
        if (item_of_pair(out, line, n, e) != 0)
            return -1;
    } else {
        set_text(out, line, n);
    }
    if (done && s->asked->half != HALF_BOTH)
        return err_set(e, ERR_INPUT, "has ids, expected {\"text\":…,\"pair\":…}");
    return done ? 0 : take_half(out, s->asked->half, e) != 0 ? -1 : encode_text(s, a, out, e);
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
static int read_line(struct line_source *source, const char **line, size_t *size,
                     struct err *e)
{
    struct progress *progress = source->stdin_progress;
    int status;

    progress_wait(progress, true);
    status = lines_next(source->lines, line, size, e);
    progress_wait(progress, false);
    return status;
}

/* The next line into source->line; returns as lines_next. */
static int next_line(struct line_source *source, struct err *e)
{
    if (source->leader != NULL)
        return next_led(source);
    if (source->first == NULL)
        return read_line(source, &source->line, &source->size, e);
    source->line = source->first;
    source->size = source->first_size;
    source->first = NULL;
    return 1;
}

/* The next line, counted; returns as lines_next. */
static int take_line(struct line_source *source, struct err *e)
{
    struct source *self = &source->source;
    int status = next_line(source, e);

    if (status > 0) {
        self->n++;
        self->crc = (uint32_t)crc32_z(self->crc, (const Bytef *)source->line, source->size);
        self->crc = (uint32_t)crc32_z(self->crc, (const Bytef *)"\n", 1);
    }
    return status;
}

static int next(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct line_source *source = (struct line_source *)self;
    const struct session *session = self->s;
    int status;

    do {
        status = take_line(source, e);
        if (status <= 0)
            return status;
        out->passed = !shard_has(&source->shard, self->n - 1);
    } while (out->passed && !self->others);
    out->index = self->n - 1;
    if (fill(session, a, arena_strndup(a, source->line, source->size), source->size, out,
             e) == 0)
        return SOURCE_TEXT;
    /* Without a tokeniser no line would fare better. */
    return session->tok == NULL && !session->asked->jsonl ? SOURCE_FAILED :
                                                            SOURCE_UNUSABLE;
}

int source_skip(struct source *lines, int64_t n, struct err *e)
{
    struct line_source *source = (struct line_source *)lines;

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

static double share(const struct source *self)
{
    return lines_share(((const struct line_source *)self)->lines);
}

static void close_lines(struct source *self)
{
    struct line_source *source = (struct line_source *)self;

    lines_close(source->lines);
    source->lines = NULL;
}

/* Where the run was left in the midst of it. */
static void release(void *source)
{
    close_lines(source);
}

struct lines *source_open_lines(const struct session *s, const char *path, struct err *e)
{
    if (strcmp(path, "-") == 0 && s->env->again && lines_keep_stdin(e) != 0)
        return NULL;
    return lines_open(path, e);
}

static struct line_source *open_lines(const struct session *s, const char *path,
                                      struct err *e)
{
    struct line_source *source = arena_alloc(s->a, 1, sizeof *source);

    if (shard_parse(s->asked->shard, &source->shard, e) != 0)
        return NULL;
    source->lines = source_open_lines(s, path, e);
    if (source->lines == NULL)
        return NULL;
    arena_own(s->a, release, source);
    source->stdin_progress = strcmp(path, "-") == 0 ? s->env->progress : NULL;
    source->source = (struct source){
        .s = s, .name = strcmp(path, "-") == 0 ? "standard input" : path, .unit = "line",
        .is_file = true, .lines = true, .next = next, .share = share,
        .close = close_lines,
    };
    return source;
}

struct source *source_lines(const struct session *s, struct err *e)
{
    struct line_source *source = open_lines(s, s->asked->file, e);

    return source != NULL ? &source->source : NULL;
}

struct source *source_follow(const struct session *s, const struct source *leader)
{
    struct line_source *source = arena_alloc(s->a, 1, sizeof *source);

    source->source = *leader;
    source->source.s = s;
    source->source.close = NULL;
    source->source.share = NULL;
    source->leader = (const struct line_source *)leader;
    return &source->source;
}

/* Says what is waited for, where nothing comes. */
static void wait_for_stdin(const struct session *s)
{
    enum { PATIENCE_MS = 1000 };

    progress_wait(s->env->progress, true);
    if (!lines_wait_stdin(PATIENCE_MS))
        err_warn(s->env->note, "texts are read from standard input, one per line, as no TEXT "
                 "is given; with </dev/null it is not read");
    progress_wait(s->env->progress, false);
}

int source_piped(const struct session *s, struct source **out, struct err *e)
{
    struct line_source *source;
    const char *line;
    int status;

    *out = NULL;
    wait_for_stdin(s);
    source = open_lines(s, "-", e);
    if (source == NULL)
        return -1;
    status = read_line(source, &line, &source->first_size, e);
    if (status <= 0) {
        close_lines(&source->source);
        return status;
    }
    source->first = arena_strndup(s->a, line, source->first_size);
    *out = &source->source;
    return 0;
}
