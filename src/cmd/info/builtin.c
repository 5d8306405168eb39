/* SPDX-License-Identifier: MIT
 * The built-in models -> the rows of info --builtin. */
#include "cmd/info/info.h"
#include "model/builtin.h"

struct builtin_row {
    const char *name, *model, *family, *text, *pair;
    bool is_default;
    int layers, decoder_layers, heads, d_model, vocab;
    int64_t parameters, bytes;
};

static const char *show_layers(struct arena *a, const void *row)
{
    const struct builtin_row *r = row;

    return r->decoder_layers < 0 ? arena_printf(a, "%d", r->layers) :
           arena_printf(a, "%d + %d", r->layers, r->decoder_layers);
}

#define F(f) offsetof(struct builtin_row, f)
static const struct column columns[] = {
    { "name", "as -m takes it", .kind = COLUMN_TEXT, .where = IN_ALL, .field = F(name) },
    { "model", "name on the model's card", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .field = F(model) },
    { "default", "whether it is used without -m", .kind = COLUMN_BOOL,
      .where = IN_TSV | IN_JSON, .field = F(is_default) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_ALL,
      .field = F(family) },
    { "layers", "number of layers", .kind = COLUMN_INT, .where = IN_ALL, .show = show_layers,
      .field = F(layers) },
    { "decoder_layers", "layers of the decoder after an encoder", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .null = NULL_ABSENT, .field = F(decoder_layers) },
    { "heads", "heads of queries", .kind = COLUMN_INT, .where = IN_ALL, .field = F(heads) },
    { "d_model", "width of the model", .heading = "width", .kind = COLUMN_INT, .where = IN_ALL,
      .field = F(d_model) },
    { "vocab", "size of the vocabulary", "tokens", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .field = F(vocab) },
    { "parameters", "parameters as they are stored", .kind = COLUMN_LONG, .where = IN_ALL,
      .field = F(parameters) },
    { "bytes", "size of its files in the program", "bytes", .kind = COLUMN_LONG,
      .where = IN_ALL, .field = F(bytes) },
    { "text", "its sample text, used where none is given", .kind = COLUMN_TEXT,
      .where = IN_ALL, .null = NULL_ABSENT, .field = F(text) },
    { "pair", "the decoder's sample text", .kind = COLUMN_TEXT, .where = IN_ALL,
      .null = NULL_ABSENT, .field = F(pair) },
};
#undef F

const struct record info_builtin_record = {
    .schema = "mha-viz/info-builtin/1", .help = "a built-in model",
    .size = sizeof(struct builtin_row), RECORD_COLUMNS(columns),
};

static int64_t parameters(const struct model *model)
{
    int64_t sum = 0;

    for (int i = 0; i < N_COUNT_PART; i++) {
        struct count count = count_part(model, count_parts[i]);

        sum += count.weights + count.biases;
    }
    return sum;
}

static int info_builtin_fill(struct builtin_row *row, struct arena *a, const char *name,
                             struct err *e)
{
    struct model *m = model_open(a, name, e);
    struct builtin files;

    if (m == NULL || builtin_find(&files, name, e) != 0)
        return -1;
    *row = (struct builtin_row){
        .name = name, .model = m->name, .is_default = name == builtin_names[0],
        .family = m->family->name, .layers = m->config.n_layers,
        .decoder_layers = m->decoder != NULL ? m->decoder->config.n_layers : -1,
        .heads = m->config.n_heads, .d_model = m->config.d_model, .vocab = m->config.n_vocab,
        .parameters = parameters(m),
        .bytes = (int64_t)(files.config.size + files.tokenizer.size + files.weights.size),
        .text = m->config.card.text, .pair = m->config.card.pair,
    };
    model_close(m);
    return 0;
}

int info_builtin(struct arena *a, struct report *report, struct err *e)
{
    struct builtin_row *row;
    int n = 0;

    while (builtin_names[n] != NULL)
        n++;
    row = arena_alloc(a, (size_t)n, sizeof *row);
    for (int i = 0; i < n; i++)
        if (info_builtin_fill(&row[i], a, builtin_names[i], e) != 0)
            return -1;
    report->record = &info_builtin_record;
    if (report->format == REPORT_TABLE)
        record_table(report->record, row, n, a, report->file);
    else
        for (int i = 0; i < n; i++)
            report_row(report, &row[i]);
    return 0;
}
