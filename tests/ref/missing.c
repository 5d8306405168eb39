/* SPDX-License-Identifier: MIT
 * A tensor that the reference library makes and the file lacks is an error that names it:
 * of each reference model, one tensor after the other loses its name. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "model/model.h"
#include "ref/golden.h"

struct bytes {
    unsigned char *data;
    size_t size;
    enum tower tower;           /* which is read */
};

struct tally {
    int models, tensors, errors, heads, tied;
};

static struct model *open_it(struct arena *a, const struct bytes *b, struct span config,
                             struct err *e)
{
    struct model_files files = { { b->data, b->size }, config, b->tower };

    return model_open_memory(a, &files, "m", e);
}

/* The last byte of the name where the file lists it, between quotes or behind its length;
 * NULL: it is a part of what GGUF has as one tensor. */
static unsigned char *last_of(const struct bytes *b, const char *name)
{
    size_t n = strlen(name);

    for (unsigned char *p = b->data; (p = memmem(p, (size_t)(b->data + b->size - p), name, n));
         p++)
        if ((p[-1] == '"' && p[n] == '"') || (p[-1] == 0 && p[-8] == n))
            return p + n - 1;
    return NULL;
}

static bool is_unused(const struct model *m, const char *name)
{
    for (int i = 0; i < m->n_unused; i++)
        if (strcmp(m->unused[i], name) == 0)
            return true;
    return false;
}

static const struct model *last_stack(const struct model *m)
{
    return m->decoder != NULL ? m->decoder : m;
}

/*
 * What may be absent in the reference library as well: another copy of a tied table, or what
 * it starts with zeros.  A head may be absent too: then there are no logits any more.
 */
static bool may_be_absent(const struct model *m, bool had_head, const char *name)
{
    static const char *const tied[] = {
        "embed_tokens", "shared", "final_logits_bias", "lm_head.weight", "decoder.weight",
        "decoder.bias", "predictions.bias", "generator_lm_head.weight", "embed_out.weight",
        "vocab_projector.weight", "output.weight", "lm_loss.weight",
        "inv_freq"              /* computed, but for its rounding */
    };

    if (had_head && !m->has_head && !last_stack(m)->has_head)
        return true;
    for (size_t i = 0; i < sizeof tied / sizeof tied[0]; i++)
        if (strstr(name, tied[i]) != NULL)
            return true;
    return false;
}

static void remove_one(struct tally *tally, const struct bytes *b, struct span config,
                       const char *what, bool had_head, const char *name)
{
    unsigned char *last = last_of(b, name), was;
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;
    char other[256];

    if (last == NULL)
        return;
    was = *last;
    arena_init(&a, NULL, NULL);
    snprintf(other, sizeof other, "%.*sQ", (int)strlen(name) - 1, name);
    *last = 'Q';
    m = open_it(&a, b, config, &e);
    *last = was;
    tally->tensors++;
    if (m == NULL) {
        tally->errors++;
        if (strstr(e.msg, "has no tensor token_embd.weight") == NULL &&     /* of GGUF */
            (strstr(e.msg, "has no tensor") == NULL || strstr(e.msg, other) == NULL))
            fail_msg("%s without %s: %s", what, name, e.msg);
    } else {
        if (!may_be_absent(m, had_head, name))
            fail_msg("%s opens without %s", what, name);
        tally->heads += !last_stack(m)->has_head;
        tally->tied += last_stack(m)->has_head;
        model_close(m);
    }
    arena_finish(&a);
}

static void remove_each(struct tally *tally, const struct bytes *b, struct span config,
                        const char *what)
{
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;

    arena_init(&a, NULL, NULL);
    m = open_it(&a, b, config, &e);
    if (m == NULL)
        fail_msg("%s: %s", what, e.msg);
    for (int i = 0; i < weights_count(m->weights); i++) {
        const char *name = weights_at(m->weights, i)->name;

        if (!is_unused(m, name))
            remove_one(tally, b, config, what, m->has_head || last_stack(m)->has_head, name);
    }
    tally->models++;
    model_close(m);
    arena_finish(&a);
}

/* ---- models of the tree ---- */

static struct span read_whole(struct arena *a, const char *dir, const char *name)
{
    struct err e = { ERR_NONE, "" };
    const char *path = file_join(a, dir, name);
    const struct span *bytes = file_exists(path) ? file_hold(a, path, &e) : NULL;

    return bytes != NULL ? *bytes : (struct span){ NULL, 0 };
}

/* The only file of a folder with this ending, or NULL. */
static const char *with_ending(struct arena *a, const char *dir, const char *ending)
{
    struct dirent **entry = NULL;
    const char *found = NULL;
    int n = scandir(dir, &entry, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;

        if (strlen(name) > strlen(ending) &&
            strcmp(name + strlen(name) - strlen(ending), ending) == 0)
            found = arena_strdup(a, name);
        free(entry[i]);
    }
    free(entry);
    return found;
}

/* One of two towers may not be there at all, if the other is. */
static bool is_there(const struct bytes *b, struct span config)
{
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;
    bool there;

    arena_init(&a, NULL, NULL);
    m = open_it(&a, b, config, &e);
    there = m != NULL && (b->tower == TOWER_TEXT || m->config.tower == TOWER_PICTURE);
    model_close(m);
    arena_finish(&a);
    return there;
}

static void folder(struct tally *tally, const char *name)
{
    struct arena a;
    char dir[128];
    const char *weights;
    struct span whole;

    arena_init(&a, NULL, NULL);
    snprintf(dir, sizeof dir, "tests/ref/%s", name);
    weights = with_ending(&a, dir, ".gguf");
    whole = read_whole(&a, dir, weights != NULL ? weights : "model.safetensors");
    if (whole.data != NULL) {       /* not those in several files */
        struct bytes b = { arena_alloc(&a, whole.size + 1, 1), whole.size, TOWER_PICTURE };
        struct span config = read_whole(&a, dir, "config.json");
        bool pictures;

        memcpy(b.data, whole.data, whole.size);
        pictures = is_there(&b, config);
        if (pictures)
            remove_each(tally, &b, config, name);
        b.tower = TOWER_TEXT;
        if (!pictures || is_there(&b, config))
            remove_each(tally, &b, config, name);
    }
    arena_finish(&a);
}

static void report(const char *what, const struct tally *t)
{
    print_message("# %s: %d models, %d tensors: without them %d errors, %d without a "
                  "head, %d tied\n", what, t->models, t->tensors, t->errors, t->heads,
                  t->tied);
}

static void each_of(const char *what, const char *const *names, int at_least)
{
    struct tally tally = { 0 };

    for (; *names != NULL; names++)
        folder(&tally, *names);
    report(what, &tally);
    assert_in_range(tally.models, at_least, 1000);
    assert_true(tally.errors > tally.tensors * 3 / 4);
}

static void own_models(void **state)
{
    (void)state;
    each_of("own", golden_own, 5);
}

static void families(void **state)
{
    (void)state;
    each_of("families", golden_folders("families"), 80);
}

static void encoder_decoders(void **state)
{
    (void)state;
    each_of("seq2seq", golden_folders("seq2seq"), 8);
}

/* ---- what the configuration says ---- */

/* A file of zeros with these tensors. */
static struct bytes zeros(struct arena *a, const json_t *tensors)
{
    json_t *header = json_object(), *shape;
    const char *name;
    struct bytes b;
    size_t end = 0, n;
    char *text;

    json_object_foreach((json_t *)(uintptr_t)tensors, name, shape) {
        size_t start = end, count = sizeof(float);

        for (size_t i = 0; i < json_array_size(shape); i++)
            count *= (size_t)json_integer_value(json_array_get(shape, i));
        end += count;
        json_object_set_new(header, name,
                            json_pack("{s:s, s:O, s:[I, I]}", "dtype", "F32", "shape", shape,
                                      "data_offsets", (json_int_t)start, (json_int_t)end));
    }
    text = json_dumps(header, JSON_COMPACT);
    n = strlen(text);
    b = (struct bytes){ arena_alloc(a, 8 + n + end, 1), 8 + n + end };
    bytes_put(b.data, n, 8);
    memcpy(b.data + 8, text, n);
    free(text);
    json_decref(header);
    return b;
}

static void one_row(struct tally *tally, const json_t *row)
{
    char *config = json_dumps(json_object_get(row, "config"), 0);
    char *keys = json_dumps(json_object_get(row, "keys"), 0);
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct bytes b;
    struct span span = { (unsigned char *)config, strlen(config) };
    struct model *m;
    char what[256];

    arena_init(&a, NULL, NULL);
    b = zeros(&a, json_object_get(row, "tensors"));
    snprintf(what, sizeof what, "%s with %s",
             json_string_value(json_object_get(row, "case")), keys);
    m = open_it(&a, &b, span, &e);
    if (m == NULL)
        fail_msg("%s: %s", what, e.msg);
    for (int i = 0; i < m->n_unused; i++)
        if (strstr(m->unused[i], "bias") != NULL && strstr(m->unused[i], "pooler") == NULL &&
            strncmp(m->unused[i], "model.layers.2.", 15) != 0)
            fail_msg("%s: %s is unused", what, m->unused[i]);
    model_close(m);
    remove_each(tally, &b, span, what);
    arena_finish(&a);
    free(config);
    free(keys);
}

static void keys(void **state)
{
    json_t *all = json_load_file("tests/ref/parts.json", 0, NULL);
    struct tally tally = { 0 };

    (void)state;
    assert_in_range(json_array_size(all), 30, 100);
    for (size_t i = 0; i < json_array_size(all); i++)
        one_row(&tally, json_array_get(all, i));
    report("keys", &tally);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_models), cmocka_unit_test(families),
        cmocka_unit_test(encoder_decoders), cmocka_unit_test(keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
