/* SPDX-License-Identifier: MIT
 *
 * A record's columns -> its JSON Schema.
 * https://json-schema.org/draft/2020-12/json-schema-validation */
#include <string.h>

#include "report/provenance.h"

static void schema_members(struct jsonw *j, const struct record *r);

static const char *schema_type_of(enum column_kind kind)
{
    switch (kind) {
    case COLUMN_REAL:
    case COLUMN_FLOAT:
        return "number";
    case COLUMN_BOOL:
        return "boolean";
    case COLUMN_TEXT:
    case COLUMN_SPAN:
        return "string";
    default:
        return "integer";
    }
}

static void type(struct jsonw *j, const char *name, bool nullable)
{
    if (!nullable) {
        jsonw_member_string(j, "type", name);
        return;
    }
    jsonw_key(j, "type");
    jsonw_array(j);
    jsonw_string(j, name);
    jsonw_string(j, "null");
    jsonw_end(j, ']');
}

/* What may stand instead of one type: the values of a choice; no integer is below 0
 * unless its limits say so. */
static void limits(struct jsonw *j, const struct column *c, bool nullable)
{
    if (c->choices != NULL) {
        jsonw_key(j, "enum");
        jsonw_array(j);
        for (int i = 0; c->choices[i] != NULL; i++)
            jsonw_string(j, c->choices[i]);
        if (nullable)
            jsonw_null(j);
        jsonw_end(j, ']');
    }
    if (c->least < c->most) {
        jsonw_member_double(j, "minimum", c->least);
        jsonw_member_double(j, "maximum", c->most);
    } else if (strcmp(schema_type_of(c->kind), "integer") == 0) {
        jsonw_member_int(j, "minimum", 0);
        if (c->kind == COLUMN_BYTE)
            jsonw_member_int(j, "maximum", 1);
    }
}

static void tuple(struct jsonw *j, const struct record *r)
{
    jsonw_member_string(j, "type", "array");
    jsonw_key(j, "prefixItems");
    jsonw_array(j);
    schema_members(j, r);
    jsonw_end(j, ']');
    jsonw_member_int(j, "minItems", r->n);
    jsonw_member_int(j, "maxItems", r->n);
}

static bool is_required(const struct column *c)
{
    return (c->where & IN_JSON) != 0 && c->null != NULL_ABSENT && !c->optional;
}

static void object(struct jsonw *j, const struct record *r)
{
    jsonw_member_string(j, "type", "object");
    jsonw_key(j, "required");
    jsonw_array(j);
    if (r->schema != NULL)
        jsonw_string(j, "schema");
    for (int i = 0; i < r->n; i++)
        if (is_required(&r->columns[i]))
            jsonw_string(j, r->columns[i].name);
    jsonw_end(j, ']');
    jsonw_key(j, "properties");
    jsonw_object(j);
    if (r->schema != NULL) {
        jsonw_key(j, "schema");
        jsonw_object(j);
        jsonw_member_string(j, "const", r->schema);
        jsonw_end(j, '}');
        jsonw_key(j, "provenance");
        jsonw_object(j);
        jsonw_member_string(j, "description", "the run that wrote it; of several objects the first "
                            "has it");
        object(j, &provenance_record);
        jsonw_end(j, '}');
    }
    schema_members(j, r);
    jsonw_end(j, '}');
}

/* One value of a column; a list's elements. */
static void value(struct jsonw *j, const struct column *c, bool nullable)
{
    if (c->kind != COLUMN_RECORD) {
        type(j, schema_type_of(c->kind), nullable);
        limits(j, c, nullable);
    } else if (c->of->tuple) {
        tuple(j, c->of);
    } else {
        object(j, c->of);
    }
}

static void schema_describe(struct jsonw *j, const struct column *c)
{
    char text[256];

    if (c->unit != NULL && c->unit[0] != '\0')
        snprintf(text, sizeof text, "%s; unit: %s", c->help, c->unit);
    else
        snprintf(text, sizeof text, "%s", c->help);
    jsonw_member_string(j, "description", text);
}

static void schema_member(struct jsonw *j, const struct column *c)
{
    jsonw_object(j);
    schema_describe(j, c);
    if (c->list) {
        type(j, "array", c->null == NULL_SHOWN);
        jsonw_key(j, "items");
        jsonw_object(j);
        value(j, c, c->null_items);
        jsonw_end(j, '}');
    } else {
        value(j, c, c->null == NULL_SHOWN);
    }
    jsonw_end(j, '}');
}

/* The columns' schemas: members of an object, or of a tuple's list. */
static void schema_members(struct jsonw *j, const struct record *r)
{
    for (int i = 0; i < r->n; i++) {
        if ((r->columns[i].where & IN_JSON) == 0)
            continue;
        if (!r->tuple)
            jsonw_key(j, r->columns[i].name);
        schema_member(j, &r->columns[i]);
    }
}

void record_schema(const struct record *r, FILE *f)
{
    struct jsonw json;

    jsonw_init(&json, f);
    json.indented = true;
    jsonw_object(&json);
    jsonw_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    jsonw_member_string(&json, "title", r->schema);
    jsonw_member_string(&json, "description", r->help);
    object(&json, r);
    jsonw_end(&json, '}');
    jsonw_newline(&json);
}
