"""Finger motion as clips of hands and objects, as a contact sheet and as a page with all solutions side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from poise.character.character import Character, ContactPoints
from poise.character.library.hand import make
from poise.errors import BadValue
from poise.export.camera import Camera
from poise.export.intersect import SOLID, SPHERE, Shapes
from poise.export.raycast import Floor, cast
from poise.export.scene import Palette, boxes, figures, linear
from poise.files import writing
from poise.maths.rotations import Array
from poise.methods.hands.as_take import take_of
from poise.methods.hands.pose_test import capsules
from poise.methods.hands.problem import prepare
from poise.methods.hands.scene import Scene
from poise.methods.hands.solution import Solution
from poise.motion.clip import Clip
from poise.motion.recording import Source

FORMATS = ("bvh", "glb", "usda", "npz")
"""Endings in which a solution is written; npz is the take, for `poise audit` and all that reads takes."""
_DOT = 4e-3  # [m] radius of a mark
_SKIN = Palette((0.87, 0.68, 0.57), (0.87, 0.68, 0.57), (0.87, 0.68, 0.57))
_THING = Palette((0.36, 0.58, 0.82), (0.36, 0.58, 0.82), (0.36, 0.58, 0.82))


def thing_character(scene: Scene) -> Character:
    """The object as a character of one body, so that its motion is a clip like any other."""
    assets, geoms = scene.thing.geoms_xml()
    xml = (
        f'<mujoco model="{scene.thing.name}"><asset>{assets}</asset><worldbody><body name="object">'
        f'<freejoint name="root"/>{geoms}</body></worldbody></mujoco>'
    )
    none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
    return Character(scene.thing.name, xml, {}, none, np.zeros(6), np.zeros(6))


def clips_of(scene: Scene, solution: Solution) -> dict[str, Clip]:
    """A clip of each hand, "right" or "left", and of the "object", all in the scene's world and time."""
    source = Source(scene.name, licence=scene.licence) if scene.licence else Source(scene.name)
    out = {}
    for h, side in enumerate(scene.sides):
        wrist, T = scene.wrists[side], len(scene)
        q = np.concatenate([wrist.place, wrist.turn, solution.q[h].reshape(T, 30)], axis=1)
        hand = make(side)
        out[side] = Clip(hand, q, 1 / scene.fps, source, labels=np.zeros((T, len(hand.contact_points)), bool), holds=())
    c = scene.centre
    out["object"] = Clip(
        thing_character(scene),
        np.c_[c.place, c.turn],
        1 / scene.fps,
        source,
        labels=np.zeros((len(scene), 0), bool),
        holds=(),
    )
    return out


def save_solution(scene: Scene, solution: Solution, stem: Path, ending: str) -> list[Path]:
    """Write hands and object: stem.glb or stem.usda, stem-take.npz, or, as a BVH holds one skeleton, stem-right.bvh,
    stem-object.bvh and so on; gives the files.
    """
    if ending not in FORMATS:
        raise BadValue(f"Hands are written as {', '.join(FORMATS)}, not {ending!r}.")
    if ending != "bvh":
        path = stem.parent / f"{stem.name}{'-take' if ending == 'npz' else ''}.{ending}"
        take_of(scene, solution).save(path, overwrite=True)
        return [path]
    out = []
    for name, clip in clips_of(scene, solution).items():
        out.append(stem.parent / f"{stem.name}-{name}.bvh")
        clip.save(out[-1], overwrite=True)
    return out


def still(
    scene: Scene,
    solution: Solution,
    t: int,
    *,
    around: float = 35.0,
    size: tuple[int, int] = (230, 200),
    span: float = 0.34,
    marks: Sequence[tuple[Array, tuple[float, float, float]]] = (),
    hands: bool = True,
) -> np.ndarray:
    """A picture (H, W, 3) of frame t, seen from `around` [degrees about Z] and a little above.

    `marks` are points (K, 3) [m] in the world with a colour, drawn as small balls; without `hands` the object alone.
    """
    clips = clips_of(scene, solution)
    parts = [
        figures(c.character, c.q[t : t + 1], _THING if name == "object" else _SKIN)[0]
        for name, c in clips.items()
        if hands or name == "object"
    ]
    parts += [_dots(points, colour) for points, colour in marks if len(points)]
    wood = linear((0.62, 0.54, 0.44))[None]
    parts += [boxes(np.array([s.place]), np.eye(3)[None], np.array([s.size]) / 2, wood) for s in scene.stands]
    middle = scene.centre.place[t]
    a = np.radians(around)
    eye = middle + 0.75 * np.array([np.cos(a), np.sin(a), 0.45])
    level = -1.0 if scene.table is None else scene.table
    floor = Floor(level=level, focus=middle, near=0.3, far=0.9, square=0.1, shown=scene.table is not None)
    return cast(Shapes.join(parts), Camera(eye, middle, span, *size), floor).colour


def _dots(points: Array, colour: tuple[float, float, float]) -> Shapes:
    """Small balls at points (K, 3) [m]."""
    count = len(points)
    size = np.tile([_DOT, 0.0, 0.0], (count, 1))
    return Shapes(
        np.full(count, SPHERE), points, np.tile(np.eye(3), (count, 1, 1)), size, np.tile(linear(colour), (count, 1)),
        np.full(count, SOLID), np.full(count, _DOT),
    )  # fmt: skip


def body_still(
    clip: Clip, scenes: list[Scene], t: int, *, around: float = 35.0, size: tuple[int, int] = (300, 260)
) -> np.ndarray:
    """A picture (H, W, 3) of a body at frame t with the things of some scenes, near its right hand."""
    parts = [figures(clip.character, clip.q[t : t + 1], _SKIN)[0]]
    for scene in scenes:
        c = scene.centre
        parts.append(figures(thing_character(scene), np.r_[c.place[t], c.turn[t]][None], _THING)[0])
    tops = [s.table for s in scenes if s.table is not None]
    middle = clip.character.forward(clip.q[t : t + 1])[0][0, clip.character.body("right_hand")]
    if tops:
        table = np.array([[0.75, -0.15, tops[0] - 0.02]])
        parts.append(boxes(table, np.eye(3)[None], np.array([[0.5, 0.6, 0.02]]), linear((0.62, 0.54, 0.44))[None]))
    a = np.radians(around)
    eye = middle + 2.0 * np.array([np.cos(a), np.sin(a), 0.5])
    floor = Floor(level=0.0, focus=middle, near=1.0, far=3.0, square=0.5, shown=True)
    return cast(Shapes.join(parts), Camera(eye, middle, 0.9, *size), floor).colour


def contact_sheet(scene: Scene, solutions: list[Solution], path: Path, *, moments: int = 4) -> None:
    """A row a solution, at some moments from two sides: to choose from."""
    times = np.unique(np.linspace(0.12, 1.0, moments) * (len(scene) - 1)).astype(int)
    rows = []
    for k, solution in enumerate(solutions):
        views = [still(scene, solution, int(t), around=a) for t in times for a in (35.0, 205.0)]
        row = Image.fromarray(np.concatenate(views, axis=1))
        ImageDraw.Draw(row).text((6, 4), f"{k + 1}", fill=(30, 30, 30))
        rows.append(np.asarray(row))
    with writing(path) as file:
        Image.fromarray(np.concatenate(rows)).save(file)


def _lines(scene: Scene, solution: Solution) -> list[list[list[int]]]:
    """Capsules of every frame in the world, ends and radius [0.1 mm]."""
    problem, out = prepare(scene), []
    R, p = scene.centre.matrix, scene.centre.place
    caps = np.zeros((5, 4, 7))
    for t in range(len(scene)):
        frame: list[list[int]] = []
        for h, F in enumerate(problem.hands):
            capsules(F, solution.q[h, t], problem.turn[h, t], problem.place[h, t], caps)
            for row in caps.reshape(-1, 7)[caps.reshape(-1, 7)[:, 6] > 0]:
                ends = np.concatenate([p[t] + R[t] @ row[:3], p[t] + R[t] @ row[3:6], row[6:]])
                frame.append(np.round(ends * 1e4).astype(int).tolist())
        out.append(frame)
    return out


def _edges(scene: Scene) -> Array:
    """Lines (N, 2, 3) [m] that draw the object in its own frame: corners of boxes and hulls, rings of what is round."""
    out, a = [], np.linspace(0, 2 * np.pi, 25)
    ring = np.stack([np.cos(a), np.sin(a), 0 * a], 1)
    for piece in scene.thing.pieces:
        M, at, s = piece.matrix, np.asarray(piece.place) - scene.thing.centre, list(piece.size)
        if piece.kind == "box":
            signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
            pairs = [(u, v) for i, u in enumerate(signs) for v in signs[i + 1 :] if np.abs(u - v).sum() == 2]
            lines = np.array(pairs) * np.array(s)
        else:
            half = s[1] if len(s) > 1 else 0.0
            rings = [s[0] * ring + np.array([0, 0, e * half]) for e in (-1, 1)]
            lines = np.concatenate(
                [np.stack([r[:-1], r[1:]], 1) for r in rings] + [np.stack([rings[0][::6], rings[1][::6]], 1)]
            )
        out.append(lines @ M.T + at)
    for v, f in scene.thing.hulls:
        out.append((v - scene.thing.centre)[np.concatenate([f[:, [0, 1]], f[:, [1, 2]]])])
    return np.concatenate(out)


def save_page(scene: Scene, solutions: list[Solution], path: Path) -> None:
    """One HTML file that plays all solutions side by side; drag turns them all."""
    edges = _edges(scene)
    moved = np.einsum("tij,nkj->tnki", scene.centre.matrix, edges) + scene.centre.place[:, None, None]
    data = {
        "fps": scene.fps,
        "hands": [_lines(scene, s) for s in solutions],
        "object": np.round(moved * 1e4).astype(int).reshape(len(scene), -1, 6).tolist(),
        "middle": np.round(scene.centre.place.mean(0) * 1e4).astype(int).tolist(),
    }
    text = _PAGE.replace("NAME", scene.name).replace("DATA", json.dumps(data, separators=(",", ":")))
    with writing(path) as file:
        Path(file).write_text(text, encoding="utf-8")


_PAGE = """<!doctype html><meta charset="utf-8"><title>NAME</title>
<style>body{font:14px sans-serif;margin:12px;background:#f6f6f4}canvas{background:#fff;margin:3px;
border:1px solid #ddd}</style>
<h3>NAME</h3><p><button id=b>pause</button> <input id=r type=range min=0 value=0 style="width:60%">
 drag a picture to turn all</p><div id=g></div>
<script>const D=DATA,N=D.object.length;let a=.6,e=.35,t=0,on=true;
const g=document.getElementById('g'),r=document.getElementById('r');r.max=N-1;
const cs=D.hands.map((h,i)=>{const c=document.createElement('canvas');c.width=c.height=260;
c.title='solution '+(i+1);g.append(c);
c.onpointermove=v=>{if(v.buttons){a-=v.movementX*.01;e=Math.max(-1.4,Math.min(1.4,e+v.movementY*.01));draw()}};
return c});
function pr(x,y,z){x-=D.middle[0];y-=D.middle[1];z-=D.middle[2];
const u=-Math.sin(a)*x+Math.cos(a)*y,f=Math.cos(a)*x+Math.sin(a)*y;
return[130+u*.075,130-(z*Math.cos(e)-f*Math.sin(e))*.075,f*Math.cos(e)+z*Math.sin(e)]}
function draw(){cs.forEach((c,i)=>{const k=c.getContext('2d');k.clearRect(0,0,260,260);k.lineCap='round';const L=[];
for(const s of D.hands[i][t]){const p=pr(s[0],s[1],s[2]),q=pr(s[3],s[4],s[5]);L.push([(p[2]+q[2])/2,p,q,s[6]*.15,1])}
for(const s of D.object[t]){const p=pr(s[0],s[1],s[2]),q=pr(s[3],s[4],s[5]);L.push([(p[2]+q[2])/2,p,q,1.5,0])}
L.sort((x,y)=>x[0]-y[0]);for(const[d,p,q,w,h]of L){if(h){k.strokeStyle='#7a4a35';k.lineWidth=w+2;k.beginPath();
k.moveTo(p[0],p[1]);k.lineTo(q[0],q[1]);k.stroke()}
k.strokeStyle=h?'#e0ad92':'#2f6fb0';k.lineWidth=w;k.beginPath();k.moveTo(p[0],p[1]);k.lineTo(q[0],q[1]);k.stroke()}
k.fillStyle='#333';k.fillText(i+1,8,16)});r.value=t}
document.getElementById('b').onclick=v=>{on=!on;v.target.textContent=on?'pause':'play'};r.oninput=()=>{t=+r.value;draw()};
setInterval(()=>{if(on){t=(t+1)%N;draw()}},1000/D.fps);draw();</script>
"""
