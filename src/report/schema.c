/* SPDX-License-Identifier: MIT
 *
 * A record's columns -> its JSON Schema.
 * https://json-schema.org/draft/2020-12/json-schema-validation */
#include <string.h>

#include "report/provenance.h"

static void schema_members(struct jsonw *json, const struct record *record);

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

static void type(struct jsonw *json, const char *name, bool nullable)
{
    if (!nullable) {
        jsonw_member_string(json, "type", name);
        return;
    }
    jsonw_key(json, "type");
    jsonw_array(json);
    jsonw_string(json, name);
    jsonw_string(json, "null");
    jsonw_end(json, ']');
}

/* What may stand instead of one type: the values of a choice; no integer is below 0
 * unless its limits say so. */
static void limits(struct jsonw *json, const struct column *column, bool nullable)
{
    if (column->choices != NULL) {
        jsonw_key(json, "enum");
        jsonw_array(json);
        for (int i = 0; column->choices[i] != NULL; i++)
            jsonw_string(json, column->choices[i]);
        if (nullable)
            jsonw_null(json);
        jsonw_end(json, ']');
    }
    if (column->least < column->most) {
        jsonw_member_double(json, "minimum", column->least);
        jsonw_member_double(json, "maximum", column->most);
    } else if (strcmp(schema_type_of(column->kind), "integer") == 0) {
        jsonw_member_int(json, "minimum", 0);
        if (column->kind == COLUMN_BYTE)
            jsonw_member_int(json, "maximum", 1);
    }
}

static void tuple(struct jsonw *json, const struct record *record)
{
    jsonw_member_string(json, "type", "array");
    jsonw_key(json, "prefixItems");
    jsonw_array(json);
    schema_members(json, record);
    jsonw_end(json, ']');
    jsonw_member_int(json, "minItems", record->n);
    jsonw_member_int(json, "maxItems", record->n);
}

static bool is_required(const struct column *column)
{
    return (column->where & IN_JSON) != 0 && column->null != NULL_ABSENT && !column->optional;
}

static void object(struct jsonw *json, const struct record *record)
{
    jsonw_member_string(json, "type", "object");
    jsonw_key(json, "required");
    jsonw_array(json);
    if (record->schema != NULL)
        jsonw_string(json, "schema");
    for (int i = 0; i < record->n; i++)
        if (is_required(&record->columns[i]))
            jsonw_string(json, record->columns[i].name);
    jsonw_end(json, ']');
    jsonw_key(json, "properties");
    jsonw_object(json);
    if (record->schema != NULL) {
        jsonw_key(json, "schema");
        jsonw_object(json);
        jsonw_member_string(json, "const", record->schema);
        jsonw_end(json, '}');
        jsonw_key(json, "provenance");
        jsonw_object(json);
        jsonw_member_string(json, "description",
                            "the run that wrote it; of several objects the first "
                            "has it");
        object(json, &provenance_record);
        jsonw_end(json, '}');
    }
    schema_members(json, record);
    jsonw_end(json, '}');
}

/* One value of a column; a list's elements. */
static void value(struct jsonw *json, const struct column *column, bool nullable)
{
    if (column->kind != COLUMN_RECORD) {
        type(json, schema_type_of(column->kind), nullable);
        limits(json, column, nullable);
    } else if (column->of->tuple) {
        tuple(json, column->of);
    } else {
        object(json, column->of);
    }
}

static void schema_describe(struct jsonw *json, const struct column *column)
{
    char text[256];

    if (column->unit != NULL && column->unit[0] != '\0')
        snprintf(text, sizeof text, "%s; unit: %s", column->help, column->unit);
    else
        snprintf(text, sizeof text, "%s", column->help);
    jsonw_member_string(json, "description", text);
}

static void schema_member(struct jsonw *json, const struct column *column)
{
    jsonw_object(json);
    schema_describe(json, column);
    if (column->list) {
        type(json, "array", column->null == NULL_SHOWN);
        jsonw_key(json, "items");
        jsonw_object(json);
        value(json, column, column->null_items);
        jsonw_end(json, '}');
    } else {
        value(json, column, column->null == NULL_SHOWN);
    }
    jsonw_end(json, '}');
}

/* The columns' schemas: members of an object, or of a tuple's list. */
static void schema_members(struct jsonw *json, const struct record *record)
{
    for (int i = 0; i < record->n; i++) {
        if ((record->columns[i].where & IN_JSON) == 0)
            continue;
        if (!record->tuple)
            jsonw_key(json, record->columns[i].name);
        schema_member(json, &record->columns[i]);
    }
}

void record_schema(const struct record *record, FILE *file)
{
    struct jsonw json;

    jsonw_init(&json, file);
    json.indented = true;
    jsonw_object(&json);
    jsonw_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    jsonw_member_string(&json, "title", record->schema);
    jsonw_member_string(&json, "description", record->help);
    object(&json, record);
    jsonw_end(&json, '}');
    jsonw_newline(&json);
}
