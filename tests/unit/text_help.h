/* SPDX-License-Identifier: MIT
 * What the tests of src/text share: tokenisers from JSON, and results as text. */
#ifndef TEXT_HELP_H
#define TEXT_HELP_H

#include "check.h"

#include <stdio.h>
#include <string.h>

#include "text/tok_priv.h"

struct help {
    struct arena arena;
    struct err err;
};

static int help_setup(void **state)
{
    static struct help h;

    memset(&h, 0, sizeof h);
    arena_init(&h.arena, NULL, NULL);
    *state = &h;
    return 0;
}

static int help_teardown(void **state)
{
    struct help *h = *state;

    arena_finish(&h->arena);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, help_setup, help_teardown)

/* JSON is written with ' for " here. */
static inline char *help_quotes(struct help *h, const char *json)
{
    char *s = arena_strdup(&h->arena, json);

    for (char *p = s; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    return s;
}

static inline struct tok *help_try(struct help *h, const char *json)
{
    char *s = help_quotes(h, json);
    struct span span = { (const unsigned char *)s, strlen(s) };

    memset(&h->err, 0, sizeof h->err);
    return tok_open_memory(&h->arena, span, "test.json", &h->err);
}

static inline struct tok *help_open(struct help *h, const char *json)
{
    struct tok *t = help_try(h, json);

    if (t == NULL)
        fail_msg("%s", h->err.msg);
    return t;
}

/* It must not open, and the message must hold `why`. */
static inline void help_refused(struct help *h, const char *json, const char *why)
{
    struct tok *t = help_try(h, json);

    if (t != NULL) {
        tok_close(t);
        fail_msg("opened, expected \"%s\": %s", why, json);
    }
    if (strstr(h->err.msg, why) == NULL)
        fail_msg("message \"%s\", expected \"%s\"", h->err.msg, why);
    assert_int_equal(h->err.kind, ERR_INPUT);
}

/* "piece[start,end] …" of a text, spans in characters; * before those of the template. */
static inline const char *help_tokens(struct help *h, const struct tok *t,
                                      const struct tok_input *in)
{
    struct tokens out;
    const char *s = "";

    if (tok_encode(t, &h->arena, in, &out, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    for (int i = 0; i < out.n; i++)
        s = arena_printf(&h->arena, "%s%s%s%s[%d,%d]", s, i > 0 ? " " : "",
                         tok_is_frame(&out, i) ? "*" : "", out.piece[i], out.chars[i].start,
                         out.chars[i].end);
    return s;
}

static inline const char *help_encode(struct help *h, const struct tok *t,
                                      const char *text)
{
    struct tok_input in = { .text = text, .text_size = strlen(text) };

    return help_tokens(h, t, &in);
}

/* What one step makes of a text: "part[start,end]|…", spans in bytes of the text. */
static inline const char *help_step(struct help *h, const struct step_table *table,
                                    const char *json, const char *text)
{
    struct tok t = { .a = &h->arena, .name = "test" };
    struct work w = { .t = &t, .a = &h->arena, .limit = SIZE_MAX };
    struct fragment all = { text, strlen(text), NULL, 0, -1 };
    json_t *j = json_loads(help_quotes(h, json), 0, NULL);
    struct step step;
    const char *s = "";

    assert_non_null(j);
    fragment_add(&w, &w.parts, all);
    if (step_open(&t, table, j, &step, &h->err) != 0 ||
        step_run(&step, &w, &h->err) != 0)
        fail_msg("%s", h->err.msg);
    for (size_t i = 0; i < w.parts.n; i++) {
        const struct fragment *p = &w.parts.v[i];
        struct range r = { p->origin, p->origin };

        if (p->n > 0)
            r = fragment_span(p, 0, p->n);
        s = arena_printf(&h->arena, "%s%s%.*s[%d,%d]", s, i > 0 ? "|" : "", (int)p->n,
                         p->s, r.start, r.end);
    }
    json_decref(j);
    regex_close(t.regexes);
    return s;
}

#endif
