/* A run as a report reads it: run.h5 in one order of bodies, whatever ranks wrote its rows.
 *
 *   /static, /static_N  ->  icf_report_run: bodies by ascending id, half-spaces, meshes
 *   /frame_N            ->  icf_report_frame: poses, speeds, ranks; contacts by the rows of their bodies; vertices of
 *                           surfaces
 *
 * Bodies are numbered 0..nbody-1 by ascending id here ("rows"): all that some frame has.  While emitters let bodies in,
 * a static group has those that are there, and the others are absent from its frames; what a body is, and its surface,
 * come from the first frame that has it.  Half-spaces and deformable bodies are there from the beginning.  The vertices
 * of deformable bodies, body by body, are those of the surfaces of the meshes only.  One process; every function may
 * fail on a damaged file.
 */
#ifndef ICF_IO_REPORT_RUN_H
#define ICF_IO_REPORT_RUN_H

#include "io/frame_list.h"
#include "io/h5_file.h"
#include "scene/shape.h"

enum { ICF_REPORT_NAME_BYTES = 64 };

/* A surface that moves: of rigid bodies in the frame of their body, of deformable ones by its vertices. */
typedef struct icf_report_mesh {
    icf_lid nvertex, ntriangle;
    int32_t *body;          /* (nvertex) row of its body */
    icf_lid (*triangle)[3]; /* (ntriangle) vertices */
    float (*local)[3];      /* (nvertex) in the frame of its body [m]; NULL: deformable */
    size_t body_capacity, triangle_capacity, local_capacity;
} icf_report_mesh;

typedef struct icf_report_run {
    icf_context *context; /* borrowed */
    icf_h5 h5;
    icf_frame_list frames;
    char scene[256], model[32];
    double step_size; /* s */

    icf_lid nbody; /* of all static groups */
    icf_gid *id;   /* (nbody) ascending */
    size_t id_capacity;
    int32_t *shape; /* (nbody) icf_shape_type */
    int32_t *moves; /* (nbody) 1: moved by the solver */
    icf_vec3 *size; /* (nbody) half extents [m] */
    double *mass;   /* (nbody) [kg] */
    char (*name)[ICF_REPORT_NAME_BYTES];

    icf_lid nplane; /* half-spaces */
    icf_gid *plane_id;
    icf_vec3 *plane_normal;
    double *plane_offset; /* m */

    icf_report_mesh rigid;   /* surfaces of shapes that have no form of their own in the page */
    icf_report_mesh soft;    /* surfaces of deformable bodies */
    icf_lid nvertex;         /* vertices of deformable bodies in the file, inner ones too */
    icf_lid *surface_vertex; /* (nvertex) vertex of soft; -1: inside.  By body, then in the order of its mesh */

    /* the static group in use */
    char fixed[32];
    icf_lid nrow;        /* bodies that are there */
    icf_lid *row;        /* (nrow) row of each row of the file */
    int32_t *rank;       /* (nbody) rank that owns it; -1: the body is absent */
    icf_lid *vertex_row; /* (nvertex) vertex, by body, that stands in each row of the file */
} icf_report_run;

typedef struct icf_report_contact {
    icf_lid first, second; /* rows */
    int64_t feature;
    icf_vec3 point, force; /* world [m]; on the second body [N] */
} icf_report_contact;

typedef struct icf_report_frame {
    icf_cnt step;
    double time;           /* s */
    icf_vec3 *position;    /* (nbody) as in run.h5 [m]; of absent bodies 0 */
    icf_quat *orientation; /* (nbody) */
    double *speed;         /* (nbody) of that point [m/s] */
    double *force;         /* (nbody) sum of the sizes of the forces of its contacts [N] */
    icf_lid *island;       /* (nbody) lowest row of what its contacts hold together; its own row when alone */
    icf_lid ncontact;
    icf_report_contact *contact; /* (ncontact) by first body, second body, feature */
    size_t contact_capacity;
    icf_vec3 *vertex;     /* (soft.nvertex) world [m] */
    double *vertex_speed; /* (soft.nvertex) [m/s] */
    double *von_mises;    /* (soft.nvertex) [Pa] */
} icf_report_frame;

/* Opens DIRECTORY/run.h5 and reads what stays.  ICF_ERROR_FILE: there is no run, it has no frames, it is damaged. */
ICF_MUST_CHECK icf_status icf_report_run_open(icf_context *context, const char *directory, icf_report_run *run);
void icf_report_run_close(icf_report_run *run);

/* Makes a static group the one in use. */
ICF_MUST_CHECK icf_status icf_report_run_use(icf_report_run *run, const char *fixed);

/* Reads frame k of the list.  The frame's memory is reused from call to call. */
ICF_MUST_CHECK icf_status icf_report_run_read(icf_report_run *run, size_t k, icf_report_frame *frame);
void icf_report_frame_clear(icf_report_frame *frame);

/* Row of a body; -1 when there is none of that id. */
icf_lid icf_report_run_row(const icf_report_run *run, icf_gid id);

#endif
