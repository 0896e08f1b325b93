#!/usr/bin/env python3
"""Check that ParaView reads the deformable bodies of a run as they were written.

usage: pvpython check_deformables.py RUN_DIR TRACE

Opens run_deformables.xmf of RUN_DIR with every XDMF reader of ParaView and compares times, vertices, velocities and the
sum of the contact forces with TRACE (a trace of the same steps, all of whose deformables are in the order of their ids).
Ends with one line; exit 0 when all agree, 77 without ParaView.
"""
import json
import math
import os
import sys

try:
    from paraview.simple import OpenDataFile, XDMFReader, Xdmf3ReaderS, Xdmf3ReaderT
    from paraview import servermanager
except ImportError:
    print('check_deformables: python3-paraview is not installed, skipped')
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
        sys.exit('check_deformables: ' + message)


def grid_at(source, time):
    source.UpdatePipeline(time)
    data = servermanager.Fetch(source)
    if not data.IsA('vtkCompositeDataSet'):
        return data
    it = data.NewIterator()
    it.InitTraversal()
    return it.GetCurrentDataObject()


def volume(a, b, c, d):
    u, v, w = ([x[k] - a[k] for k in range(3)] for x in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


def bodies_of(grid):
    """Points of each body, and its tetrahedra by their corners."""
    ids = grid.GetCellData().GetArray('body')
    points, tets = {}, {}
    for cell in range(grid.GetNumberOfCells()):
        body, corner = ids.GetValue(cell), grid.GetCell(cell).GetPointIds()
        corners = [corner.GetId(k) for k in range(corner.GetNumberOfIds())]
        check(len(corners) == 4, 'a cell with %d corners' % len(corners))
        points.setdefault(body, set()).update(corners)
        tets.setdefault(body, []).append(corners)
    return {body: (sorted(points[body]), tets[body]) for body in sorted(points)}


def near(a, b, tolerance):
    return all(abs(x - y) <= tolerance for x, y in zip(a, b))


def traction_force(grid, tets):
    """Sum over a body's surface vertices of traction x area, the area as ParaView's own geometry gives it."""
    count = {}
    for t in tets:
        for face in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)):
            corners = tuple(t[k] for k in face)
            count.setdefault(tuple(sorted(corners)), []).append(corners)
    area, traction = {}, grid.GetPointData().GetArray('traction')
    for key in (k for k, faces in count.items() if len(faces) == 1):
        a, b, c = (grid.GetPoint(i) for i in key)
        u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        for i in key:
            area[i] = area.get(i, 0.0) + 0.5 * math.sqrt(sum(x * x for x in n)) / 3.0
    return [sum(area[i] * traction.GetTuple(i)[k] for i in area) for k in range(3)]


def contact_force(record, name, step_size):
    total = [0.0, 0.0, 0.0]
    for contact in record['contacts']:
        for body, sign in zip(contact['bodies'], (-1, 1)):
            if body == name:
                total = [x + sign * y / step_size for x, y in zip(total, contact['impulse'])]
    return total


def check_time(grid, record, step_size, what):
    bodies, data = bodies_of(grid), grid.GetPointData()
    check(len(bodies) == len(record['deformables']), '%s: %d bodies' % (what, len(bodies)))
    for (points, tets), expected in zip(bodies.values(), record['deformables']):
        check(len(points) == len(expected['vertices']), '%s: %d vertices' % (what, len(points)))
        for i, x, v in zip(points, expected['vertices'], expected['velocities']):
            check(near(grid.GetPoint(i), x, 1e-14), '%s: vertex %s, expected %s' % (what, grid.GetPoint(i), x))
            check(near(data.GetArray('velocity').GetTuple(i), v, 1e-14), '%s: velocity' % what)
        check(all(volume(*(grid.GetPoint(k) for k in t)) > 0.0 for t in tets), '%s: an inverted tetrahedron' % what)
        got, wanted = traction_force(grid, tets), contact_force(record, expected['name'], step_size)
        check(near(got, wanted, 1e-5 * (1.0 + math.sqrt(sum(x * x for x in wanted)))),
              '%s: contact force %s of %s, expected %s' % (what, got, expected['name'], wanted))
        stress = [data.GetArray('von_mises').GetValue(i) for i in points]
        check(all(math.isfinite(s) and s >= 0.0 for s in stress) and max(stress) > 0.0, '%s: stress' % what)


def main():
    directory = os.path.abspath(sys.argv[1])
    with open(sys.argv[2]) as file:
        trace = {round(record['time'], 9): record for record in map(json.loads, file)}
    with open(os.path.join(directory, 'summary.json')) as file:
        step_size = json.load(file)['step_size']
    for name, reader in READERS.items():
        source = reader(os.path.join(directory, 'run_deformables.xmf'))
        times = list(source.TimestepValues)
        check(near(times, [0.0] + sorted(trace), 1e-9) and len(times) == len(trace) + 1, '%s: times %s' % (name, times))
        first = grid_at(source, 0.0).GetPointData().GetArray('displacement')
        check(max(abs(x) for x in first.GetRange(0)) == 0.0, name + ': displacement at t = 0')
        for time in sorted(trace)[::-1] + sorted(trace)[:1]:
            check_time(grid_at(source, time), trace[time], step_size, '%s t = %g' % (name, time))
    print('check_deformables: %d checks passed' % checks)


main()
