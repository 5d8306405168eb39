/* SPDX-License-Identifier: MIT */
#include "model/family.h"

extern const struct family family_clip_text_model, family_clip_vision_model;

const struct family family_clip = {
    .name = "clip",
    .source = "Radford et al. 2021; transformers modeling_clip.py",
    .tower = { [TOWER_TEXT] = &family_clip_text_model,
               [TOWER_PICTURE] = &family_clip_vision_model },
};
