/* SPDX-License-Identifier: MIT
 * A text's tokens, and nothing else: what a tokeniser's steps cost without the report.
 *     encode FOLDER FILE [words]
 * The status is 0, or that of the error, which is printed. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "text/tok.h"

static int encode(struct arena *a, const char *folder, const char *file, bool words,
                  struct err *e)
{
    struct tok *tok = tok_open(a, folder, e);
    struct tok_input in = { .words = words };
    struct tokens out;
    struct span text;

    if (tok == NULL || file_map(file, &text, e) != 0)
        return -1;
    in.text = (const char *)text.data;
    in.text_size = text.size;
    return tok_encode(tok, a, &in, &out, e);
}

int main(int argc, char **argv)
{
    struct arena a;
    struct err e = { 0 };

    if (argc < 3)
        return ERR_USAGE;
    arena_init(&a, NULL, NULL);
    if (encode(&a, argv[1], argv[2], argc > 3, &e) == 0)
        return 0;
    fprintf(stderr, "%s\n", e.msg);
    return (int)e.kind;
}
