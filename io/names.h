/* Names that results share with the scene file. */
#ifndef ICF_IO_NAMES_H
#define ICF_IO_NAMES_H

#include "scene/scene.h"

/* Name of a contact model as the scene file writes it. */
static inline const char *icf_model_name(icf_model model)
{
    return model == ICF_MODEL_SAP ? "sap" : model == ICF_MODEL_LAGGED ? "lagged" : "similar";
}

#endif
