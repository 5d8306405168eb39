/* SPDX-License-Identifier: MIT
 * The heatmaps that the program writes, read back cell by cell: each has the colour that
 * `export` of the same text gives through the scale and the colour map. */
#include "check.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw/cmap.h"
#include "draw/scale.h"
#include "image/png_read.h"
#include "weights/npz.h"

enum { CELL = 9, MAX_ARGS = 24, MASKED = 0xd0d0d0, FRAME = 0x808080 };

static char dir[64];

static const char *at(const char *name)
{
    static char path[2][128];
    static int i;

    i = (i + 1) % 2;
    snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
    return path[i];
}

static int setup(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/mha-viz-test-XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    unlink(at("a.png"));
    unlink(at("a.npz"));
    return rmdir(dir);
}

/* mha-viz COMMAND -o FILE, then words split at spaces, then text. */
static void viz(const char *command, const char *file, const char *words, const char *text)
{
    const char *program = getenv("MHA_VIZ") != NULL ? getenv("MHA_VIZ") : "./mha-viz";
    char all[512], *argv[MAX_ARGS] = { all }, *rest = all;
    int n = 0, status;
    pid_t pid;

    snprintf(all, sizeof all, "mha-viz %s -o %s %s", command, file, words);
    for (char *word; n < MAX_ARGS - 3 && (word = strsep(&rest, " ")) != NULL;)
        if (word[0] != '\0')
            argv[n++] = word;
    argv[n++] = (char[]){ "--" };
    argv[n++] = (char *)(uintptr_t)text;
    pid = fork();
    if (pid == 0) {
        execv(program, argv);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    if (status != 0)
        fail_msg("mha-viz %s %s: status %d", command, words, status);
}

/* ---- what should be there ---- */

struct wanted {
    int n, n_heads;             /* cells a side */
    float *value;               /* [n_heads, n, n]; NaN: masked */
    enum scale scale;
    float vmin, vmax;           /* NaN: from the data */
    bool shared;
    const struct cmap *cmap;
};

/* attn.LAYER of the export; causal: what lies behind the diagonal is masked. */
static void read_export(struct wanted *w, struct arena *a, int layer, bool causal)
{
    struct err e = { ERR_NONE, "" };
    struct weights *file = npz_open(a, at("a.npz"), &e);
    char name[32];
    const struct tensor *t;

    if (file == NULL)
        fail_msg("%s", e.msg);
    snprintf(name, sizeof name, "attn.%d", layer);
    t = weights_find(file, name);
    assert_non_null(t);
    w->n_heads = (int)t->shape[0];
    w->n = (int)t->shape[1];
    w->value = arena_alloc(a, (size_t)t->n_elements, sizeof *w->value);
    tensor_read(w->value, t, 0, t->n_elements);
    for (int i = 0; causal && i < w->n_heads * w->n * w->n; i++)
        if (i % w->n > i / w->n % w->n)
            w->value[i] = NAN;
    weights_close(file);
}

/* Leaves out the first and the last row and column. */
static void leave_out_ends(struct wanted *w)
{
    int n = w->n - 2;

    for (int h = 0; h < w->n_heads; h++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                w->value[(h * n + i) * n + j] =
                    w->value[(h * w->n + i + 1) * w->n + j + 1];
    w->n = n;
}

static void divide_rows(struct wanted *w)
{
    for (int row = 0; row < w->n_heads * w->n; row++) {
        float *v = w->value + row * w->n, max = 0;

        for (int j = 0; j < w->n; j++)
            max = v[j] > max ? v[j] : max;
        for (int j = 0; j < w->n && max > 0; j++)
            v[j] /= max;
    }
    w->scale = SCALE_LINEAR;
}

static void range_of(const struct wanted *w, int head, float *lo, float *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < w->n_heads * w->n * w->n; i++)
        if ((w->shared || i / (w->n * w->n) == head) && !isnan(w->value[i])) {
            *lo = fminf(*lo, w->value[i]);
            *hi = fmaxf(*hi, w->value[i]);
        }
    *lo = isnan(w->vmin) ? *lo : w->vmin;
    *hi = isnan(w->vmax) ? *hi : w->vmax;
}

static uint32_t colour(const struct wanted *w, int head, int cell)
{
    float v = w->value[head * w->n * w->n + cell], lo, hi;
    const unsigned char *c;

    if (isnan(v))
        return MASKED;
    range_of(w, head, &lo, &hi);
    c = cmap_colour(w->cmap, scale_index(w->scale, v, lo, hi));
    return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

/* ---- what is there ---- */

static bool panel_at(const struct picture *p, const struct wanted *w, int head, int x,
                     int y)
{
    int side = w->n * CELL;

    if (x + side >= p->w || y + side >= p->h ||
        picture_at(p, x - 1, y) != FRAME || picture_at(p, x, y - 1) != FRAME ||
        picture_at(p, x + side, y) != FRAME || picture_at(p, x, y + side) != FRAME)
        return false;
    for (int cell = 0; cell < w->n * w->n; cell++) {
        uint32_t want = colour(w, head, cell);
        int left = x + cell % w->n * CELL, top = y + cell / w->n * CELL;

        if (picture_at(p, left, top) != want)
            return false;
        for (int k = 0; k < CELL * CELL; k++)
            if (picture_at(p, left + k % CELL, top + k / CELL) != want)
                return false;
    }
    return true;
}

/* Finds each head's panel once, in rows of `columns` from the left. */
static void check_picture(const struct wanted *w, int columns)
{
    struct picture p;
    int last_x = 0, last_y = 0;

    assert_int_equal(picture_read(&p, at("a.png")), 0);
    for (int h = 0; h < w->n_heads; h++) {
        int found = 0, x0 = 0, y0 = 0;

        for (int y = 1; y < p.h; y++)
            for (int x = 1; x < p.w; x++)
                if (picture_at(&p, x - 1, y) == FRAME && panel_at(&p, w, h, x, y)) {
                    found++;
                    x0 = x;
                    y0 = y;
                }
        if (found != 1)
            fail_msg("head %d of %d is %d times in the picture", h, w->n_heads, found);
        if (h > 0)
            assert_true(h % columns == 0 ? y0 > last_y && x0 <= last_x
                                         : y0 == last_y && x0 > last_x);
        last_x = x0;
        last_y = y0;
    }
    picture_free(&p);
}

/* ---- cases ---- */

struct look {
    const char *select, *options;       /* both commands get select */
    int layer, columns;
    bool causal, ends_hidden;
    enum scale scale;
    bool shared;
    float vmin, vmax;
    const char *cmap;
};

static void check(const struct look *l, const char *text)
{
    struct arena a;
    struct wanted w = { .scale = l->scale, .shared = l->shared, .vmin = l->vmin,
                        .vmax = l->vmax, .cmap = cmap_find(l->cmap) };
    char words[256];

    arena_init(&a, NULL, NULL);
    viz("export", at("a.npz"), l->select, text);
    snprintf(words, sizeof words, "%s -l %d --cell %d %s", l->select, l->layer, CELL,
             l->options);
    viz("heatmap", at("a.png"), words, text);
    read_export(&w, &a, l->layer, l->causal);
    if (l->ends_hidden)
        leave_out_ends(&w);
    if (l->scale == SCALE_ROW)
        divide_rows(&w);
    check_picture(&w, l->columns);
    arena_finish(&a);
}

#define BERT "-m tests/ref/bert_old"
#define LLAMA "-m tests/ref/llama"
#define PLAIN .columns = 4, .vmin = NAN, .vmax = NAN, .cmap = "viridis"

static void layers_and_heads(void **state)
{
    const struct look looks[] = {
        { BERT, "", PLAIN }, { BERT, "", .layer = 2, PLAIN },
        { BERT " -H 1,3", "", .layer = 1, PLAIN },
        { LLAMA, "", .layer = 1, .causal = true, PLAIN },
        { "-m tests/ref/gpt2", "", .causal = true, PLAIN },
    };

    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        check(&looks[i], "The key is in the door");
}

static void columns_and_special_tokens(void **state)
{
    struct look two = { BERT, "--columns 2", PLAIN };
    const struct look hidden = { BERT, "--hide-special", .ends_hidden = true, PLAIN };

    (void)state;
    two.columns = 2;
    check(&two, "The key");
    check(&hidden, "The key is in the door");
}

static void scales(void **state)
{
    struct look look = { LLAMA, "", .causal = true, PLAIN };
    static const char *const options[] = { "--scale linear", "--scale sqrt",
                                           "--scale log", "--scale row" };

    (void)state;
    for (int s = 0; s < N_SCALE; s++) {
        look.scale = (enum scale)s;
        look.options = options[s];
        check(&look, "The key is in the door");
    }
}

static void ranges(void **state)
{
    struct look look = { LLAMA, "--shared", .causal = true, PLAIN };

    (void)state;
    look.shared = true;
    check(&look, "The key is in the door");
    look.shared = false;
    look.options = "--vmin 0.1 --vmax 0.6";
    look.vmin = 0.1f;
    look.vmax = 0.6f;
    check(&look, "The key is in the door");
    look.vmax = NAN;
    look.options = "--shared --vmin 0.1";
    look.shared = true;
    check(&look, "The key is in the door");
}

static void colour_maps(void **state)
{
    (void)state;
    for (int i = 0; cmap_names[i] != NULL; i++) {
        char options[64];
        struct look look = { BERT, options, PLAIN };

        snprintf(options, sizeof options, "--cmap %s", cmap_names[i]);
        look.cmap = cmap_names[i];
        check(&look, "The key");
    }
}

static void other_scripts(void **state)
{
    const struct look bert = { BERT, "", PLAIN };
    const struct look llama = { LLAMA, "", .causal = true, PLAIN };

    (void)state;
    check(&bert, "窗外下雨 42");
    check(&llama, "窗 ñ 👀");       /* halves of characters */
    check(&llama, "</span><script> \t\x1b]0;x\x07");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(layers_and_heads), TEST(columns_and_special_tokens), TEST(scales),
        TEST(ranges), TEST(colour_maps), TEST(other_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
