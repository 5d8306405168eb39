/* SPDX-License-Identifier: MIT
 * One change of a JSON value that leaves it JSON. */
#ifndef FUZZ_JSON_CHANGE_H
#define FUZZ_JSON_CHANGE_H

#include <jansson.h>

#include "support/dice.h"

/* A value somewhere in the object: another number or text, another type, gone, or twice. */
void json_change(json_t *object, struct dice *d);

#endif
