/* SPDX-License-Identifier: MIT
 * A sheet -> lines of text for a terminal. */
#include "draw/print.h"

#include <string.h>

#include "draw/canvas.h"
#include "draw/part.h"

static int print_text(struct canvas *c, int row, const char *text, bool bold)
{
    return canvas_paragraph(c, row, label_clean(c->arena, text, strlen(text),
                                                LABEL_TEXT_CHARS), bold);
}

int print_sheet(const struct sheet *s, struct arena *a, FILE *f, struct err *e)
{
    struct canvas canvas;

    if (s->terminal->columns < CANVAS_LEAST)
        return err_set(e, ERR_USAGE,
                       "a terminal of %d column%s has no room for a picture; expected "
                       "at least %d", s->terminal->columns, s->terminal->columns == 1 ? "" : "s",
                       CANVAS_LEAST);
    canvas_init(&canvas, a, s->terminal);
    if (s->title != NULL && s->title[0] != '\0')
        canvas_at(&canvas, print_text(&canvas, 0, s->title, true), 0);
    for (int i = 0; i < s->n_parts; i++)
        s->parts[i].type->print(s->parts[i].of, &canvas);
    if (s->caption != NULL && s->caption[0] != '\0')
        print_text(&canvas, canvas.n_rows + 1, s->caption, false);
    canvas_write(&canvas, f);
    return 0;
}
