/* SPDX-License-Identifier: MIT
 * The provenance of a run -> JSON, or pairs of key and value. */
#include "report/provenance.h"

#define WHERE .where = IN_JSON
#define F(f) offsetof(struct provenance_model, f)
static const struct column model_columns[] = {
    { "name", "name of the model", .kind = COLUMN_TEXT, WHERE, .field = F(name) },
    { "family", "name of its family", .kind = COLUMN_TEXT, WHERE, .null = NULL_ABSENT,
      .field = F(family) },
    { "hash", "of its configuration, its tokeniser and samples of its weights, as info has it",
      .kind = COLUMN_TEXT, WHERE, .null = NULL_ABSENT, .field = F(hash) },
};
#undef F

static const struct record model_record = {
    .help = "a model of the run", .size = sizeof(struct provenance_model),
    RECORD_COLUMNS(model_columns),
};

#define F(f) offsetof(struct provenance, f)
static const struct column columns[] = {
    { "program", "name, version, and a kernel that is not as the others", .kind = COLUMN_TEXT,
      WHERE, .field = F(program) },
    { "command", "the command line, quoted for a POSIX shell", .kind = COLUMN_TEXT, WHERE,
      .field = F(command) },
    { "models", "in the order of the command line", .kind = COLUMN_RECORD, WHERE, .list = true,
      .of = &model_record, .field = F(models) },
    { "file", "of the texts; - is standard input", .kind = COLUMN_TEXT, WHERE,
      .null = NULL_ABSENT, .field = F(file) },
    { "sha256", "of that file", .kind = COLUMN_TEXT, WHERE, .null = NULL_ABSENT,
      .field = F(sha256) },
    { "line", "of that file, and the piece of it", .kind = COLUMN_TEXT, WHERE,
      .null = NULL_ABSENT, .field = F(line) },
};
#undef F
#undef WHERE

const struct record provenance_record = {
    .help = "the run that wrote it", .size = sizeof(struct provenance), RECORD_COLUMNS(columns),
};

static const char *model_text(struct arena *a, const struct provenance_model *model)
{
    return model->hash == NULL ? model->name :
           arena_printf(a, "%s (%s, %s)", model->name, model->family, model->hash);
}

int provenance_pairs(const struct provenance *provenance, struct arena *a,
                     struct provenance_pair to[PROVENANCE_PAIRS])
{
    const struct provenance_model *model = provenance->models.at;
    const struct provenance_pair all[PROVENANCE_PAIRS] = {
        { "Software", provenance->program },
        { "mha-viz:command", provenance->command },
        { "mha-viz:model", provenance->models.n > 0 ? model_text(a, &model[0]) : NULL },
        { "mha-viz:second-model", provenance->models.n > 1 ? model_text(a, &model[1]) : NULL },
        { "mha-viz:file", provenance->file },
        { "mha-viz:sha256", provenance->sha256 },
        { "mha-viz:line", provenance->line },
    };
    int n = 0;

    for (int i = 0; i < PROVENANCE_PAIRS; i++)
        if (all[i].value != NULL)
            to[n++] = all[i];
    return n;
}
