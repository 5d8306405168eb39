/* SPDX-License-Identifier: MIT
 * What a PNG holds, for scripts:
 *     pngdump FILE             its size, its texts ("text KEY<TAB>VALUE"), one a line
 *     pngdump FILE X Y [W H]   colours as RRGGBB, a row of pixels a line */
#include "png_read.h"

static int dump_pixels(const struct picture *p, int argc, char **argv)
{
    int x0 = atoi(argv[2]), y0 = atoi(argv[3]);
    int w = argc > 5 ? atoi(argv[4]) : 1, h = argc > 5 ? atoi(argv[5]) : 1;

    if (x0 < 0 || y0 < 0 || w < 1 || h < 1 || x0 > p->w - w || y0 > p->h - h) {
        fprintf(stderr, "pngdump: %s: the picture is %d x %d\n", argv[1], p->w, p->h);
        return 1;
    }
    for (int y = y0; y < y0 + h; y++)
        for (int x = x0; x < x0 + w; x++)
            printf("%06x%c", (unsigned)picture_at(p, x, y), x + 1 < x0 + w ? ' ' : '\n');
    return 0;
}

int main(int argc, char **argv)
{
    struct picture p;
    int bad = 0;

    if (argc != 2 && argc != 4 && argc != 6) {
        fprintf(stderr, "usage: pngdump FILE [X Y [W H]]\n");
        return 2;
    }
    if (picture_read(&p, argv[1]) != 0)
        return 1;
    if (argc > 2) {
        bad = dump_pixels(&p, argc, argv);
    } else {
        printf("size %d %d\n", p.w, p.h);
        for (int i = 0; i < p.n_text; i++)
            printf("text %s\t%s\n", p.text[i].key, p.text[i].text);
    }
    picture_free(&p);
    return bad;
}
