/* SPDX-License-Identifier: MIT
 * tokens: what a text becomes; needs only the tokeniser's files. */
#include <string.h>

#include "cmd/shared.h"
#include "report/report.h"

enum format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
static const char *const formats[] = { "table", "tsv", "json", NULL };

struct tokens_args {
    struct shared_args shared;
    const char *out;
    int format;
};

#define F(f) offsetof(struct tokens_args, f)
static const struct opt opts[] = {
    { 'o', "output", "FILE", OPT_STRING, F(out), "-", 0, 0, NULL,
      "write here; - is standard output" },
    { 0, "format", "NAME", OPT_CHOICE, F(format), "table", 0, 0, formats,
      "of the list" },
    { 0, "json", NULL, OPT_ALIAS, 0, "format=json", 0, 0, NULL, "an object a text" },
    { 0, "tsv", NULL, OPT_ALIAS, 0, "format=tsv", 0, 0, NULL, "a row a token" },
    { 0 }
};
#undef F

static const struct opt *const shared[] = { model_opts, text_opts, NULL };

static const char *const examples[] = {
    "mha-viz tokens 我喜欢吃苹果",
    "mha-viz tokens --json 'the cat saw the dog'",
    NULL
};

struct job {
    struct session s;
    const struct tokens_args *args;
    struct out out;
    int n_texts;
};

/* ---- JSON ---- */

static void json_ints(struct jsonw *j, const char *key, const int *v, int n)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (int i = 0; i < n; i++)
        jsonw_int(j, v[i]);
    jsonw_end(j, ']');
}

static void json_ranges(struct jsonw *j, const char *key, const struct range *r, int n)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (int i = 0; i < n; i++) {
        jsonw_array(j);
        jsonw_int(j, r[i].start);
        jsonw_int(j, r[i].end);
        jsonw_end(j, ']');
    }
    jsonw_end(j, ']');
}

static void print_json(FILE *f, const struct item *item)
{
    const struct tokens *t = &item->tokens;
    struct jsonw j;

    jsonw_init(&j, f);
    jsonw_object(&j);
    jsonw_member_int(&j, "index", item->index);
    json_ints(&j, "ids", t->id, t->n);
    jsonw_key(&j, "tokens");
    jsonw_array(&j);
    for (int i = 0; i < t->n; i++)
        jsonw_string(&j, t->piece[i]);
    jsonw_end(&j, ']');
    json_ranges(&j, "offsets", t->chars, t->n);
    json_ranges(&j, "bytes", t->bytes, t->n);
    json_ints(&j, "type_ids", t->type, t->n);
    jsonw_key(&j, "special");
    jsonw_array(&j);
    for (int i = 0; i < t->n; i++)
        jsonw_int(&j, t->special[i]);
    jsonw_end(&j, ']');
    jsonw_end(&j, '}');
    jsonw_newline(&j);
}

/* ---- TSV and table ---- */

/* A piece of a byte-level vocabulary is unreadable, so its text stands beside it. */
static const char *const columns[] = {
    "index", "position", "id", "token", "text", "start", "end", "byte_start",
    "byte_end", "type", "special",
};
enum { N_COLUMN = sizeof columns / sizeof columns[0], TOKEN = 3, TEXT = 4 };

/* The numbers of token i, in the order of the columns; TOKEN and TEXT are none. */
static void numbers(const struct item *item, int i, int v[N_COLUMN])
{
    const struct tokens *t = &item->tokens;
    const int all[N_COLUMN] = {
        item->index, i, t->id[i], 0, 0, t->chars[i].start, t->chars[i].end,
        t->bytes[i].start, t->bytes[i].end, t->type[i], t->special[i],
    };

    memcpy(v, all, sizeof all);
}

static void print_tsv(FILE *f, const struct item *item, bool header)
{
    for (int k = 0; header && k < N_COLUMN; k++)
        tsv_field(f, k == 0, columns[k], strlen(columns[k]));
    if (header)
        tsv_end(f);
    for (int i = 0; i < item->tokens.n; i++) {
        const struct tokens *t = &item->tokens;
        int v[N_COLUMN];

        numbers(item, i, v);
        for (int k = 0; k < N_COLUMN; k++) {
            char s[16];
            size_t n = (size_t)snprintf(s, sizeof s, "%d", v[k]);

            if (k == TOKEN)
                tsv_field(f, false, t->piece[i], strlen(t->piece[i]));
            else if (k == TEXT)
                tsv_field(f, false, t->label[i], t->label_size[i]);
            else
                tsv_field(f, k == 0, s, n);
        }
        tsv_end(f);
    }
}

static void print_table(FILE *f, struct arena *a, const struct item *item)
{
    struct table_column heads[N_COLUMN];
    struct table *t;

    for (int k = 0; k < N_COLUMN; k++)
        heads[k] = (struct table_column){ columns[k], k == TOKEN || k == TEXT ? ALIGN_LEFT
                                                                       : ALIGN_RIGHT };
    t = table_new(a, heads + 1, N_COLUMN - 1);
    for (int i = 0; i < item->tokens.n; i++) {
        int v[N_COLUMN];

        numbers(item, i, v);
        for (int k = 1; k < N_COLUMN; k++) {
            if (k == TOKEN)
                table_cell(t, "%s", item->tokens.piece[i]);
            else if (k == TEXT)
                table_cell(t, "%s", report_clean(a, item->tokens.label[i],
                                                 item->tokens.label_size[i]));
            else
                table_cell(t, "%d", v[k]);
        }
    }
    table_print(t, f);
}

static void print_text(struct job *j, struct arena *a, const struct item *item)
{
    if (j->args->format == FORMAT_JSON)
        print_json(j->out.file, item);
    else if (j->args->format == FORMAT_TSV)
        print_tsv(j->out.file, item, j->n_texts == 0);
    else
        print_table(j->out.file, a, item);
    j->n_texts++;
}

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    struct input *in = input_open(&j->s, n_operands, operands, e);
    struct arena *a = j->s.a;
    struct item item;
    int rc;

    if (in == NULL || out_open(&j->out, j->args->out, false, e) != 0)
        return -1;
    for (struct arena_mark mark = arena_mark(a);
         (rc = input_next(in, a, &item, e)) == 1; arena_reset(a, mark))
        print_text(j, a, &item);
    return input_end(in, &j->out, rc, e);
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct job j = { .args = args };
    int rc = session_open(&j.s, &j.args->shared.asked, true, env, e);

    if (rc == 0)
        rc = run_job(&j, n_operands, operands, e);
    session_close(&j.s);
    return rc;
}

const struct cmd cmd_tokens = {
    .name = "tokens", .summary = "show the tokens of a text, their ids and spans",
    .operands = "TEXT [TEXT_B]", .opts = opts, .shared = shared,
    .args_size = sizeof(struct tokens_args), .examples = examples,
    .max_operands = 2, .run = run,
};
