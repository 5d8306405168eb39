/* SPDX-License-Identifier: MIT
 * What the program itself prints and writes for every case: `stats --json` and `export`
 * against the reference library's attention.
 * file_tags=once */
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ref/golden.h"

struct where {
    const char *name;
    bool shared;
};

struct job {
    struct golden g;
    const json_t *run;
    struct sentence *s;
    int n_sentences, L, H;
    char dir[64], file[96], *ids, *rotations;   /* a folder of our own */
    const char *from, *given, *more[4];    /* options before and behind the file of ids, or those */
};

enum { MOST_LAYERS = 64 };      /* of a small model */

/* ---- the program ---- */

/* Runs it with standard output in a file; fails the test where it does not end with 0. */
static void viz(const char *const *argv, const char *out)
{
    const char *program = getenv("MHA_VIZ") != NULL ? getenv("MHA_VIZ") : "./mha-viz";
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);

        dup2(fd, 1);
        execv(program, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("%s %s -m %s: status %d", program, argv[1], argv[3], status);
}

static void write_global(FILE *f, const struct sentence *s)
{
    const char *comma = "";

    fputs(",\"global\":[", f);
    for (int i = 0; i < s->n; i++)
        if (s->global[i]) {
            fprintf(f, "%s%d", comma, i);
            comma = ",";
        }
    putc(']', f);
}

/* The array of a run that has no ids. */
static void write_values(const struct job *j, FILE *f)
{
    const struct values *v = &j->s[0].values;
    struct err e;

    assert_int_equal(npy_write(f, DTYPE_F32, v->n_dims, v->dim, v->x, &e), 0);
    assert_int_equal(fclose(f), 0);
}

/* A run as JSON lines of ids, so that the tokeniser is not asked. */
static void write_ids(const struct job *j)
{
    FILE *f = fopen(j->ids, "w");

    assert_non_null(f);
    if (j->s[0].id == NULL) {
        write_values(j, f);
        return;
    }
    for (int k = 0; k < j->n_sentences; k++) {
        const struct sentence *s = &j->s[k];

        fputs("{\"ids\":[", f);
        for (int i = 0; i < s->n; i++)
            fprintf(f, "%s%d", i > 0 ? "," : "", s->id[i]);
        fputs("],\"type_ids\":[", f);
        for (int i = 0; i < s->n; i++)
            fprintf(f, "%s%d", i > 0 ? "," : "", s->type[i]);
        putc(']', f);
        if (s->global != NULL && json_object_get(j->run, "global_by_class") == NULL)
            write_global(f, s);
        fputs("}\n", f);
    }
    assert_int_equal(fclose(f), 0);
}

/* A run with boxes, which lines of JSON cannot hold, by options. */
static void write_boxes(struct job *j)
{
    const struct sentence *s = &j->s[0];
    int64_t shape[] = { s->n, 4 };
    char *ids = arena_strdup(&j->g.arena, ""), *types = ids;
    struct err e;
    FILE *f;

    if (s->id == NULL || s->box == NULL)
        return;
    for (int i = 0; i < s->n; i++) {
        ids = arena_printf(&j->g.arena, "%s%s%d", ids, i > 0 ? "," : "", s->id[i]);
        types = arena_printf(&j->g.arena, "%s%s%d", types, i > 0 ? "," : "", s->type[i]);
    }
    f = fopen(j->ids, "w");
    assert_non_null(f);
    assert_int_equal(npy_write(f, DTYPE_I32, 2, shape, s->box, &e), 0);
    assert_int_equal(fclose(f), 0);
    j->more[0] = "--type-ids";
    j->more[1] = types;
    j->more[2] = "--boxes";
    j->more[3] = j->ids;
    j->from = "--ids";
    j->given = ids;
}

/* Those that the reference drew without a seed: a set a layer. */
static void write_rotations(struct job *j)
{
    const struct tensor *t;
    float *x = golden_array(&j->g, j->run, "rotations", &t);
    struct err e;
    FILE *f;

    if (x == NULL || t->n_dims != 5)
        return;
    f = fopen(j->rotations, "w");
    assert_non_null(f);
    assert_int_equal(npy_write(f, DTYPE_F32, t->n_dims, t->shape, x, &e), 0);
    assert_int_equal(fclose(f), 0);
    j->more[1] = "--rotations";
    j->more[2] = j->rotations;
}

static void check(const struct job *j, const char *what, double off, double tolerance)
{
    if (!(off <= tolerance))
        fail_msg("%s %s: %s is off by %.3g, expected at most %.3g", j->g.dir,
                 golden_id(j->run), what, off, tolerance);
}

/* ---- stats ---- */

struct sums {
    double distance, distance_abs, max, prev, self, next, first;
    float best;
};

/* The metrics' formulas, over a map [n, n]. */
static struct sums sums_of(const float *a, int n)
{
    struct sums s = { .best = -1 };

    for (int i = 0; i < n; i++) {
        const float *row = a + (size_t)i * (size_t)n;
        float max = 0;

        for (int j = 0; j < n; j++) {
            s.distance += (double)row[j] * (j - i) / n;
            s.distance_abs += (double)row[j] * abs(j - i) / n;
            max = row[j] > max ? row[j] : max;
            s.best = row[j] > s.best ? row[j] : s.best;
        }
        s.max += (double)max / n;
        s.self += (double)row[i] / n;
        s.first += (double)row[0] / n;
        s.prev += i > 0 ? (double)row[i - 1] / (n - 1) : 0;
        s.next += i < n - 1 ? (double)row[i + 1] / (n - 1) : 0;
    }
    return s;
}

static double number(const json_t *head, const char *key)
{
    const json_t *v = json_object_get(head, key);

    assert_true(json_is_number(v));
    return json_number_value(v);
}

/* Distances in the order of tokens, by their names or, of texts, by those without `prefix`. */
static void check_distances(const struct job *j, const json_t *head, const char *prefix,
                            const struct sums *s, int n)
{
    const double tol = j->g.tol_attn;
    const struct {
        const char *name;
        double want, tol;
        bool paired;            /* of rows that have a neighbour */
    } sum[] = { { "prev", s->prev, tol, true },
                { "next", s->next, tol, true },
                /* Up to n errors of tol, each times a distance below n / 2. */
                { "distance", s->distance, tol * n * n / 4, false },
                { "distance_abs", s->distance_abs, tol * n * n / 4, false } };

    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) {
        char name[32];

        snprintf(name, sizeof name, "%s%s", prefix, sum[i].name);
        if (sum[i].paired && n == 1)
            assert_true(json_is_null(json_object_get(head, name)));
        else
            check(j, name, fabs(number(head, name) - sum[i].want), sum[i].tol);
    }
}

static void check_head(const struct job *j, const json_t *head, const float *a, int n)
{
    const double tol = j->g.tol_attn;
    struct sums s = sums_of(a, n);
    json_t *links = json_object_get(head, "links"), *top = json_object_get(head, "top");

    check(j, "entropy", fabs(number(head, "entropy") - golden_entropy(a, n, 1e-9)),
          j->g.tol_entropy);
    check(j, "max_mean", fabs(number(head, "max_mean") - s.max), tol);
    check(j, "self", fabs(number(head, "self") - s.self), tol);
    check(j, "first", fabs(number(head, "first") - s.first), tol);
    check_distances(j, head, "token_", &s, n);
    if (j->s[0].id != NULL)     /* those of a picture are in the plane of its patches */
        check_distances(j, head, "", &s, n);
    assert_int_equal(json_array_size(links), n);
    for (int i = 0; i < n; i++) {
        const json_t *link = json_array_get(links, (size_t)i);
        int key = (int)json_integer_value(json_array_get(link, 1));

        assert_int_equal(json_integer_value(json_array_get(link, 0)), i);
        assert_in_range(key, 0, n - 1);
        check(j, "a link's weight", fabs(json_number_value(json_array_get(link, 2)) -
              (double)a[(size_t)i * (size_t)n + (size_t)key]), tol);
    }
    check(j, "the strongest weight",
          fabs(json_number_value(json_array_get(json_array_get(top, 0), 2)) -
               (double)s.best), tol);
}

/* Of a pair of towers that of the one which reads the text. */
static const char *family_of(const struct job *j, const struct sentence *s)
{
    const char *name = json_string_value(json_object_get(j->g.root, "family"));
    const struct family *f = family_find(name);

    return f == NULL || f->tower[TOWER_TEXT] == NULL ? name :
           f->tower[s->id != NULL ? TOWER_TEXT : TOWER_PICTURE]->name;
}

/* The nth layer that attends: all do, unless some of the family's do something else. */
static int layer_of(struct job *j, const struct sentence *s, int nth)
{
    for (int l = 0; l < MOST_LAYERS; l++)
        if (golden_attn(&j->g, j->run, s, l, j->H) != NULL && nth-- == 0)
            return l;
    fail_msg("%s: fewer layers than its entropies have", j->g.dir);
    return -1;
}

static void check_object(struct job *j, const json_t *o, int text)
{
    const struct sentence *s = &j->s[text];
    json_t *heads = json_object_get(o, "heads"), *head;
    size_t i;

    assert_string_equal(json_string_value(json_object_get(o, "schema")), "mha-viz/stats/2");
    assert_int_equal(json_integer_value(json_object_get(o, "index")), text);
    assert_string_equal(json_string_value(json_object_get(o, "family")),
                        family_of(j, s));
    assert_int_equal(json_array_size(json_object_get(o, "tokens")), s->n);
    assert_int_equal(json_array_size(json_object_get(o, "ids")), s->id != NULL ? s->n : 0);
    assert_int_equal(json_array_size(heads), j->L * j->H);
    for (i = 0; s->id != NULL && i < (size_t)s->n; i++)
        assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "ids"), i)),
                         s->id[i]);
    json_array_foreach(heads, i, head) {
        int l = layer_of(j, s, (int)i / j->H), h = (int)i % j->H;
        float *a = golden_attn(&j->g, j->run, s, l, j->H);

        assert_int_equal(json_integer_value(json_object_get(head, "layer")), l);
        assert_int_equal(json_integer_value(json_object_get(head, "head")), h);
        check_head(j, head, a + (size_t)h * (size_t)s->n * (size_t)s->n, s->n);
    }
}

static void check_stats(struct job *j)
{
    const char *const argv[] = { "mha-viz", "stats", "-m", j->g.model, "--json",
                                 "--entropy-eps", "1e-9", "--metric", "basic,"
                                 "token_distance,token_distance_abs,"
                                 "token_prev,token_next", j->from, j->given, j->more[0],
                                 j->more[1], j->more[2], j->more[3], NULL };
    FILE *f;

    viz(argv, j->file);
    f = fopen(j->file, "r");
    assert_non_null(f);
    for (int k = 0; k < j->n_sentences; k++) {
        json_error_t why;
        json_t *o = json_loadf(f, JSON_DISABLE_EOF_CHECK, &why);

        if (o == NULL)
            fail_msg("line %d: %s", k + 1, why.text);
        check_object(j, o, k);
        json_decref(o);
    }
    assert_int_equal(fgetc(f), '\n');
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
}

/* ---- export ---- */

static const struct tensor *array(const struct job *j, const struct weights *w,
                                  const char *name)
{
    const struct tensor *t = weights_find(w, name);

    if (t == NULL)
        fail_msg("%s %s: the export has no %s", j->g.dir, golden_id(j->run), name);
    return t;
}

/* The array WHAT.LAYER of the export, and that there is one only where one is expected. */
static void check_layer(struct job *j, const struct weights *w, const char *what, int text,
                        int l)
{
    const struct sentence *s = &j->s[text];
    const struct tensor *t;
    char name[32];
    float *got, *want = golden_map(&j->g, j->run, what, s, l, j->H);

    snprintf(name, sizeof name, "%.9s.%d", what, l);
    if (want == NULL) {
        assert_null(weights_find(w, name));
        return;
    }
    t = array(j, w, name);
    assert_int_equal(t->n_dims, 3);
    assert_int_equal(t->shape[0], j->H);
    assert_int_equal(t->shape[1], s->n);
    assert_int_equal(t->shape[2], s->n);
    got = arena_alloc(&j->g.arena, (size_t)t->n_elements, sizeof *got);
    tensor_read(got, t, 0, t->n_elements);
    for (int64_t h = 0, n = s->n; h < j->H; h++)
        check(j, name, strcmp(what, "eff") == 0 ?
                       golden_worst_sums(got + h * n * n, want + h * n * n, n) :
                       golden_worst(got + h * n * n, want + h * n * n, n * n),
              j->g.tol_attn);
}

static void check_hidden(struct job *j, const struct weights *w)
{
    const struct tensor *t = array(j, w, "hidden"), *want_t;
    float *want = golden_array(&j->g, j->run, "hidden", &want_t);
    float *got = arena_alloc(&j->g.arena, (size_t)t->n_elements, sizeof *got);

    tensor_read(got, t, 0, t->n_elements);
    assert_int_equal(t->n_elements, want_t->n_elements);
    check(j, "hidden", golden_worst(got, want, t->n_elements), j->g.tol_hidden);
}

static void check_npz(struct job *j, const char *path, int text)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = npz_open(&j->g.arena, path, &e);
    int ids[1024];

    if (w == NULL)
        fail_msg("%s: %s", path, e.msg);
    for (int l = 0; l <= layer_of(j, &j->s[text], j->L - 1); l++) {
        check_layer(j, w, "attn", text, l);
        check_layer(j, w, "eff", text, l);
    }
    if (j->s[text].id != NULL) {
        assert_int_equal(array(j, w, "ids")->dtype, DTYPE_I32);
        assert_int_equal(array(j, w, "ids")->n_elements, j->s[text].n);
        bytes_copy(ids, array(j, w, "ids")->data, (size_t)j->s[text].n, sizeof *ids);
        assert_memory_equal(ids, j->s[text].id, (size_t)j->s[text].n * sizeof *ids);
    } else {
        assert_null(weights_find(w, "ids"));
    }
    if (j->n_sentences == 1)
        check_hidden(j, w);
    assert_non_null(npz_strings(w, "tokens"));
    assert_int_equal(npz_strings(w, "tokens")->shape[0], j->s[text].n);
    weights_close(w);
}

static void check_export(struct job *j)
{
    char folder[96];
    const char *const argv[] = { "mha-viz", "export", "-m", j->g.model, "--hidden", "-o",
                                 folder, j->from, j->given, j->more[0], j->more[1],
                                 j->more[2], j->more[3], NULL };

    snprintf(folder, sizeof folder, "%s/", j->dir);
    viz(argv, j->file);
    for (int k = 0; k < j->n_sentences; k++) {
        char path[96];

        snprintf(path, sizeof path, "%s/%06d.npz", j->dir, k + 1);
        check_npz(j, path, k);
        unlink(path);
    }
}

/* ---- all runs of a case ---- */

static void case_test(void **state)
{
    const struct where *w = *state;
    struct job j = { .dir = "/tmp/mha-viz-test-XXXXXX" };
    const json_t *run;
    size_t i;

    if (golden_open(&j.g, w->name, w->shared) != 0)
        skip();
    assert_non_null(mkdtemp(j.dir));
    snprintf(j.file, sizeof j.file, "%s/out", j.dir);
    j.ids = arena_printf(&j.g.arena, "%s/source", j.dir);
    j.rotations = arena_printf(&j.g.arena, "%s/rotations", j.dir);
    json_array_foreach(json_object_get(j.g.root, "runs"), i, run) {
        const struct tensor *t;

        j.run = run;
        golden_array(&j.g, run, "entropy", &t);
        j.L = (int)t->shape[t->n_dims - 2];
        j.H = (int)t->shape[t->n_dims - 1];
        j.s = golden_sentences(&j.g, run, &j.n_sentences);
        j.given = j.ids;
        j.from = j.s[0].id != NULL ? "-f" : "--input";
        memset(j.more, 0, sizeof j.more);
        if (j.s[0].id != NULL)
            j.more[0] = "--jsonl";
        write_ids(&j);
        write_rotations(&j);
        write_boxes(&j);
        check_stats(&j);
        check_export(&j);
    }
    unlink(j.file);
    unlink(j.ids);
    unlink(j.rotations);
    assert_int_equal(rmdir(j.dir), 0);      /* nothing else was left there */
    golden_close(&j.g);
}

int main(void)
{
    const char *const *const lists[] = { golden_own, golden_adapted, golden_packed,
                                         golden_folders("families"), golden_shared };
    static struct where where[GOLDEN_MAX];
    static struct CMUnitTest tests[GOLDEN_MAX];
    static char names[GOLDEN_MAX][64];
    size_t n = 0;

    for (int i = 0; i < 5; i++)
        for (const char *const *c = lists[i]; *c != NULL && n < GOLDEN_MAX; c++) {
            where[n] = (struct where){ *c, i == 4 };
            snprintf(names[n], sizeof names[n], "%s%s", i == 4 ? "shared " : "", *c);
            tests[n] = (struct CMUnitTest){ names[n], case_test, NULL, NULL, &where[n] };
            n++;
        }
    return _cmocka_run_group_tests("program", tests, n, NULL, NULL);
}
