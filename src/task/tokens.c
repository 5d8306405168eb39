/* SPDX-License-Identifier: MIT
 * tokens: the tokens of a text; requires only the tokeniser's files. */
#include "task/common/records.h"
#include "task/common/job.h"

struct tokens_args {
    struct shared_args shared;
};

static const struct opt_group *const groups[] = {
    &output_reports.group, &model_group, &text_group, &split_group, NULL
};

static const char *const examples[] = {
    "mha-viz tokens 我喜欢吃苹果",
    "mha-viz tokens --json 'the cat saw the dog'",
    NULL
};

/* ---- records ---- */

struct token_row {
    int position, id;
    const char *piece;
    struct text_span label;
    struct range chars, bytes;
    int type;
    unsigned char special;
};

#define F(f) offsetof(struct token_row, f)
static const struct column token_columns[] = {
    { "position", "number of the token, from 0", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(position) },
    { "id", "its number in the vocabulary", .kind = COLUMN_INT, .where = IN_TABLE | IN_TSV,
      .field = F(id) },
    { "token", "its piece of the vocabulary", .kind = COLUMN_TEXT,
      .where = IN_TABLE | IN_TSV, .field = F(piece) },
    { "label", "the text that the piece stands for", .kind = COLUMN_SPAN,
      .where = IN_TABLE | IN_TSV, .field = F(label) },
    { "start", "first code point of the text", "code points", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(chars.start) },
    { "end", "end of it, exclusive", "code points", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(chars.end) },
    { "byte_start", "first byte of the text", "bytes", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(bytes.start) },
    { "byte_end", "end of it, exclusive", "bytes", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(bytes.end) },
    { "type_id", "0, or 1 in the second text of a pair", .kind = COLUMN_INT,
      .where = IN_TABLE | IN_TSV, .field = F(type) },
    { "special", "1: the tokeniser calls its id special", .kind = COLUMN_BYTE,
      .where = IN_TABLE | IN_TSV, .field = F(special) },
};
#undef F

static const struct record token_record = {
    .help = "a token", .size = sizeof(struct token_row), RECORD_COLUMNS(token_columns),
};

#define F(f) offsetof(struct range, f)
static const struct column range_columns[] = {
    { "start", "the first one", .kind = COLUMN_INT, .where = IN_JSON, .field = F(start) },
    { "end", "the end, exclusive", .kind = COLUMN_INT, .where = IN_JSON, .field = F(end) },
};
#undef F

static const struct record range_record = {
    .help = "a span of the text", .size = sizeof(struct range), .tuple = true,
    RECORD_COLUMNS(range_columns),
};

struct text_row {
    struct records_text_id id;
    struct list ids, pieces, labels, chars, bytes, types, special, words, tokens;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_TOKENS,
    { "ids", "numbers in the vocabulary", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .field = F(ids) },
    { "tokens", "pieces of the vocabulary", .kind = COLUMN_TEXT, .list = true,
      .where = IN_JSON, .field = F(pieces) },
    { "labels", "the text that each piece stands for", .kind = COLUMN_SPAN, .list = true,
      .where = IN_JSON, .field = F(labels) },
    { "offsets", "span of each in the text", "code points", .kind = COLUMN_RECORD,
      .list = true, .where = IN_JSON, .of = &range_record, .field = F(chars) },
    { "bytes", "the same in bytes of UTF-8", "bytes", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &range_record, .field = F(bytes) },
    { "type_ids", "0, or 1 in the second text of a pair", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .field = F(types) },
    { "special", "1: the tokeniser calls its id special", .kind = COLUMN_BYTE,
      .list = true, .where = IN_JSON, .field = F(special) },
    { "words", "with --words: number of the word that each is of, from 0 through both texts; "
      "null: of none", .kind = COLUMN_INT, .list = true, .where = IN_JSON, .optional = true,
      .null_items = true, .field = F(words) },
    { "rows", "one row per token", .kind = COLUMN_RECORD, .list = true, .where = IN_TSV,
      .of = &token_record, .field = F(tokens) },
};
#undef F

static const struct record text_record = {
    .schema = "mha-viz/tokens/1", .help = "the tokens of a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* ---- rows ---- */

static struct list token_rows(struct arena *a, const struct tokens *tokens)
{
    struct token_row *row = arena_alloc(a, (size_t)tokens->n, sizeof *row);

    for (int i = 0; i < tokens->n; i++)
        row[i] = (struct token_row){
            i, tokens->id[i], tokens->piece[i], records_label(tokens, i), tokens->chars[i],
            tokens->bytes[i], tokens->type[i], tokens->special[i],
        };
    return (struct list){ row, tokens->n };
}

/* Ids come without words. */
static struct list words(struct arena *a, const struct tokens *tokens)
{
    int *none;

    if (tokens->word != NULL)
        return (struct list){ tokens->word, tokens->n };
    none = arena_alloc(a, (size_t)tokens->n, sizeof *none);
    for (int i = 0; i < tokens->n; i++)
        none[i] = -1;
    return (struct list){ none, tokens->n };
}

static struct text_row tokens_text_row(const struct session *session, struct arena *a,
                                       const struct item *item)
{
    const struct tokens *tokens = &item->tokens;
    int count = tokens->n;

    return (struct text_row){
        .id = records_text_id(session, item),
        .ids = { tokens->id, count },
        .pieces = records_pieces(tokens),
        .labels = records_labels(a, tokens),
        .chars = { tokens->chars, count },
        .bytes = { tokens->bytes, count },
        .types = { tokens->type, count },
        .special = { tokens->special, count },
        .words = session->asked->words ? words(a, tokens) : (struct list){ NULL, 0 },
        .tokens = token_rows(a, tokens),
    };
}

static int tokens_prepare(void *self, struct err *e)
{
    static const char *const of_words[] = { "words", NULL };
    struct job *job = self;

    (void)e;
    job->record = job->s.asked->words ?
                      &text_record : record_without(job->s.a, &text_record, IN_JSON, of_words);
    return 0;
}

struct telling {
    const struct job *job;
    const struct item *item;
};

static void tokens_tell(void *self, struct arena *a, int i, struct results_text *text)
{
    const struct telling *t = self;
    struct text_row *row = arena_alloc(a, 1, sizeof *row);

    *row = tokens_text_row(&t->job->s, a, &t->item[i]);
    *text = (struct results_text){ row, &token_record, &row->tokens, 1, NULL };
}

/* On any thread. */
static void format(void *self, struct arena *a, const struct item *item, struct memory_file *to)
{
    const struct job *job = self;
    struct telling telling = { job, item };
    struct results_text told;

    tokens_tell(&telling, a, 0, &told);
    results_format(&job->results, a, item, &told, to);
}

static void tokens_begin(void *self)
{
    struct job *job = self;

    input_report_ahead(job->in, format, job);
}

static int tokens_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct job *job = self;
    struct telling telling = { job, item };

    if (item->tokens.id == NULL)        /* of a picture, of rows, of attention: a library's text */
        return err_set(e, ERR_USAGE, "%s: an array has no tokens", job->s.name);
    return results_texts(&job->results, a, item, 1, tokens_tell, &telling, e);
}

static const struct job_kind kind = { .outputs = &output_reports, .tokens_only = true,
                                      .prepare = tokens_prepare, .begin = tokens_begin,
                                      .text = tokens_text };

static int tokens_run(const void *args, int n_operands, char **operands, const struct env *env,
                      struct err *e)
{
    struct job job = { args, n_operands, operands };

    return job_run(&job, &kind, env, e);
}

const struct cmd cmd_tokens = {
    .name = "tokens", .summary = "show the tokens of a text, their ids and spans",
    .operands = "TEXT [TEXT_B]", .groups = groups,
    .args_size = sizeof(struct tokens_args), .examples = examples,
    .max_operands = 2, .minor = true, .run = tokens_run,
    .records = (const struct record *const[]){ &text_record, NULL },
};
