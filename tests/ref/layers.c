/* SPDX-License-Identifier: MIT
 * Bare layers against PyTorch: each map of each text, and the layer's output, packed and
 * one by one, by every kernel; what export --all takes (make_layers.py). */
#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "task/export/inner.h"
#include "nn/nn.h"
#include "run/pair.h"
#include "weights/npz.h"

static const double MAP_MAX = 2e-5, OUT_MAX = 2e-5;
static const char dir[] = "tests/ref/layers";

struct bare {
    struct arena a;
    struct model *m;
    struct weights *npz;
    const char *kind;           /* what the names of maps begin with */
    const struct change *change;
    double worst_map, worst_out, worst_inner, map_max;
    int n_maps;                 /* compared with something */
};

/* An array [B, T, width] of the case; data NULL: it has none. */
struct array {
    const float *x;
    int B, T;
};

static struct array array_of(struct bare *c, const char *name)
{
    const struct tensor *t = weights_find(c->npz, name);
    float *x;

    if (t == NULL)
        return (struct array){ NULL, 0, 0 };
    x = arena_alloc(&c->a, (size_t)t->n_elements, sizeof *x);
    tensor_read(x, t, 0, t->n_elements);
    return (struct array){ x, (int)t->shape[0], (int)t->shape[1] };
}

static int *starts(struct arena *a, int n_texts, int n)
{
    int *start = arena_alloc(a, (size_t)n_texts + 1, sizeof *start);

    for (int t = 0; t < n_texts; t++)
        start[t + 1] = start[t] + n;
    return start;
}

/* The ids of a whole model's one text; NULL: a layer reads rows. */
static const int *ids_of(struct bare *c)
{
    const struct tensor *t = weights_find(c->npz, "ids");
    int *id;
    float x;

    if (t == NULL)
        return NULL;
    id = arena_alloc(&c->a, (size_t)t->n_elements, sizeof *id);
    for (int64_t i = 0; i < t->n_elements; i++) {
        tensor_read(&x, t, i, 1);
        id[i] = (int)x;
    }
    return id;
}

/* ---- one pass over texts first .. first + n - 1 of the case ---- */

struct look {
    struct bare *c;
    int first;
};

static void take(void *self, const struct rows *r, int n_heads)
{
    static const char *const names[] = { "attn", "dec", "cross" };
    struct look *k = self;
    char name[32];
    const struct tensor *want;

    (void)n_heads;
    snprintf(name, sizeof name, "%s%s.%d", k->c->kind, names[r->stack], r->layer);
    want = weights_find(k->c->npz, name);
    if (want == NULL)
        fail_msg("the reference has no %s", name);
    assert_int_equal(want->shape[2], r->n_queries);
    assert_int_equal(want->shape[3], r->n_all_keys);
    for (int t = 0; t < r->n_rows; t++)
        for (int s = 0; s < r->n_all_keys; s++) {
            int64_t at = (((k->first + r->text) * want->shape[1] + r->head) * r->n_queries +
                          r->row0 + t) * r->n_all_keys + s;
            float found = s < r->key0 || s >= r->key0 + r->n_keys ? 0 :
                          r->weight[(size_t)t * r->stride + (size_t)(s - r->key0)], expected;

            tensor_read(&expected, want, at, 1);
            k->c->worst_map = fmax(k->c->worst_map, fabs((double)found - (double)expected));
        }
    __atomic_fetch_add(&k->c->n_maps, 1, __ATOMIC_RELAXED);
}

static const float *text_of(const struct array *x, int text, int width)
{
    return x->x == NULL ? NULL : x->x + (int64_t)text * x->T * width;
}

/* Texts of T rows each. */
static struct batch batch_of(struct bare *c, const struct array *x, int first, int n)
{
    int width = c->m->config.d_model;
    struct values *v = arena_alloc(&c->a, (size_t)n, sizeof *v);
    const int *id = ids_of(c);

    for (int t = 0; t < n; t++)
        v[t] = (struct values){ 2, { x->T, width }, text_of(x, first + t, width) };
    return (struct batch){ .n_texts = n, .start = starts(&c->a, n, x->T), .id = id,
                           .values = id != NULL ? NULL : v };
}

static void pass(struct bare *c, int first, int n, const struct tap *tap)
{
    struct arena_mark mark = arena_mark(&c->a);
    const struct config *f = &c->m->config;
    bool pair = c->m->decoder != NULL;
    struct array in = array_of(c, "input"), mem = array_of(c, "memory");
    struct array val = array_of(c, "values"), out = array_of(c, "out");
    struct array target = pair ? array_of(c, "target") : in;
    struct batch b = batch_of(c, &in, first, n), after = batch_of(c, &target, first, n);
    int64_t width = pair ? c->m->decoder->d_hidden : c->m->d_hidden, count = n * target.T * width;
    struct look look = { c, first };
    const struct sink sink = { SINK_HEAD, take, NULL, &look };
    struct wanted want = { .hidden = arena_alloc(&c->a, (size_t)count, sizeof(float)) };
    struct memory memory;
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);

    if (mem.x == NULL && c->m->layer[0].slot[W_CROSS_Q].weight != NULL)
        mem = in;
    memory = (struct memory){ .x = text_of(&mem, first, f->cross.d_key),
                              .v = text_of(&val, first, f->cross.d_value),
                              .start = starts(&c->a, n, mem.T) };
    want.tap = tap;
    want.change = c->change;
    want.memory = mem.x != NULL ? &memory : NULL;
    if ((pair ? run_pair(c->m, &b, &after, &want, &sink, 1, par, &c->a, &e) :
                run_forward(c->m, &b, &want, &sink, 1, par, &c->a, &e)) != 0)
        fail_msg("%s", e.msg);
    for (int64_t i = 0; c->change == NULL && i < count; i++)
        c->worst_out = fmax(c->worst_out, fabs((double)want.hidden[i] -
                                               (double)text_of(&out, first, (int)width)[i]));
    par_free(par);
    arena_reset(&c->a, mark);
}

/* ---- what export --all takes ---- */

static double worst_of(struct bare *c, const struct tensor *found, const struct tensor *want)
{
    float *x = arena_alloc(&c->a, (size_t)found->n_elements, sizeof *x);
    float *y = arena_alloc(&c->a, (size_t)found->n_elements, sizeof *y);
    double worst = 0;

    if (want == NULL)
        fail_msg("the reference has no %s", found->name);
    assert_true(found->n_elements <= want->n_elements);     /* text 0 of several */
    tensor_read(x, found, 0, found->n_elements);
    tensor_read(y, want, 0, found->n_elements);
    for (int64_t i = 0; i < found->n_elements; i++)
        if (x[i] != y[i])           /* both may be -inf */
            worst = fmax(worst, fabs((double)x[i] - (double)y[i]));
    return worst;
}

static void add_arrays(struct inner *in, struct bare *c, enum stack_id stack,
                       const char *prefix)
{
    const struct model *m = c->m;

    for (int l = 0; l < m->config.n_layers; l++) {
        const struct tensor *map = weights_find(c->npz, arena_printf(&c->a, "%s.%d", prefix, l));

        export_inner_add(in, m, stack, prefix, l, (struct inner_shape){
            m->config.n_heads, (int)map->shape[2], (int)map->shape[3] });
    }
}

static void check_inner(struct bare *c)
{
    static const char *const prefix[] = { "attn", "dec", "cross" };
    struct arena_mark mark = arena_mark(&c->a);
    char path[] = "/tmp/mha-viz-layers-XXXXXX";
    int fd = mkstemp(path), *place, compared = 0;
    FILE *f = fdopen(fd, "w+");
    struct inner in = { .a = &c->a, .z = npz_new(&c->a, f) };
    struct tap tap = export_inner_tap(&in);
    struct err e = { ERR_NONE, "" };
    struct weights *w;

    in.head_place = place = arena_alloc(&c->a, (size_t)c->m->config.n_heads, sizeof *place);
    for (int h = 0; h < c->m->config.n_heads; h++)
        place[h] = h;
    for (int s = 0; s < N_STACK; s++)
        if (weights_find(c->npz, arena_printf(&c->a, "%s.0", prefix[s])) != NULL)
            add_arrays(&in, c, (enum stack_id)s, prefix[s]);
    pass(c, 0, 1, &tap);
    assert_int_equal(npz_finish(in.z, &e), 0);
    fclose(f);
    w = npz_open(&c->a, path, &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    for (int i = 0; i < weights_count(w); i++) {
        const struct tensor *t = weights_at(w, i);
        bool out = strstr(t->name, "out.") != NULL;

        if (out && c->m->layer[0].slot[W_UP].weight != NULL)
            continue;               /* what a layer goes on to add to */
        c->worst_inner = fmax(c->worst_inner,
                              worst_of(c, t, weights_find(c->npz, out ? "out" : t->name)));
        compared++;
    }
    assert_true(compared >= 4);
    weights_close(w);
    unlink(path);
    arena_reset(&c->a, mark);
}

static bool has_inner(struct bare *c)
{
    return weights_find(c->npz, "scores.0") != NULL ||
           weights_find(c->npz, "cross.scores.0") != NULL;
}

/* Relative positions are a product like others where those are in lower precision. */
static void check_bf16(struct bare *c, int n)
{
    const struct change change = { .precision = PRECISION_BF16 };

    if (weights_find(c->npz, "bf16.attn.0") == NULL)
        return;
    c->kind = "bf16.";
    c->change = &change;
    pass(c, 0, n, NULL);
    c->kind = "";
    c->change = NULL;
}

/* ---- cases ---- */

static json_t *cases;

/* The place of the string that the key has among these; 0: it has none. */
static int choice(json_t *options, const char *key, const char *first, const char *second)
{
    const char *value = json_string_value(json_object_get(options, key));

    return value == NULL ? 0 : strcmp(value, first) == 0 ? 1 : strcmp(value, second) == 0 ? 2 : 0;
}

static struct layer_asked asked_of(json_t *options)
{
    return (struct layer_asked){
        .heads = (int)json_integer_value(json_object_get(options, "heads")),
        .norm_first = json_is_true(json_object_get(options, "norm_first")),
        .unmasked = json_is_true(json_object_get(options, "unmasked")),
        .zero_key = json_is_true(json_object_get(options, "zero_attn")),
        .activation = json_string_value(json_object_get(options, "activation")),
        .relative = json_string_value(json_object_get(options, "relative")),
        .names = json_string_value(json_object_get(options, "names")),
        .prefix = json_string_value(json_object_get(options, "prefix")),
        .fused = (enum layer_fused)choice(options, "fused", "parts", "heads"),
        .order = (enum layer_order)choice(options, "order", "out-in", "in-out"),
    };
}

static void case_test(void **state)
{
    const char *name = *state;
    json_t *options = json_object_get(cases, name);
    struct bare c = { .kind = "", .map_max = MAP_MAX };
    struct err e = { ERR_NONE, "" };
    struct layer_asked asked = { 0 };
    int B;

    arena_init(&c.a, NULL, NULL);
    c.npz = npz_open(&c.a, arena_printf(&c.a, "%s/%s.npz", dir, name), &e);
    if (c.npz == NULL)
        fail_msg("%s", e.msg);
    asked = asked_of(options);
    asked.memory = weights_find(c.npz, "memory") != NULL;
    if (json_object_get(options, "within") != NULL)
        c.map_max = json_real_value(json_object_get(options, "within"));
    c.m = model_open_layer(&c.a, arena_printf(&c.a, "%s/%s.safetensors", dir, name), &asked,
                           &e);
    if (c.m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(c.m->n_unused, json_integer_value(json_object_get(options, "unused")));
    B = (int)weights_find(c.npz, "input")->shape[0];
    for (int k = N_KERNEL - 1; k >= KERNEL_C; k--) {
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) != 0)
            continue;
        pass(&c, 0, B, NULL);
        check_bf16(&c, B);
        for (int t = 0; B > 1 && t < B; t++)
            pass(&c, t, 1, NULL);
        if (has_inner(&c))
            check_inner(&c);
    }
    assert_true(c.n_maps >= c.m->config.n_layers * c.m->config.n_heads);
    print_message("# %s: maps within %.1e (want %.1e), output within %.1e, q, k, v and "
                  "scores within %.1e (want %.1e)\n", name, c.worst_map, c.map_max, c.worst_out,
                  c.worst_inner, OUT_MAX);
    assert_true(c.worst_inner <= OUT_MAX);
    assert_true(c.worst_map <= c.map_max);
    assert_true(c.worst_out <= OUT_MAX);
    model_close(c.m);
    weights_close(c.npz);
    arena_finish(&c.a);
}

int main(void)
{
    enum { MAX = 128 };
    static struct CMUnitTest tests[MAX];
    json_error_t why;
    const char *name;
    json_t *options;
    size_t n = 0;

    cases = json_load_file("tests/ref/layers/cases.json", 0, &why);
    json_object_foreach(cases, name, options)
        if (++n <= MAX)
            tests[n - 1] = (struct CMUnitTest){ name, case_test, NULL, NULL, (void *)name };
    if (n > MAX)
        fprintf(stderr, "tests/ref/layers.c: %zu cases, room for %d\n", n, MAX);
    return n == 0 || n > MAX ? 1 : _cmocka_run_group_tests("layers", tests, n, NULL, NULL);
}
