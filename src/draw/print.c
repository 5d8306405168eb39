/* SPDX-License-Identifier: MIT
 * A sheet -> lines of text for a terminal. */
#include "draw/print.h"

#include <string.h>

#include "draw/canvas.h"
#include "draw/part.h"

static int print_text(struct canvas *canvas, int row, const char *text, bool bold)
{
    return canvas_paragraph(canvas, row, label_clean(canvas->arena, text, strlen(text),
                                                     LABEL_TEXT_CHARS), bold);
}

int print_sheet(const struct sheet *sheet, struct arena *a, FILE *file, struct err *e)
{
    struct canvas canvas;

    if (sheet->terminal->columns < CANVAS_LEAST)
        return err_set(e, ERR_USAGE,
                       "a terminal of %d column%s has no room for a picture; expected "
                       "at least %d",
                       sheet->terminal->columns, sheet->terminal->columns == 1 ? "" : "s",
                       CANVAS_LEAST);
    canvas_init(&canvas, a, sheet->terminal);
    if (sheet->title != NULL && sheet->title[0] != '\0')
        canvas_at(&canvas, print_text(&canvas, 0, sheet->title, true), 0);
    for (int i = 0; i < sheet->n_parts; i++)
        sheet->parts[i].type->print(sheet->parts[i].of, &canvas);
    if (sheet->caption != NULL && sheet->caption[0] != '\0')
        print_text(&canvas, canvas.n_rows + 1, sheet->caption, false);
    canvas_write(&canvas, file);
    return 0;
}
