/* SPDX-License-Identifier: MIT
 * Outputs of commands -> formats of pictures. */
#include "task/figure/format.h"

_Static_assert((int)DRAW_SVG == OUTPUT_SVG - OUTPUT_PNG &&
               (int)DRAW_PDF == OUTPUT_PDF - OUTPUT_PNG &&
               (int)DRAW_TERMINAL == OUTPUT_TERMINAL - OUTPUT_PNG,
               "pictures stand in the same order");

enum draw_format figure_format(const struct output *output)
{
    return (enum draw_format)(output->format - OUTPUT_PNG);
}
