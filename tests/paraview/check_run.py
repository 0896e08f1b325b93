#!/usr/bin/env python3
"""Check that ParaView reads the results of a run as they were written.

usage: pvpython check_run.py RUN_DIR TRACE [--screenshot FILE.png]

Opens run.xmf, run_bodies.xmf and run_contacts.xmf of RUN_DIR with every XDMF reader of ParaView and compares
times, poses, velocities, contact points and forces with TRACE (a trace of the same steps).
Ends with one line; exit 0 when all agree, 77 without ParaView.
"""
import argparse
import json
import os
import sys

try:
    from paraview.simple import (ColorBy, GetActiveViewOrCreate, Glyph, OpenDataFile, Render, SaveScreenshot, Show,
                                 XDMFReader, Xdmf3ReaderS, Xdmf3ReaderT)
    from paraview import servermanager
except ImportError:
    print('check_run: python3-paraview is not installed, skipped')
    sys.exit(77)

READERS = {
    'default': lambda path: OpenDataFile(path),
    'Xdmf3ReaderS': lambda path: Xdmf3ReaderS(FileName=[path]),
    'Xdmf3ReaderT': lambda path: Xdmf3ReaderT(FileName=[path]),
    'XDMFReader': lambda path: XDMFReader(FileNames=[path]),
}
checks = 0


def check(condition, message):
    global checks
    checks += 1
    if not condition:
        sys.exit('check_run: ' + message)


def near(a, b, tolerance):
    return all(abs(x - y) <= tolerance * (1.0 + abs(y)) for x, y in zip(a, b))


def grids(data):
    """Data sets of what a reader delivers."""
    if not data.IsA('vtkCompositeDataSet'):
        return [data]
    out, it = [], data.NewIterator()
    it.InitTraversal()
    while not it.IsDoneWithTraversal():
        out.append(it.GetCurrentDataObject())
        it.GoToNextItem()
    return out


def rows(array):
    n = array.GetNumberOfComponents()
    return [array.GetTuple(i) if n > 1 else array.GetValue(i) for i in range(array.GetNumberOfTuples())]


def points(grid):
    return [grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())]


def times(source):
    values = source.TimestepValues
    return list(values) if hasattr(values, '__iter__') else [values]


def at(source, time):
    """The one grid of a time; steps are visited forwards and backwards by the caller."""
    source.UpdatePipeline(time)
    found = grids(servermanager.Fetch(source))
    check(len(found) == 1, '%d grids at t = %g' % (len(found), time))
    return found[0]


def check_times(source, expected, what):
    got = times(source)
    check(len(got) == len(expected) and near(got, expected, 1e-9), '%s has times %s, expected %s' % (what, got, expected))


def body_points(grid):
    """Surface points of each body, from the cells that bear its id."""
    out = {}
    ids = rows(grid.GetCellData().GetArray('body'))
    for cell, body in enumerate(ids):
        corner = grid.GetCell(cell).GetPointIds()
        out.setdefault(body, set()).update(corner.GetId(k) for k in range(corner.GetNumberOfIds()))
    return {body: [grid.GetPoint(i) for i in ids] for body, ids in out.items()}


def check_surfaces(source, trace, fixed, what):
    """All shapes are symmetric, so the mean of a body's surface points is its centre of mass."""
    for time in sorted(trace) + sorted(trace)[:1]:
        grid, record = at(source, time), trace[time]
        check(grid.GetNumberOfCells() > 0, '%s: no cells at t = %g' % (what, time))
        bodies = body_points(grid)
        moving = [b for b in sorted(bodies) if b not in fixed]
        check(len(moving) == len(record['bodies']), '%s: %d bodies with surfaces' % (what, len(moving)))
        for body, expected in zip(moving, record['bodies']):
            p = bodies[body]
            mean = [sum(x[k] for x in p) / len(p) for k in range(3)]
            check(near(mean, expected['position'], 1e-5), '%s: %s is at %s, expected %s at t = %g' %
                  (what, expected['name'], mean, expected['position'], time))


def check_centres(source, trace, fixed, what):
    for time in sorted(trace) + sorted(trace)[:1]:
        grid, record = at(source, time), trace[time]
        data = grid.GetPointData()
        check(grid.GetNumberOfCells() == grid.GetNumberOfPoints(), '%s: %d cells' % (what, grid.GetNumberOfCells()))
        table = sorted(zip(rows(data.GetArray('body')), points(grid), rows(data.GetArray('linear_velocity')),
                           rows(data.GetArray('angular_velocity'))))
        moving = [row for row in table if row[0] not in fixed]
        check(len(moving) == len(record['bodies']), '%s: %d bodies' % (what, len(moving)))
        for (_, x, v, w), expected in zip(moving, record['bodies']):
            check(near(x, expected['position'], 1e-14), '%s: position %s' % (what, x))
            check(near(v, expected['linear_velocity'], 1e-14), '%s: linear velocity %s' % (what, v))
            check(near(w, expected['angular_velocity'], 1e-14), '%s: angular velocity %s' % (what, w))


def check_contacts(source, trace, step_size, what):
    for time in sorted(trace) + sorted(trace)[:1]:
        grid, expected = at(source, time), trace[time]['contacts']
        check(grid.GetNumberOfPoints() == len(expected) == grid.GetNumberOfCells(),
              '%s: %d contacts at t = %g, expected %d' % (what, grid.GetNumberOfPoints(), time, len(expected)))
        if not expected:
            continue
        data = grid.GetPointData()
        got = sorted(zip(points(grid), rows(data.GetArray('force')), rows(data.GetArray('normal_force')),
                         rows(data.GetArray('distance'))))
        wanted = sorted((tuple(c['point']), [x / step_size for x in c['impulse']], c['normal_impulse'] / step_size,
                         c['distance']) for c in expected)
        for (x, force, normal, distance), (point, f, n, d) in zip(got, wanted):
            check(near(x, point, 1e-14), '%s: point %s, expected %s' % (what, x, point))
            check(near(force, f, 1e-12), '%s: force %s, expected %s' % (what, force, f))
            check(near([normal, distance], [n, d], 1e-12), '%s: normal force %g, distance %g' % (what, normal, distance))


def read_trace(path):
    trace = {}
    with open(path) as file:
        for line in file:
            record = json.loads(line)
            trace[round(record['time'], 9)] = record
    return trace


def fixed_bodies(directory, trace):
    """Ids of the bodies that the trace leaves out: those that are where they were at every time."""
    source = Xdmf3ReaderS(FileName=[centres_file(directory)])
    first, last = at(source, min(trace)), at(source, max(trace))
    ids = rows(first.GetPointData().GetArray('body'))
    nfixed = len(ids) - len(next(iter(trace.values()))['bodies'])
    still = [b for b, x, y in zip(ids, points(first), points(last)) if x == y]
    check(len(still) >= nfixed, '%d bodies stand still, the trace leaves out %d' % (len(still), nfixed))
    return set(sorted(still)[:nfixed])


def centres_file(directory):
    path = os.path.join(directory, 'run_bodies.xmf')
    return path if os.path.exists(path) else os.path.join(directory, 'run.xmf')


def screenshot(directory, trace, path):
    time = max(t for t in trace if trace[t]['contacts'])
    positions = [b['position'] for b in trace[time]['bodies']]
    centre = [sum(p[k] for p in positions) / len(positions) for k in range(3)]
    spread = max(max(abs(p[k] - centre[k]) for k in range(3)) for p in positions)
    view = GetActiveViewOrCreate('RenderView')
    view.ViewSize = [1000, 700]
    bodies = OpenDataFile(os.path.join(directory, 'run.xmf'))
    shown = Show(bodies, view)
    ColorBy(shown, ('POINTS', 'speed'))
    contacts = OpenDataFile(os.path.join(directory, 'run_contacts.xmf'))
    view.ViewTime = time
    contacts.UpdatePipeline(time)
    arrows = Glyph(Input=contacts, GlyphType='Arrow')
    arrows.OrientationArray = ['POINTS', 'force']
    arrows.ScaleArray = ['POINTS', 'No scale array']
    arrows.ScaleFactor = 0.2 * spread
    arrows.GlyphMode = 'All Points'
    Show(arrows, view).DiffuseColor = [1.0, 0.2, 0.1]
    view.CameraFocalPoint = centre
    view.CameraPosition = [centre[0] - spread, centre[1] - 4.0 * spread, centre[2] + 3.0 * spread]
    view.CameraViewUp = [0.0, 0.0, 1.0]
    Render(view)
    SaveScreenshot(path, view)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('directory')
    parser.add_argument('trace')
    parser.add_argument('--screenshot', metavar='FILE.png')
    options = parser.parse_args()
    directory = os.path.abspath(options.directory)
    trace = read_trace(options.trace)
    with open(os.path.join(directory, 'summary.json')) as file:
        step_size = json.load(file)['step_size']
    fixed = fixed_bodies(directory, trace)
    expected_times = [0.0] + sorted(trace)
    for name, reader in READERS.items():
        if os.path.exists(os.path.join(directory, 'run_bodies.xmf')):
            surfaces = reader(os.path.join(directory, 'run.xmf'))
            check_times(surfaces, expected_times, name + ' run.xmf')
            check_surfaces(surfaces, trace, fixed, name + ' run.xmf')
        centres = reader(centres_file(directory))
        check_times(centres, expected_times, name + ' centres')
        check_centres(centres, trace, fixed, name + ' centres')
        contacts = reader(os.path.join(directory, 'run_contacts.xmf'))
        check_times(contacts, expected_times, name + ' run_contacts.xmf')
        check_contacts(contacts, trace, step_size, name + ' run_contacts.xmf')
        check(at(contacts, 0.0).GetNumberOfPoints() == 0, 'contacts at t = 0')
    if options.screenshot:
        screenshot(directory, trace, options.screenshot)
    print('check_run: %d checks passed' % checks)


main()
