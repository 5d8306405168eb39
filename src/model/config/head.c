/* SPDX-License-Identifier: MIT
 * config.json -> the output head: its class, its labels, the inputs of a classifier. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "model/config/config_priv.h"

/* The library writes its labels, and their number only where they have no names. */
static void read_labels(const struct reader *reader, const json_t *root)
{
    const json_t *names = config_value(root, "id2label");
    size_t count = json_object_size(names);
    char key[16];

    if (count == 0 || count >= 1 << 28)
        return;
    reader->c->head.n_labels = (int)count;
    reader->c->head.label = arena_alloc(reader->a, count, sizeof *reader->c->head.label);
    for (size_t i = 0; i < count; i++) {
        const char *name;

        snprintf(key, sizeof key, "%zu", i);
        name = json_string_value(json_object_get(names, key));
        if (name != NULL)
            reader->c->head.label[i] = arena_strdup(reader->a, name);
    }
}

/* A mean over layers is another head, which is named as one that is not known. */
static void read_class(const struct reader *reader, const json_t *root)
{
    const json_t *all = config_value(root, "architectures");
    const char *name = json_string_value(json_array_get(all, 0));
    bool mixed = json_is_true(config_value(root, "use_weighted_layer_sum"));

    if (name != NULL)
        reader->c->head.class_name = arena_printf(reader->a, "%s%s", name, mixed ?
                                                  " with use_weighted_layer_sum" : "");
}

/* ModernBERT's key, and that of heads that summarise. */
static void read_pooling(const struct reader *reader, const json_t *root)
{
    static const struct { const char *word; enum head_scope rows; } ways[] = {
        { "cls", HEAD_FIRST }, { "first", HEAD_FIRST }, { "mean", HEAD_MEAN },
        { "last", HEAD_END }, { "cls_index", HEAD_END },
    };
    const json_t *value = config_value(root, "classifier_pooling");
    const char *word;

    if (value == NULL)
        value = config_value(root, "summary_type");
    word = json_string_value(value);
    reader->c->head.pooled = HEAD_FIRST;
    for (size_t i = 0; word != NULL && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(word, ways[i].word) == 0)
            reader->c->head.pooled = ways[i].rows;
}

static bool is_id(const json_t *v)
{
    return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) < 1 << 28;
}

static void read_id(const json_t *root, const char *key, int *id)
{
    const json_t *v = config_value(root, key);

    if (json_is_array(v))
        v = json_array_get(v, 0);
    if (is_id(v))
        *id = (int)json_integer_value(v);
}

/* One id or a list of them; what is none says nothing. */
static void read_ids(const struct reader *reader, const json_t *root, const char *key,
                     struct id_list *ids)
{
    const json_t *v = config_value(root, key);
    size_t count = json_is_array(v) ? json_array_size(v) : 1;
    int *id;

    if (v == NULL || count > INT_MAX)
        return;
    *ids = (struct id_list){ 0, id = arena_alloc(reader->a, count, sizeof *id) };
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_array(v) ? json_array_get(v, i) : v;

        if (is_id(one))
            id[ids->n++] = (int)json_integer_value(one);
    }
}

void config_head(const struct reader *reader, const json_t *root)
{
    read_class(reader, root);
    read_labels(reader, root);
    read_pooling(reader, root);
    reader->c->head.pad_id = reader->c->head.eos_id = -1;
    read_id(root, "pad_token_id", &reader->c->head.pad_id);
    read_id(root, "eos_token_id", &reader->c->head.eos_id);
    read_ids(reader, root, "bos_token_id", &reader->c->bos);
    read_ids(reader, root, "eos_token_id", &reader->c->eos);
    if (json_is_null(json_object_get(root, "summary_activation")))
        reader->c->head.summary_act = N_ACT;
}

void config_head_of_whole(const struct reader *reader, const json_t *root)
{
    read_class(reader, root);
    read_labels(reader, root);
    if (reader->c->bos.n == 0)
        read_ids(reader, root, "bos_token_id", &reader->c->bos);
    if (reader->c->eos.n == 0)
        read_ids(reader, root, "eos_token_id", &reader->c->eos);
}
