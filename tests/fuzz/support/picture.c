/* SPDX-License-Identifier: MIT
 * Pictures of any kind, as far as a model's processor takes them. */
#include "support/picture.h"

#include "fuzz.h"

#include <math.h>

#include "media/image_processor.h"

/* The shorter side becomes 6, and of the rest 5 x 7 are cut: every step has something to do. */
static const struct image_processor processor = {
    true, true, true, true, 6, 0, RESIZE_BICUBIC, 5, 7, 1 / 255.0, { 0.5F, 0.5F, 0.5F },
    { 0.5F, 0.5F, 0.5F }
};

static void process(struct arena *a, const struct pixels *in)
{
    struct pixels seen;
    struct err e = { 0 };
    float *x;

    if (image_processor_apply(&processor, a, in, &seen, &x, &e) != 0) {
        assert(e.kind == ERR_INPUT);
        return;
    }
    assert(seen.width == 7 && seen.height == 5);
    for (int i = 0; i < 3 * 5 * 7; i++)
        assert(fabsf(x[i]) <= 1.0F);
}

void picture_use(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    struct pixels p;
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        if (pixels_read(&a, (struct span){ data, size }, &p, &e) == 0) {
            assert(p.width >= 1 && p.width <= PIXELS_SIDE && p.height >= 1 &&
                   p.height <= PIXELS_SIDE);
            process(&a, &p);
        } else {
            assert(e.kind == ERR_INPUT || e.kind == ERR_SYSTEM);
        }
    }
    arena_finish(&a);
}
