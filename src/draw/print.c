/* SPDX-License-Identifier: MIT
 * A sheet to lines of text. */
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

    canvas_init(&canvas, a, s->terminal);
    if (s->title != NULL && s->title[0] != '\0')
        canvas_at(&canvas, print_text(&canvas, 0, s->title, true), 0);
    for (int i = 0; i < s->n_parts; i++) {
        if (s->parts[i].type->print == NULL)
            return err_set(e, ERR_USAGE, "a terminal does not show this picture; give -o "
                           "FILE.png, .svg or .pdf");
        s->parts[i].type->print(s->parts[i].of, &canvas);
    }
    if (s->caption != NULL && s->caption[0] != '\0')
        print_text(&canvas, canvas.n_rows + 1, s->caption, false);
    canvas_write(&canvas, f);
    return 0;
}
