/* SPDX-License-Identifier: MIT
 * Seconds that a tokeniser takes to open and, warm, to encode a text line by line;
 * for tokenizers.py, which runs its peer beside it.
 *
 *     encode FOLDER TEXT RUNS IDS
 *
 * Prints the best of RUNS openings and of RUNS encodings, in seconds of the processor,
 * and the number of tokens; IDS gets the ids, 32 bits each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "text/tok.h"

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void full(void *self, size_t size)
{
    (void)self;
    fprintf(stderr, "no memory for %zu bytes\n", size);
    exit(4);
}

static void stop(const struct err *e)
{
    fprintf(stderr, "%s\n", e->msg);
    exit(3);
}

static double open_s(const char *dir)
{
    struct arena a;
    struct err e;
    struct tok *t;
    double start = now_s();

    arena_init(&a, full, NULL);
    t = tok_open(&a, dir, &e);
    if (t == NULL)
        stop(&e);
    tok_close(t);
    arena_finish(&a);
    return now_s() - start;
}

/* Every line by itself; the tokens of all of them, written to ids if it is not NULL. */
static size_t encode(const struct tok *t, struct span text, FILE *ids)
{
    const char *s = (const char *)text.data, *end = s + text.size;
    struct arena a;
    size_t n = 0;

    arena_init(&a, full, NULL);
    while (s < end) {
        const char *stop_at = memchr(s, '\n', (size_t)(end - s));
        size_t size = (size_t)((stop_at != NULL ? stop_at : end) - s);
        struct tok_input in = { .text = s, .text_size = size };
        struct arena_mark mark = arena_mark(&a);
        struct tokens out;
        struct err e;

        if (tok_encode(t, &a, &in, &out, &e) != 0)
            stop(&e);
        if (ids != NULL)
            fwrite(out.id, sizeof *out.id, (size_t)out.n, ids);
        n += (size_t)out.n;
        s += size + 1;
        arena_reset(&a, mark);
    }
    arena_finish(&a);
    return n;
}

int main(int argc, char **argv)
{
    double open = HUGE_VAL, run = HUGE_VAL;
    struct arena a;
    struct span text;
    struct tok *t;
    struct err e;
    size_t n;
    FILE *ids;

    if (argc != 5)
        return 2;
    arena_init(&a, full, NULL);
    if (file_map(argv[2], &text, &e) != 0)
        stop(&e);
    for (int i = 0; i < atoi(argv[3]); i++)
        open = fmin(open, open_s(argv[1]));
    t = tok_open(&a, argv[1], &e);
    if (t == NULL)
        stop(&e);
    ids = fopen(argv[4], "wb");
    if (ids == NULL)
        return 4;
    n = encode(t, text, ids);
    for (int i = 0; i < atoi(argv[3]); i++) {
        double start = now_s();

        n = encode(t, text, NULL);
        run = fmin(run, now_s() - start);
    }
    printf("%.6f %.6f %zu\n", open, run, n);
    tok_close(t);
    arena_finish(&a);
    return fclose(ids) == 0 ? 0 : 4;
}
