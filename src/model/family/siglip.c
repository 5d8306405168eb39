/* SPDX-License-Identifier: MIT */
#include "model/family.h"

extern const struct family family_siglip_text_model, family_siglip_vision_model;

const struct family family_siglip = {
    .name = "siglip",
    .source = "Zhai et al. 2023; transformers modeling_siglip.py",
    .tower = { [TOWER_TEXT] = &family_siglip_text_model,
               [TOWER_PICTURE] = &family_siglip_vision_model },
};
