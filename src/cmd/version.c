/* SPDX-License-Identifier: MIT
 * --version: the versions and the kernel, for reports of differences between machines. */
#include "cmd/cmds.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <jansson.h>
#include <pcre2.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

#include "draw/sheet.h"
#include "nn/blas.h"
#include "nn/nn.h"

void version_print(FILE *file)
{
    char drawing[128], pcre2[64] = "";

    draw_version(drawing, sizeof drawing);
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    fprintf(file, "mha-viz " MHA_VIZ_VERSION "\n"
            "%s, zlib %s, jansson %s, utf8proc %s, pcre2 %.*s; kernel %s",
            drawing, zlibVersion(), jansson_version_str(), utf8proc_version(),
            (int)strcspn(pcre2, " "), pcre2, nn_kernel_name(nn_kernel()));
    if (nn_kernel() == KERNEL_BLAS)
        fprintf(file, ": %s, whose bytes change with texts, batches and threads", blas_version());
    fputc('\n', file);
}
