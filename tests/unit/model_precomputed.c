/* SPDX-License-Identifier: MIT
 * Arrays of attention: their names, shapes and how they fit together, right and wrong. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "model/precomputed.h"
#include "unit/weights_files.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* "NAME SHAPE .." -> a file of those; i behind the shape: whole numbers; c: causal rows. */
static struct weights *file_of(const char *text)
{
    char *all = arena_strdup(&arena, text), *save, *header = arena_strdup(&arena, "{");
    float *data = arena_alloc(&arena, 1 << 20, sizeof *data);
    size_t n = 0;
    struct weights *w;
    struct err e;

    for (char *name = strtok_r(all, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
        char *shape = strtok_r(NULL, " ", &save), *at = shape;
        const char *dims = "";
        long long count = 1, last = 1, d;
        size_t first = n;

        do {
            d = strtoll(at + (*at == 'x'), &at, 10);
            dims = arena_printf(&arena, "%s%s%lld", dims, dims[0] != '\0' ? "," : "", d);
            count *= d;
            last = d;
        } while (*at == 'x');
        for (long long i = 0; i < count && count < 1 << 16; i++)
            data[n++] = *at == 'c' && i % last > i / last % last ? 0 : 0.25f;
        n = count < 1 << 16 ? n : first + (size_t)count;
        header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],"
                              "\"data_offsets\":[%zu,%zu]}", header, header[1] != '\0' ? "," : "",
                              strcmp(name, "-") == 0 ? "" : name, *at == 'i' ? "I32" : "F32",
                              dims, 4 * first, 4 * n);
    }
    header = arena_printf(&arena, "%s}", header);
    {
        struct span s = st_bytes(&arena, header, strlen(header), 4 * n);

        memcpy((unsigned char *)(uintptr_t)s.data + 8 + strlen(header), data,
               4 * (n < 1 << 20 ? n : 0));
        w = weights_open_memory(&arena, s, "f", &e);
    }
    if (w == NULL)
        fail_msg("%s: %s", text, e.msg);
    return w;
}

/* "L layers of H heads, shown: n; decoder: ..", or the message. */
static const char *opened(const char *text)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = model_of_precomputed(&arena, file_of(text), "f", &e);
    const char *s;

    if (m == NULL)
        return arena_strdup(&arena, e.msg);
    s = arena_printf(&arena, "%d of %d%s, %d shown", m->config.n_layers, m->config.n_heads,
                     m->family->stack_id == STACK_DECODER ? " causal" : "", m->config.card.layer);
    if (m->decoder != NULL)
        s = arena_printf(&arena, "%s; decoder %d of %d, %d shown, %d to %d", s,
                         m->decoder->config.n_layers, m->decoder->config.n_heads,
                         m->decoder->config.card.layer, m->decoder->precomputed->n_queries,
                         m->decoder->precomputed->n_keys);
    weights_close(m->weights);
    return s;
}

struct row {
    const char *file, *want;
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = opened(rows[i].file);

        if (strncmp(got, "f: ", 3) == 0 ? strstr(got, rows[i].want) == NULL :
                                          strcmp(got, rows[i].want) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].file, got, rows[i].want);
    }
}

#define CHECK(...) \
    do { \
        static const struct row rows[] = { __VA_ARGS__ }; \
        check(rows, sizeof rows / sizeof rows[0]); \
    } while (0)

static void names(void **state)
{
    (void)state;
    CHECK({ "attn.0 2x3x3", "1 of 2, 0 shown" }, { "arr_0 2x3x3", "1 of 2, 0 shown" },
          { "attn.0 2x3x3c", "1 of 2 causal, 0 shown" },
          { "attn.0 2x3x3c attn.1 2x3x3", "2 of 2, 1 shown" },
          { "attn.0 1x1x1", "1 of 1, 0 shown" },
          { "attn.9 2x3x3", "10 of 2, 9 shown" },
          { "attn.10 1x2x2 attn.2 1x2x2", "11 of 1, 2 shown" }, { "attn.2 2x3x3 attn.9 2x3x3",
            "10 of 2, 2 shown" },
          { "attn.4095 2x3x3", "4096 of 2, 4095 shown" },
          { "attn.4096 2x3x3", "attn.4096: expected layers 0 to 4095" },
          { "attn.123456789 2x3x3", "attn.123456789: expected layers 0 to 4095" },
          { "attn. 2x3x3", "holds no array of attention" }, { "attn.x 2x3x3", "holds no array" },
          { "attn.1x 2x3x3", "holds no array" }, { "attn.01 2x3x3", "holds no array" },
          { "attn.00 2x3x3", "holds no array" }, { "other 2x3x3", "holds no array" });
}

static void shapes(void **state)
{
    (void)state;
    CHECK({ "attn.0 1x2x3x3", "1 of 2, 0 shown" },
          { "attn.0 2x2x3x3", "attn.0: shape [2,2,3,3], expected [heads, queries, keys]" },
          { "attn.0 2x3", "attn.0: shape [2,3], expected [heads, queries, keys]" },
          { "attn.0 2x0x3", "attn.0: shape [2,0,3], expected" },
          { "attn.0 65537x1x1", "attn.0: shape [65537,1,1], expected" },
          { "attn.0 1x1048577x1", "attn.0: shape [1,1048577,1], expected" },
          { "attn.0 1x1x1048577", "attn.0: shape [1,1,1048577], expected" },
          { "attn.0 2x3x3i", "attn.0: numbers of type I32, expected floats" },
          { "attn.0 2x3x3 attn.1 2x3x4", "attn.0 has shape [2,3,3], attn.1 [2,3,4]: expected the" },
          { "- 2x3x3", "1 of 2, 0 shown" }, { "- 3x2x4x4", "3 of 2, 2 shown" },
          { "- 3x2x4x4i", "layer 0: numbers of type I32" },
          { "- 4097x1x1x1", "layer 4096: expected layers 0 to 4095" },
          { "- 3x3", "shape [3,3], expected [layers, heads, queries, keys]" },
          { "- 0x2x3x3", "shape [0,2,3,3], expected [layers, heads" },
          { "- 1x1x2x3x3", "shape [1,1,2,3,3], expected [layers" },
          { "- 2x3x3 attn.0 2x3x3", "1 of 2, 0 shown" });
}

static void stacks(void **state)
{
    (void)state;
    CHECK({ "attn.0 2x3x4", "1 of 2, 0 shown; decoder 1 of 2, 0 shown, 3 to 4" },
          { "cross.0 2x3x4", "1 of 2, 0 shown; decoder 1 of 2, 0 shown, 3 to 4" },
          { "dec.0 2x3x3", "1 of 2, 0 shown; decoder 1 of 2, 0 shown, 3 to 0" },
          { "attn.0 2x4x4 dec.0 3x3x3 cross.0 3x3x4",
            "1 of 2, 0 shown; decoder 1 of 3, 0 shown, 3 to 4" },
          { "dec.2 3x3x3 cross.2 3x3x4",
            "3 of 3, 2 shown; decoder 3 of 3, 2 shown, 3 to 4" },
          { "attn.0 2x4x4 dec.2 3x3x3 cross.2 3x3x4", "holds attn.0, but no dec.0" },
          { "attn.0 2x3x3c dec.0 2x2x2 cross.0 2x2x3",
            "1 of 2, 0 shown; decoder 1 of 2, 0 shown, 2 to 3" },
          { "attn.0 2x4x5 cross.0 2x4x5", "attn.0 has shape [2,4,5], expected as many keys" },
          { "attn.0 2x4x4 dec.0 3x3x4", "dec.0 has shape [3,3,4], expected as many keys" },
          { "attn.0 2x4x4 dec.0 3x3x3 cross.0 2x3x4", "which do not match" },
          { "attn.0 2x4x4 dec.0 3x3x3 cross.0 3x2x4", "which do not match" },
          { "attn.0 2x4x4 dec.0 3x3x3 cross.0 3x3x5", "which do not match" },
          { "dec.0 3x3x3 dec.1 3x3x3 cross.0 3x3x4", "holds dec.1, but no cross.1" },
          { "dec.0 3x3x3 cross.0 3x3x4 cross.1 3x3x4", "holds cross.1, but no dec.1" });
}

/* Which stacks a file has: its encoder or decoder, another, what joins them. */
static void has_stacks(void **state)
{
    static const struct { const char *file; bool encoder, decoder, cross; } rows[] = {
        { "attn.0 2x3x3", true, false, false }, { "attn.0 2x3x3c", false, true, false },
        { "attn.0 2x3x4", false, false, true }, { "dec.0 2x3x3", false, true, false },
        { "attn.0 2x4x4 cross.0 2x3x4", true, false, true },
        { "attn.0 2x4x4 dec.0 3x3x3 cross.0 3x3x4", true, true, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = { ERR_NONE, "" };
        struct model *m = model_of_precomputed(&arena, file_of(rows[i].file), "f", &e);

        if (m == NULL)
            fail_msg("%s", e.msg);
        if (model_has_stack(m, STACK_ENCODER) != rows[i].encoder ||
            model_has_stack(m, STACK_DECODER) != rows[i].decoder ||
            model_has_stack(m, STACK_CROSS) != rows[i].cross)
            fail_msg("%s: encoder %d, decoder %d, cross %d", rows[i].file,
                     model_has_stack(m, STACK_ENCODER), model_has_stack(m, STACK_DECODER),
                     model_has_stack(m, STACK_CROSS));
        assert_false(model_has_sinks(m) || (m->decoder != NULL && model_has_sinks(m->decoder)));
        weights_close(m->weights);
    }
}

/* The sums of copies, with the weights or alone. */
static void sums(void **state)
{
    (void)state;
    CHECK({ "eff.0 2x3x3", "1 of 2, 0 shown" }, { "eff.1 2x3x3", "2 of 2, 1 shown" },
          { "attn.0 2x3x3 eff.0 2x3x3", "1 of 2, 0 shown" },
          { "attn.1 2x3x3 eff.1 2x3x3", "2 of 2, 1 shown" },
          { "attn.0 2x3x3 eff.1 2x3x3", "layer 0 has only one of attn.0 and eff.0" },
          { "attn.1 2x3x3 eff.0 2x3x3", "layer 0 has only one of attn.0 and eff.0" },
          { "attn.0 3x3x3 eff.0 2x3x3", "which do not match" },
          { "attn.0 2x4x4 eff.0 2x3x3", "which do not match" },
          { "attn.0 2x3x4 eff.0 2x3x3", "which do not match" },
          { "eff.0 2x3x4", "eff.0 has shape [2,3,4], expected as many keys" },
          { "attn.0 2x3x4 eff.0 2x3x4", "eff.0 has shape [2,3,4], expected as many keys" });
}

/* What a sink took of rows that the file holds. */
static void sinks(void **state)
{
    struct weights *w = file_of("attn.0 2x3x3 attn.1 2x3x3 sink.1 2x3");
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_true(model_has_sinks(model_of_precomputed(&arena, w, "f", &e)));
    weights_close(w);
    CHECK({ "attn.0 2x3x3 sink.0 2x3", "1 of 2, 0 shown" },
          { "attn.0 2x3x3 attn.1 2x3x3 sink.1 1x2x3", "2 of 2, 1 shown" },
          { "attn.0 2x3x3 sink.1 2x3", "holds sink.1, but no attn.1" },
          { "sink.0 2x3", "holds no array of attention" },
          { "attn.0 2x3x3 sink.0 2x3x3", "sink.0: shape [2,3,3], expected [heads, queries]" },
          { "attn.0 2x3x3 sink.0 3x3", "which do not match" },
          { "attn.0 2x3x3 sink.0 2x4", "which do not match" },
          { "attn.0 2x3x4 sink.0 2x3", "holds sink.0, but no attn.0" });
}

/* The layer shown is the seventh, or the nearest one that is there. */
static void shown(void **state)
{
    (void)state;
    CHECK({ "attn.0 1x2x2 attn.8 1x2x2", "9 of 1, 0 shown" },
          { "attn.6 1x2x2 attn.8 1x2x2", "9 of 1, 6 shown" },
          { "attn.5 1x2x2 attn.8 1x2x2", "9 of 1, 5 shown" },
          { "attn.7 1x2x2 attn.8 1x2x2", "9 of 1, 7 shown" },
          { "dec.8 1x2x2 cross.8 1x2x2",
            "9 of 1, 8 shown; decoder 9 of 1, 8 shown, 2 to 2" });
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(names), TEST(shapes), TEST(stacks), TEST(has_stacks), TEST(sums), TEST(sinks),
        TEST(shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
