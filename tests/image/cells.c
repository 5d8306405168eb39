/* SPDX-License-Identifier: MIT
 * Pictures read back: every pixel of every cell has the colour of its number. */
#include "draw/figure/cells.h"
#include "draw/page.h"
#include "image/figure.h"
#include "image/png_read.h"

static int by_size(const void *x, const void *y)
{
    float a = *(const float *)x, b = *(const float *)y;

    return (a > b) - (a < b);
}

/* The least number that this share of the visible cells do not exceed. */
static float clipped(const struct heatmaps *maps, int only, double share)
{
    static float all[MAX_PANELS * 64 * 64];
    size_t n = 0, rank;

    for (int p = 0; p < maps->n_panels; p++)
        for (int i = 0; i < maps->panels[p].n_rows * maps->panels[p].n_cols; i++)
            if ((p == only || maps->shared) && !isnan(maps->panels[p].value[i]))
                all[n++] = maps->panels[p].value[i];
    qsort(all, n, sizeof *all, by_size);
    rank = (size_t)ceil(share * (double)n);
    return all[rank - 1];
}

/* The range of a panel as a reader of the manual would compute it. */
static void range_of(const struct heatmaps *maps, int only, float *lo, float *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int p = 0; p < maps->n_panels; p++) {
        const struct panel *panel = &maps->panels[p];
        int n = panel->n_rows * panel->n_cols;

        for (int i = 0; i < n && (p == only || maps->shared); i++)
            if (!isnan(panel->value[i])) {
                *lo = fminf(*lo, panel->value[i]);
                *hi = fmaxf(*hi, panel->value[i]);
            }
    }
    if (maps->clip > 0.0)
        *hi = clipped(maps, only, maps->clip);
    *lo = isnan(maps->vmin) ? *lo : maps->vmin;
    *hi = isnan(maps->vmax) ? *hi : maps->vmax;
}

static uint32_t wanted(const struct heatmaps *maps, float value, float lo, float hi)
{
    const unsigned char *c;

    if (isnan(value))
        return 0xd0d0d0;
    c = cmap_colour(maps->cmap, scale_index(maps->scale, value, lo, hi));
    return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

/* All pixels of the box, cell by cell, against value, a panel's numbers. */
static void check_panel(const struct picture *p, const struct heatmaps *maps,
                        struct box b, const struct panel *panel,
                        const float *value, float lo, float hi)
{
    int side = (int)b.w / panel->n_cols;

    assert_true(b.x == floor(b.x) && b.y == floor(b.y));
    assert_int_equal((int)b.w, side * panel->n_cols);
    assert_int_equal((int)b.h, side * panel->n_rows);
    for (int y = 0; y < (int)b.h; y++)
        for (int x = 0; x < (int)b.w; x++) {
            int cell = y / side * panel->n_cols + x / side;
            uint32_t got = picture_at(p, (int)b.x + x, (int)b.y + y);
            uint32_t want = wanted(maps, value[cell], lo, hi);

            if (got != want)
                fail_msg("cell %d, pixel %d %d: %06x, expected %06x", cell, x, y, got,
                         want);
        }
}

static uint32_t colour_at(const struct heatmaps *maps, int index)
{
    const unsigned char *c = cmap_colour(maps->cmap, index);

    return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

/* Some of the numbers of the bar's panels lie beyond an end. */
static void beyond(const struct heatmaps *maps, int only, float lo, float hi, bool *below,
                   bool *above)
{
    *below = *above = false;
    for (int p = 0; p < maps->n_panels; p++)
        for (int i = 0; i < maps->panels[p].n_rows * maps->panels[p].n_cols; i++) {
            float value = maps->panels[p].value[i];

            *below |= (only < 0 || p == only) && value < lo;
            *above |= (only < 0 || p == only) && value > hi;
        }
}

/* The bar right of these cells: the map's last colour above, its first below; an arrow, which
 * is white beside its tip, where there are numbers beyond.  only: of this panel; -1: of all. */
static void check_bar(const struct picture *p, const struct sample *s, struct box b, int only,
                      float lo, float hi)
{
    double px = s->sheet.dpi / 100.0;
    int x = (int)(b.x + b.w) + (int)fmax(round(px), 1.0) + (int)round(8.0 * px);
    int y = (int)b.y, arrow = (int)round(5.0 * px), end = y + (int)b.h - 1;
    bool below, above;

    beyond(&s->maps, only, lo, hi, &below, &above);
    if (b.h < 8.0 * arrow)
        below = above = false;
    assert_int_equal(picture_at(p, x + arrow, y + (above ? arrow : 0)),
                     colour_at(&s->maps, 255));
    assert_int_equal(picture_at(p, x + arrow, end - (below ? arrow : 0)),
                     colour_at(&s->maps, 0));
    assert_int_equal(picture_at(p, x, y), above ? 0xffffff : colour_at(&s->maps, 255));
    assert_int_equal(picture_at(p, x, end), below ? 0xffffff : colour_at(&s->maps, 0));
}

static bool has_one_bar(const struct heatmaps *maps)
{
    return maps->shared || (!isnan(maps->vmin) && !isnan(maps->vmax));
}

/* Beyond the last column, from the first panel's top down to the last's end or for 300 pixels. */
static void check_one_bar(const struct picture *p, const struct sample *s, const struct box *box,
                          float lo, float hi)
{
    const struct heatmaps *maps = &s->maps;
    int columns = maps->columns < maps->n_panels ? maps->columns : maps->n_panels;
    struct box all = box[columns - 1], last = box[maps->n_panels - 1];

    all.h = fmax(fmin(last.y + last.h - all.y, 3.0 * s->sheet.dpi), all.h);
    check_bar(p, s, all, -1, lo, hi);
}

static void read_back(struct sample *s, const float *const *value, struct picture *p,
                      bool bars)
{
    const struct heatmaps *maps = &s->maps;
    struct folder d;
    struct arena a;
    struct box box[MAX_PANELS];
    double width, height;

    folder_init(&d);
    arena_init(&a, NULL, NULL);
    draw_ok(s, DRAW_PNG, folder_file(&d, "a.png"));
    sample_boxes(s, &a, box, &width, &height);
    assert_int_equal(picture_read(p, folder_file(&d, "a.png")), 0);
    assert_int_equal(p->w, (int)width);
    assert_int_equal(p->h, (int)height);
    assert_int_equal(p->per_metre, (unsigned)(s->sheet.dpi / 0.0254 + 0.5));
    for (int i = 0; i < maps->n_panels; i++) {
        float lo, hi;

        range_of(maps, i, &lo, &hi);
        check_panel(p, maps, box[i], &maps->panels[i],
                    value != NULL ? value[i] : maps->panels[i].value, lo, hi);
        if (bars && !has_one_bar(maps))
            check_bar(p, s, box[i], i, lo, hi);
        else if (bars && i == 0)
            check_one_bar(p, s, box, lo, hi);
        /* the frame, and white beyond it */
        assert_int_equal(picture_at(p, (int)box[i].x - 1, (int)box[i].y), 0x808080);
        assert_int_equal(picture_at(p, (int)(box[i].x + box[i].w),
                                    (int)box[i].y), 0x808080);
    }
    assert_int_equal(picture_at(p, 0, 0), 0xffffff);
    assert_int_equal(picture_at(p, p->w - 1, p->h - 1), 0xffffff);
    arena_finish(&a);
    assert_int_equal(folder_finish(&d), 1);
}

static void check(struct sample *s, bool bars)
{
    struct picture p;

    read_back(s, NULL, &p, bars);
    picture_free(&p);
}

/* Two samples give the same bytes. */
static void assert_same(const struct sample *x, const struct sample *y)
{
    struct folder d;
    size_t n, m;
    char *one, *two;

    folder_init(&d);
    draw_ok(x, DRAW_PNG, folder_file(&d, "one.png"));
    draw_ok(y, DRAW_PNG, folder_file(&d, "two.png"));
    one = slurp(folder_file(&d, "one.png"), &n);
    two = slurp(folder_file(&d, "two.png"), &m);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
    free(one);
    free(two);
    folder_finish(&d);
}

static void test_plain(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 12, 16, 16, false);
    sample_labels(&s, 16, "token");
    s.maps.cell_px = 18;
    check(&s, true);
    s.maps.cell_px = 0;            /* chosen */
    check(&s, true);
    sample_finish(&s);
}

static void test_masked(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 3, 9, 9, true);
    s.maps.cell_px = 7;
    check(&s, true);
    sample_finish(&s);
}

static void test_one_range(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 4, 8, 8, true);
    s.maps.cell_px = 5;
    s.maps.shared = true;
    check(&s, true);
    s.maps.shared = false;
    s.maps.vmin = 0.1f;
    check(&s, true);
    s.maps.vmax = 0.3f;            /* cells beyond both ends */
    check(&s, true);
    s.maps.shared = true;
    s.maps.vmin = NAN;
    check(&s, true);
    sample_finish(&s);
}

/* Colours end at a quantile of the cells that are seen, of each panel or of all. */
static void test_clip(void **state)
{
    static const double shares[] = { 0.99, 0.9, 0.5, 1.0, 1e-9 };
    struct sample s;

    (void)state;
    sample_init(&s, 5, 60, 40, true);
    s.maps.cell_px = 3;
    for (int shared = 0; shared < 2; shared++)
        for (int i = 0; i < 4; i++) {
            s.maps.shared = shared != 0;
            s.maps.clip = shares[i];
            check(&s, true);
        }
    s.value[0] = -3.0f;             /* the least of all: nothing is left, and nothing clipped */
    s.maps.shared = false;
    s.maps.n_panels = 1;
    s.maps.clip = shares[4];
    {
        struct sample whole = s;

        whole.maps.clip = 0.0;
        whole.maps.panels = s.panel;
        assert_same(&s, &whole);
    }
    sample_finish(&s);
}

static void test_scales_and_maps(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 2, 11, 7, false);
    s.maps.cell_px = 3;
    for (int i = 0; i < N_SCALE; i++)
        for (const struct cmap *c = cmap_table; c->name != NULL; c++) {
            if (i == SCALE_ROW)
                continue;
            s.maps.scale = (enum scale)i;
            s.maps.cmap = c;
            check(&s, true);
        }
    sample_finish(&s);
}

/* Each row divided by its maximum: then the range ends at 1. */
static void test_rows(void **state)
{
    struct sample s, divided;
    const float *value[2];
    struct picture p;

    (void)state;
    sample_init(&s, 2, 6, 8, true);
    sample_init(&divided, 2, 6, 8, true);
    memset(s.value, 0, 8 * sizeof *s.value);            /* a row of zeros */
    memset(divided.value, 0, 8 * sizeof *s.value);
    for (int r = 0; r < 12; r++) {
        float *row = divided.value + 8 * r, max = 0.0f;

        for (int c = 0; c < 8; c++)
            max = row[c] > max ? row[c] : max;
        for (int c = 0; c < 8 && max > 0.0f; c++)
            row[c] /= max;
    }
    value[0] = divided.value;
    value[1] = divided.value + 48;
    s.maps.scale = SCALE_ROW;
    s.maps.cell_px = 4;
    s.maps.vmin = 0.0f;            /* so that range_of need not know the division */
    s.maps.vmax = 1.0f;
    read_back(&s, value, &p, true);
    picture_free(&p);
    divided.maps.cell_px = 4;
    s.maps.vmin = s.maps.vmax = NAN;
    assert_same(&s, &divided);
    sample_finish(&s);
    sample_finish(&divided);
}

static void test_dpi(void **state)
{
    static const int dpi[] = { 50, 100, 150, 200, 300 };
    static const int cell[] = { 1, 7, 16 };
    struct sample s;

    (void)state;
    sample_init(&s, 3, 10, 10, true);
    sample_labels(&s, 10, "word");
    s.maps.columns = 2;
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) {
            s.sheet.dpi = dpi[i];
            s.maps.cell_px = cell[c];
            check(&s, cell[c] == 16);
        }
    sample_finish(&s);
}

/* Cells of several tokens: labels are fewer, cells are what they are. */
static void test_pool(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 2, 13, 13, true);
    sample_labels(&s, 51, "word");              /* the last cell has 3 of 4 */
    s.maps.pool = 4;
    s.maps.cell_px = 6;
    check(&s, true);
    sample_finish(&s);
}

static bool apart(struct box x, struct box y)
{
    return x.x + x.w <= y.x || y.x + y.w <= x.x || x.y + x.h <= y.y || y.y + y.h <= x.y;
}

/* A page of this width: cells of whole pixels on paper of just that width, apart. */
static void check_page(struct sample *s, int mm, int dpi)
{
    double px = mm / 25.4 * 100.0, width, height;
    struct box box[MAX_PANELS];
    struct arena a;

    s->sheet.width_px = px;
    s->sheet.font_px = 6.0 / 0.72;
    s->sheet.dpi = dpi;
    check(s, false);
    arena_init(&a, NULL, NULL);
    sample_boxes(s, &a, box, &width, &height);
    assert_true(width == fmax(round(px * dpi / 100.0), 1.0));
    for (int i = 0; i < s->maps.n_panels; i++) {
        assert_true(box[i].x > 0 && box[i].x + box[i].w < width);
        for (int j = 0; j < i; j++)
            assert_true(apart(box[i], box[j]));
    }
    arena_finish(&a);
}

static void test_pages(void **state)
{
    static const int mm[] = { 40, 85, 174, 400 };
    char label[201];
    struct sample s;

    (void)state;
    memset(label, 'w', 200);
    label[200] = '\0';
    for (int i = 0; i < 4; i++)
        for (int n = 1; n <= 64; n *= 4)
            for (int kind = 0; kind < 3; kind++) {
                int columns = 0, pool;
                double least;
                struct heatmap_page page = { DRAW_PNG, 150, mm[i] / 25.4 * 100.0, 6.0 / 0.72,
                                             true, true, kind == 1, true };

                sample_init(&s, 12, n, n, true);
                sample_labels(&s, n, kind == 2 ? label : "word");
                s.maps.shared = kind == 1;
                assert_int_equal(heatmap_plan_page(&page, n, 12, &columns, &pool, &least), 0);
                assert_true(pool == 1 || (n == 64 && mm[i] <= 174));
                s.maps.columns = columns;
                if (pool == 1)
                    check_page(&s, mm[i], 150);
                sample_finish(&s);
            }
}

static void test_shapes(void **state)
{
    static const int shape[][2] = { { 1, 1 }, { 1, 40 }, { 40, 1 }, { 3, 64 } };
    struct sample s;

    (void)state;
    for (int i = 0; i < 4; i++) {
        sample_init(&s, 2, shape[i][0], shape[i][1], false);
        s.maps.rows = (struct label_list){ shape[i][0], s.label, NULL, NULL };
        s.maps.cols = (struct label_list){ shape[i][1], s.label, NULL, NULL };
        for (int k = 0; k < MAX_LABELS; k++)
            s.label[k] = "word";
        check(&s, false);
        sample_finish(&s);
    }
}

/* Nothing but equal numbers, nothing but masked cells: no division by zero. */
static void test_flat(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 2, 4, 4, false);
    for (int i = 0; i < 16; i++) {
        s.value[i] = 0.25f;
        s.value[16 + i] = NAN;
    }
    for (int i = 0; i < N_SCALE; i++) {
        s.maps.scale = (enum scale)i;
        check(&s, false);
    }
    s.maps.scale = SCALE_LINEAR;
    s.maps.shared = true;
    check(&s, false);
    sample_finish(&s);
}

/* 512 x 512 cells of one pixel. */
static void test_large(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s, 4, 512, 512, true);
    s.maps.cell_px = 1;
    check(&s, true);
    sample_finish(&s);
}

/* Two layers of five panels, three in a row: places 0-4 and 6-10. */
static void test_sheet(void **state)
{
    static const int place[] = { 0, 1, 2, 3, 4, 6, 7, 8, 9, 10 };
    struct box box[MAX_PANELS];
    struct arena arena;
    struct sample sample;

    (void)state;
    need_dejavu();
    sample_init(&sample, 10, 6, 6, true);
    sample_labels(&sample, 6, "token");
    sample.maps.sheet = true;
    sample.maps.columns = 3;
    sample.maps.no_bars = true;
    for (int i = 0; i < 10; i++) {
        sample.panel[i].note = "induction";
        sample.panel[i].place = place[i];
    }
    check(&sample, false);
    arena_init(&arena, NULL, NULL);
    sample_boxes(&sample, &arena, box, &(double){ 0 }, &(double){ 0 });
    arena_finish(&arena);
    for (int i = 1; i < 10; i++) {
        assert_true((box[i].x == box[0].x) == (place[i] % 3 == 0));
        assert_true((box[i].y == box[i - 1].y) == (place[i] / 3 == place[i - 1] / 3));
        assert_true(box[i].y >= box[i - 1].y);
    }
    sample_finish(&sample);
}

/* Pixels of a cell whose gray is at least lo and at most hi. */
static int count_ink(const struct picture *p, struct box cell, uint32_t lo, uint32_t hi)
{
    int n = 0;

    for (int y = (int)cell.y; y < (int)(cell.y + cell.h); y++)
        for (int x = (int)cell.x; x < (int)(cell.x + cell.w); x++)
            n += (picture_at(p, x, y) & 255) >= lo && (picture_at(p, x, y) & 255) <= hi;
    return n;
}

static void test_numbers(void **state)
{
    struct folder folder;
    struct box box[MAX_PANELS];
    struct sample sample;
    struct picture picture;
    struct arena arena;
    double side;

    (void)state;
    need_dejavu();
    arena_init(&arena, NULL, NULL);
    folder_init(&folder);
    sample_init(&sample, 1, 3, 3, true);
    sample.value[0] = 1.0f;
    sample.value[3] = sample.value[6] = 0.11f;
    sample.maps.cell_px = 60;
    sample.maps.numbers = true;
    sample.maps.cmap = cmap_find("gray");
    sample_boxes(&sample, &arena, box, &(double){ 0 }, &(double){ 0 });
    draw_ok(&sample, DRAW_PNG, folder_file(&folder, "a.png"));
    picture_read(&picture, folder_file(&folder, "a.png"));
    side = box[0].w / 3.0;
    assert_true(count_ink(&picture, (struct box){ box[0].x, box[0].y, side, side }, 0,
                          100) > 4);
    assert_true(count_ink(&picture, (struct box){ box[0].x, box[0].y + side, side, side },
                          150, 255) > 4);
    assert_int_equal(count_ink(&picture, (struct box){ box[0].x + side, box[0].y, side, side },
                               0xd0, 0xd0),
                     (int)(side * side));      /* masked: none */
    picture_free(&picture);
    folder_finish(&folder);
    sample_finish(&sample);
    arena_finish(&arena);
}

/* A map with a middle has 0 there, unless the ends are given. */
static void test_sign(void **state)
{
    struct scale_range range[2];
    struct sample sample;
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL, NULL);
    sample_init(&sample, 2, 4, 4, false);
    sample.value[5] = -3.0f;
    sample.maps.cmap = cmap_find("bluered_r");
    cells_ranges(&sample.maps, range, &arena);
    assert_true(range[0].lo == -3.0f && range[0].hi == 3.0f && range[1].lo >= 0.0f);
    sample.maps.vmax = 1.0f;
    cells_ranges(&sample.maps, range, &arena);
    assert_true(range[0].lo == -3.0f && range[0].hi == 1.0f);
    sample.maps.vmax = NAN;
    sample.maps.cmap = cmap_find("magma");
    cells_ranges(&sample.maps, range, &arena);
    assert_true(range[0].lo == -3.0f && range[0].hi <= 1.0f);
    sample_finish(&sample);
    arena_finish(&arena);
}

/* A picture over the cells: its left half is black, its right half of a colour whose grey is
 * known, (299 200 + 587 100 + 114 50) / 1000 = 124; a pixel is the mean of that and the cell. */
static void test_picture(void **state)
{
    enum { SIDE = 8, GREY = 124 };
    unsigned char rgb[SIDE * SIDE * 3] = { 0 };
    struct page_picture over = { SIDE, SIDE, rgb, 0 };
    struct sample s;
    struct folder d;
    struct picture p;
    struct arena a;
    struct box box[2];
    double width, height;

    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++)
        if (i % SIDE >= SIDE / 2)
            memcpy(rgb + (size_t)i * 3, (unsigned char[]){ 200, 100, 50 }, 3);
    sample_init(&s, 2, 4, 6, false);
    s.maps.picture = &over;
    folder_init(&d);
    arena_init(&a, NULL, NULL);
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    sample_boxes(&s, &a, box, &width, &height);
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    for (int i = 0; i < 2; i++) {
        float lo, hi;
        int side = (int)box[i].w / 6;

        range_of(&s.maps, i, &lo, &hi);
        for (int cell = 0; cell < 24; cell++) {
            int x = (int)box[i].x + cell % 6 * side + side / 2;
            uint32_t got = picture_at(&p, x, (int)box[i].y + cell / 6 * side + side / 2);
            uint32_t under = wanted(&s.maps, s.panel[i].value[cell], lo, hi);

            if (cell % 6 == 2 || cell % 6 == 3)     /* the edge of the halves is soft */
                continue;
            for (int c = 0; c < 24; c += 8)
                check_near("a colour over a cell", cell, got >> c & 255,
                           ((under >> c & 255) + (cell % 6 < 3 ? 0 : GREY)) / 2.0, 1.5);
        }
    }
    picture_free(&p);
    sample_finish(&s);
    arena_finish(&a);
    assert_int_equal(folder_finish(&d), 1);
}

/* A strip of two rows of cells below them, which are as without it. */
static void test_strip(void **state)
{
    enum { SIDE = 8 };
    unsigned char rgb[SIDE * SIDE * 3];
    struct page_picture strip = { SIDE, SIDE, rgb, 2 };
    struct sample s;
    struct folder d;
    struct picture p;
    struct arena a;
    struct box box[2];
    double width, height;

    (void)state;
    memset(rgb, 90, sizeof rgb);
    sample_init(&s, 2, 4, 6, false);
    s.maps.picture = &strip;
    folder_init(&d);
    arena_init(&a, NULL, NULL);
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    sample_boxes(&s, &a, box, &width, &height);
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    for (int i = 0; i < 2; i++) {
        struct box cells = box[i];
        float lo, hi;

        range_of(&s.maps, i, &lo, &hi);
        cells.h = box[i].h / 6 * 4;
        check_panel(&p, &s.maps, cells, &s.panel[i], s.panel[i].value, lo, hi);
        for (int y = (int)(cells.y + cells.h); y < (int)(box[i].y + box[i].h); y++)
            for (int x = (int)box[i].x; x < (int)(box[i].x + box[i].w); x++)
                assert_int_equal(picture_at(&p, x, y), 0x5a5a5a);
        assert_int_equal(picture_at(&p, (int)box[i].x, (int)(box[i].y + box[i].h)), 0x808080);
    }
    picture_free(&p);
    sample_finish(&s);
    arena_finish(&a);
    assert_int_equal(folder_finish(&d), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sign),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_masked),
        cmocka_unit_test(test_one_range),
        cmocka_unit_test(test_clip),
        cmocka_unit_test(test_scales_and_maps),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_dpi),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_strip),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image cells", tests, NULL, NULL);
}
