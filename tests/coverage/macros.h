/* SPDX-License-Identifier: MIT
 *
 * Included first in a coverage build: jansson's questions as functions.  As macros they ask
 * twice whether the value is there, and the second time would count as a branch that is never
 * taken. */
#if !defined(COVERAGE_MACROS_H) && !defined(__ASSEMBLER__)
#define COVERAGE_MACROS_H

#include <jansson.h>

static inline int coverage_is(const json_t *value, json_type type)
{
    return value != NULL && json_typeof(value) == type;
}

#undef json_is_object
#undef json_is_array
#undef json_is_string
#undef json_is_integer
#undef json_is_real
#undef json_is_number
#undef json_is_true
#undef json_is_false
#undef json_is_boolean
#undef json_is_null
#define json_is_object(value)  coverage_is(value, JSON_OBJECT)
#define json_is_array(value)   coverage_is(value, JSON_ARRAY)
#define json_is_string(value)  coverage_is(value, JSON_STRING)
#define json_is_integer(value) coverage_is(value, JSON_INTEGER)
#define json_is_real(value)    coverage_is(value, JSON_REAL)
#define json_is_number(value)  (coverage_is(value, JSON_INTEGER) | coverage_is(value, JSON_REAL))
#define json_is_true(value)    coverage_is(value, JSON_TRUE)
#define json_is_false(value)   coverage_is(value, JSON_FALSE)
#define json_is_boolean(value) (coverage_is(value, JSON_TRUE) | coverage_is(value, JSON_FALSE))
#define json_is_null(value)    coverage_is(value, JSON_NULL)

#endif
