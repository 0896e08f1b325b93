"""The three contact models side by side on scenes of one body on the ground (ICF XI)."""
import math

MODELS = (("lagged", "a"), ("similar", "b"), ("sap", "c"))
GRAVITY = 9.81
GROUND = {"name": "ground", "shape": {"type": "half_space", "normal": [0, 0, 1], "offset": 0}, "material": "m", "motion": "fixed"}


def scene(model, step, duration, contact, body, ground=None, **settings):
    """A body on the ground.

    contact: stiffness, friction, dissipation (lagged, similar), relaxation_time (sap); settings: of the contact section."""
    left_out = "dissipation" if model == "sap" else "relaxation_time"
    pair = {key: value for key, value in contact.items() if key != left_out}
    return {
        "gravity": [0, 0, -GRAVITY],
        "time": {"step": step, "steps": round(duration / step)},
        "contact": {"model": model, "distance": 0.1, "regularized": False, "near_rigid": 0,
                    "pairs": [{"materials": ["m", "m"], **pair}], **settings},
        "solver": {"relative_tolerance": 1e-10},
        "materials": {"m": {}},
        "bodies": [{**GROUND, **(ground or {})}, {"name": "body", "material": "m", **body}],
    }


def impulse(frame, axis):
    """Sum of the contacts' impulses on the body along an axis [N s]."""
    return sum(contact["impulse"][axis] for contact in frame["contacts"])


def pitch(body):
    """Angle about y of a body that turns about y only [rad]."""
    w, _, y, _ = body["orientation"]
    return 2 * math.atan2(y, w)


def planar(run, angle=True):
    """(time, x, z, angle about y) of the frames; without the angle it is 0."""
    rows = []
    for frame in run.frames:
        body = frame["bodies"][0]
        rows.append((frame["time"], body["position"][0], body["position"][2], pitch(body) if angle else 0.0))
    return rows


def distance(rows, reference):
    """e_q of ICF XI: root of the mean square difference of positions, over the frames of `rows`."""
    by_time = {round(row[0], 9): row for row in reference}
    total = 0.0
    for row in rows:
        other = by_time[round(row[0], 9)]
        total += sum((a - b) ** 2 for a, b in zip(row[1:], other[1:]))
    return math.sqrt(total / len(rows))
