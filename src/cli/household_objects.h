/* Objects of `icf make household`: hulls of a folder of meshes, or some that are made up of simple shapes. */
#ifndef ICF_CLI_HOUSEHOLD_OBJECTS_H
#define ICF_CLI_HOUSEHOLD_OBJECTS_H

#include "cli/make.h"

enum { ICF_HOUSEHOLD_MAX = 1000 }; /* kinds of objects */

typedef struct icf_household {
    int32_t n;              /* kinds of objects */
    icf_template *template; /* (n) owned */
    int32_t nsolid;
    icf_solid *solid; /* (nsolid) that the templates' shapes refer to, owned */
    size_t template_capacity, solid_capacity;
} icf_household;

/* Releases everything; the household is empty afterwards. */
void icf_household_clear(icf_household *household);

/* The hulls of all OBJ and STL files of a folder, by name.
 *   scale   [in] of the files' lengths
 *   density [in] kg/m^3
 * ICF_ERROR_FILE: the folder or a file cannot be read.  ICF_ERROR_SCENE: no file, or one that bounds no solid.  */
ICF_MUST_CHECK icf_status icf_household_read(icf_context *context, const char *folder, double scale, double density,
                                             icf_household *household);

/* Mugs, bottles, cartons, tins, plates, eggs and wedges of cheese.  The hulls among them are written to files beside
 * the scene. name [in] of the scene */
ICF_MUST_CHECK icf_status icf_household_make(icf_context *context, const icf_make_settings *settings, const char *name,
                                             double scale, double density, icf_household *household);

#endif
