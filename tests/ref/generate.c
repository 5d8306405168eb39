/* SPDX-License-Identifier: MIT
 * Greedy continuations against the reference library's generate, id by id: under the
 * rules of each case of generate.json, alone and all texts of a model together.
 * file_tags=threads */
#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "model/generation.h"
#include "run/generate.h"

static int *ids_of(struct arena *a, const json_t *list, int room, int *n)
{
    int *id;

    *n = (int)json_array_size(list);
    id = arena_alloc(a, (size_t)(*n + room), sizeof *id);
    for (int i = 0; i < *n; i++)
        id[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    return id;
}

static struct generation rules_of(struct arena *a, const struct model *m,
                                  const json_t *one)
{
    char *text = json_dumps(json_object_get(one, "rules"), 0);
    struct span bytes = { (const unsigned char *)text, strlen(text) };
    struct generation g;
    struct err e;

    if (generation_read_json(&g, a, m, bytes, "rules", &e) != 0)
        fail_msg("%s", e.msg);
    free(text);
    return g;
}

/* The source's hidden states, several times one behind the other. */
static struct memory encode(struct arena *a, const struct model *m, const json_t *one,
                            int copies, struct par *par)
{
    int n, *id = ids_of(a, json_object_get(one, "input_ids"), 0, &n);
    int *start = arena_alloc(a, (size_t)copies + 1, sizeof *start);
    size_t D = (size_t)m->d_hidden;
    float *x = arena_alloc(a, (size_t)(n * copies) * D, sizeof *x);
    struct batch b = { 1, (int[]){ 0, n }, id, NULL };
    struct wanted want = { .hidden = x };
    struct err e;

    if (run_forward(m, &b, &want, NULL, 0, par, a, &e) != 0)
        fail_msg("%s", e.msg);
    for (int i = 0; i < copies; i++)
        start[i + 1] = start[i] + n;
    for (int i = 1; i < copies; i++)
        memcpy(x + (size_t)start[i] * D, x, (size_t)n * D * sizeof *x);
    return (struct memory){ x, start };
}

static struct continuation text_of(struct arena *a, const struct model *m,
                                   const struct generation *g, const json_t *one)
{
    struct continuation t = { .most = (int)json_integer_value(json_object_get(one, "most")) };
    const json_t *given = json_object_get(one, "decoder_ids");

    if (m->decoder != NULL && given == NULL) {
        t.id = arena_alloc(a, (size_t)t.most + 1, sizeof *t.id);
        t.id[0] = g->start;
        t.n_prompt = 1;
        return t;
    }
    t.id = ids_of(a, m->decoder != NULL ? given : json_object_get(one, "input_ids"), t.most,
                  &t.n_prompt);
    return t;
}

static void check_ids(struct arena *a, const json_t *one, const struct continuation *t)
{
    const char *name = json_string_value(json_object_get(one, "model"));
    int n, *want = ids_of(a, json_object_get(one, "ids"), 0, &n);

    for (int i = 0; i < n && i < t->n; i++)
        if (t->id[i] != want[i])
            fail_msg("%s: token %d is %d, expected %d", name, i, t->id[i], want[i]);
    if (t->n != n)
        fail_msg("%s: %d tokens, expected %d", name, t->n, n);
    assert_true(t->ended || n == t->n_prompt + t->most);
}

/* The case alone, then beside a copy of it and one that begins otherwise. */
static void check_case(const json_t *one)
{
    struct arena a;
    struct err e = { ERR_NONE, "" };
    char path[128];
    struct model *m, *last;
    struct generation g;
    struct par *par = par_new(2, &e);
    struct memory memory;

    arena_init(&a, NULL, NULL);
    snprintf(path, sizeof path, "tests/ref/%s",
             json_string_value(json_object_get(one, "model")));
    m = model_open(&a, path, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    last = m->decoder != NULL ? m->decoder : m;
    g = rules_of(&a, m, one);
    if (m->decoder != NULL)
        memory = encode(&a, m, one, 3, par);
    for (int n = 1; n <= 3; n += 2) {
        struct continuation text[3];

        for (int i = 0; i < n; i++)
            text[i] = text_of(&a, m, &g, one);
        if (n > 1)
            text[1].id[0] = 5;
        if (run_generate(last, &g, m->decoder != NULL ? &memory : NULL, text, n,
                         NULL, n > 1 ? 1e9 : 0, par, &a, &e) != 0)
            fail_msg("%s: %s", path, e.msg);
        check_ids(&a, one, &text[0]);
        check_ids(&a, one, &text[n - 1]);
    }
    par_free(par);
    model_close(m);
    arena_finish(&a);
}

static void as_the_reference(void **state)
{
    json_t *all = json_load_file("tests/ref/generate.json", 0, NULL);

    (void)state;
    assert_in_range(json_array_size(all), 20, 100);
    for (size_t i = 0; i < json_array_size(all); i++)
        check_case(json_array_get(all, i));
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_the_reference) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
