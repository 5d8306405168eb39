/* SPDX-License-Identifier: MIT
 * export --all of each family: the scores' softmax is its attention, which other tests
 * compare with the reference library; and each array is there, with its shape. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "ref/golden.h"

/* A row of float weights differs from the softmax in double of float scores by this. */
static const double SOFTMAX_MAX = 2e-6;

enum { MOST_LAYERS = 64 };      /* of a small model */

/* The first run of one text without global tokens, "1,5,9"; NULL: there is none. */
static const char *ids_of(struct golden *g)
{
    const json_t *run, *ids;
    size_t i, k;

    json_array_foreach(json_object_get(g->root, "runs"), i, run) {
        const char *list = "";

        ids = json_object_get(run, "input_ids");
        if (!json_is_integer(json_array_get(ids, 0)) ||
            json_object_get(run, "global_tokens") != NULL ||
            json_object_get(run, "global_by_class") != NULL)
            continue;
        for (k = 0; k < json_array_size(ids); k++)
            list = arena_printf(&g->arena, "%s%s%lld", list, k > 0 ? "," : "",
                                (long long)json_integer_value(json_array_get(ids, k)));
        return list;
    }
    return NULL;
}

static void export_all(const char *model, const char *ids, const char *out)
{
    const char *program = getenv("MHA_VIZ") != NULL ? getenv("MHA_VIZ") : "./mha-viz";
    const char *const argv[] = { program, "export", "--all", "-q", "-m", model, "--ids", ids,
                                 "-o", out, NULL };
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("%s export --all -m %s --ids %s: status %d", program, model, ids, status);
}

static float *read_all(struct arena *a, const struct tensor *t)
{
    float *x = arena_alloc(a, (size_t)t->n_elements, sizeof *x);

    tensor_read(x, t, 0, t->n_elements);
    return x;
}

static const struct tensor *array(struct golden *g, const struct weights *w,
                                  const char *what, int layer, int n_dims)
{
    const char *name = arena_printf(&g->arena, "%s.%d", what, layer);
    const struct tensor *t = weights_find(w, name);

    if (t == NULL || t->n_dims != n_dims)
        fail_msg("%s: has no %s of %d dimensions", g->dir, name, n_dims);
    return t;
}

/* taken: what a sink that is not a key has of the row. */
static void check_row(const char *name, const float *score, const float *weight, double taken,
                      int64_t S, double *worst)
{
    double most = -INFINITY, sum = 0;

    for (int64_t s = 0; s < S; s++)
        most = fmax(most, (double)score[s]);
    for (int64_t s = 0; s < S; s++)
        sum += exp((double)score[s] - most);
    for (int64_t s = 0; s < S; s++)
        *worst = fmax(*worst, fabs(exp((double)score[s] - most) / sum * (1 - taken) -
                                   (double)weight[s]));
    if (*worst > SOFTMAX_MAX)
        fail_msg("%s: a weight is off by %.1e", name, *worst);
}

static void check_layer(struct golden *g, const struct weights *w, int l, double *worst)
{
    /* Where copies of keys stand in the softmax, their weights are summed in eff. */
    bool copies = weights_find(w, arena_printf(&g->arena, "eff.%d", l)) != NULL;
    const struct tensor *map = array(g, w, copies ? "eff" : "attn", l, 3);
    const struct tensor *scores = array(g, w, "scores", l, 3), *q = array(g, w, "q", l, 3);
    const struct tensor *k = array(g, w, "k", l, 3), *v = array(g, w, "v", l, 3);
    int64_t H = map->shape[0], T = map->shape[1], S = map->shape[2];
    float *score = read_all(&g->arena, scores), *weight = read_all(&g->arena, map);
    bool sinks = weights_find(w, arena_printf(&g->arena, "sink.%d", l)) != NULL;
    float *taken = sinks ? read_all(&g->arena, array(g, w, "sink", l, 2)) : NULL;

    assert_memory_equal(scores->shape, map->shape, 3 * sizeof *map->shape);
    assert_true(q->shape[0] == H && q->shape[1] == T);
    assert_true(H % k->shape[0] == 0 && k->shape[1] == S && k->shape[2] == q->shape[2]);
    assert_true(v->shape[0] == k->shape[0] && v->shape[1] == S);
    assert_int_equal(array(g, w, "out", l, 2)->shape[0], T);
    for (int64_t row = 0; row < H * T; row++)
        check_row(g->dir, score + row * S, weight + row * S,
                  taken != NULL ? (double)taken[row] : 0, S, worst);
}

static void case_test(void **state)
{
    struct golden g;
    struct err e = { ERR_NONE, "" };
    char path[] = "/tmp/mha-viz-inner-XXXXXX";
    double worst = 0;
    const char *ids;
    struct weights *w;
    int fd, n_layers = 0;

    if (golden_open(&g, *state, false) != 0)
        skip();
    ids = ids_of(&g);
    if (ids == NULL) {                  /* it reads pictures */
        golden_close(&g);
        return;
    }
    fd = mkstemp(path);
    close(fd);
    export_all(g.dir, ids, arena_printf(&g.arena, "%s.npz", path));
    w = npz_open(&g.arena, arena_printf(&g.arena, "%s.npz", path), &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    for (int l = 0; l < MOST_LAYERS; l++)       /* of some families not all attend */
        if (weights_find(w, arena_printf(&g.arena, "attn.%d", l)) != NULL) {
            check_layer(&g, w, l, &worst);
            n_layers++;
        }
    assert_true(n_layers > 0);
    print_message("# %s: softmax of scores within %.1e (want %.1e)\n", g.dir, worst,
                  SOFTMAX_MAX);
    weights_close(w);
    unlink(path);
    unlink(arena_printf(&g.arena, "%s.npz", path));
    golden_close(&g);
}

int main(void)
{
    static const char *const own[] = { "bert", "gpt2", "llama", NULL };
    const char *const *const lists[] = { own, golden_folders("families") };
    static struct CMUnitTest tests[GOLDEN_MAX];
    size_t n = 0;

    for (int i = 0; i < 2; i++)
        for (const char *const *c = lists[i]; *c != NULL && n < GOLDEN_MAX; c++)
            tests[n++] = (struct CMUnitTest){ *c, case_test, NULL, NULL,
                                              (void *)(uintptr_t)*c };
    return _cmocka_run_group_tests("inner", tests, n, NULL, NULL);
}
