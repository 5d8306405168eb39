/* SPDX-License-Identifier: MIT
 * MHA_VIZ_KERNEL -> the kernel that is used. */
#include "cmd/cmds.h"

#include <stdlib.h>
#include <string.h>

#include "nn/blas.h"
#include "nn/nn.h"

int kernel_choose(struct err *e)
{
    const char *name = getenv("MHA_VIZ_KERNEL");

    if (name != NULL && name[0] == '\0')
        name = NULL;
    if (nn_choose_kernel(name) == 0)
        return 0;
    if (strcmp(name, nn_kernel_name(KERNEL_BLAS)) == 0)
        return err_set(e, ERR_USAGE, "MHA_VIZ_KERNEL: this program was built without OpenBLAS "
                       "(make BLAS=1); expected %s", nn_kernel_choices());
    return err_set(e, ERR_USAGE, "MHA_VIZ_KERNEL: '%s' is not a kernel that this "
                   "processor has; expected %s%s", name, nn_kernel_choices(),
                   blas_version() != NULL ? ", or blas" : "");
}
