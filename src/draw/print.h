/* SPDX-License-Identifier: MIT
 * A sheet on a terminal. */
#ifndef DRAW_PRINT_H
#define DRAW_PRINT_H

#include <stdio.h>

#include "base/arena.h"
#include "draw/sheet.h"

/*
 * Title, parts and caption below each other, no line wider than sheet->terminal->columns.
 * ERR_USAGE: it has fewer than CANVAS_LEAST.
 */
int print_sheet(const struct sheet *sheet, struct arena *a, FILE *file, struct err *e);

#endif
