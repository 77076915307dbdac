"""A page on which many short loops move side by side, drawn as limbs; one file that needs nothing else."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

import mujoco
import numpy as np

from poise import files
from poise._version import __version__
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip


class Exhibit(NamedTuple):
    """One loop on the page."""

    title: str
    words: str
    clip: Clip
    group: str = ""  # heading under which it stands


def save(exhibits: Sequence[Exhibit], path: str | PathLike[str], title: str) -> None:
    """Write the page; all loops are of one character. The mouse turns all figures at once."""
    text = page(exhibits, title)
    with files.writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(exhibits: Sequence[Exhibit], title: str) -> str:
    """The text of the page."""
    limbs, radii, colours = _limbs(exhibits[0].clip)
    shows = [{"title": e.title, "words": e.words, "group": e.group, "period": round(e.clip.duration, 4),
              "frames": _frames(e.clip, limbs).tolist()} for e in exhibits]  # fmt: skip
    data = json.dumps({"radii": radii, "colours": colours, "shows": shows}, separators=(",", ":"))
    named = html.escape(title)
    return (_PAGE.replace("{title}", named).replace("{version}", __version__)
            .replace("{data}", data.replace("</", "<\\/")))  # fmt: skip


def _limbs(clip: Clip) -> tuple[list[tuple[int, Array, Array]], list[int], list[str]]:
    """Body and both ends in its frame of each solid part as a thick line; radii [mm] and colours."""
    model, out, radii, colours = clip.character.model, [], [], []
    for g in range(model.ngeom):
        if model.geom_bodyid[g] == 0:
            continue
        size = np.array(model.geom_size[g])
        kind = int(model.geom_type[g])
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            half, radius, axis = float(size[1]), float(size[0]), np.array([0.0, 0.0, 1.0])
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            half, radius, axis = 0.0, float(size[0]), np.array([0.0, 0.0, 1.0])
        else:
            longest = int(np.argmax(size))
            radius = float(np.delete(size, longest).mean())
            half, axis = max(float(size[longest]) - radius, 0.0), np.eye(3)[longest]
        along = half * rot.rotate(model.geom_quat[g], axis)
        out.append((int(model.geom_bodyid[g]), model.geom_pos[g] - along, model.geom_pos[g] + along))
        radii.append(max(1, round(1000 * radius)))
        colours.append("#{:02x}{:02x}{:02x}".format(*(round(255 * float(c)) for c in model.geom_rgba[g][:3])))
    return out, radii, colours


def _frames(clip: Clip, limbs: list[tuple[int, Array, Array]]) -> np.ndarray:
    """Ends (frames, limbs, 6) of all limbs [mm], the last frame, which is the first again, left out."""
    pos, quat = clip.character.forward(clip.q[:-1] if len(clip) > 1 else clip.q)
    bodies = np.array([b for b, _, _ in limbs])
    ends = [clip.character.place(pos, quat, bodies, np.array([limb[k] for limb in limbs])) for k in (1, 2)]
    return np.rint(1000.0 * np.concatenate(ends, axis=2)).astype(int)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - poise</title>
<meta name="generator" content="poise {version}"><meta name="viewport" content="width=device-width">
<style>body{font:14px sans-serif;color:#334;margin:16px;background:#f4f5f7}h1{font-size:20px}h2{font-size:16px;
margin:20px 0 6px}.shows{display:flex;flex-wrap:wrap;gap:10px}figure{margin:0;background:#fff;border-radius:8px;
padding:8px;width:200px}canvas{width:200px;height:210px;touch-action:none;cursor:grab}figcaption b{display:block}
</style></head><body><h1>{title}</h1><p>Drag to turn the figures.</p><div id="all"></div><script>
const D={data};let yaw=-0.6,tilt=0.15;const figures=[];
const all=document.getElementById("all");let box=null,last=null;
let low=[1e9,1e9,1e9],high=[-1e9,-1e9,-1e9];
for(const s of D.shows)for(const f of s.frames)for(const l of f)for(let k=0;k<6;k++){
const a=k%3;low[a]=Math.min(low[a],l[k]);high[a]=Math.max(high[a],l[k])}
const mid=[0,1,2].map(a=>(low[a]+high[a])/2),size=Math.hypot(...[0,1,2].map(a=>high[a]-low[a]));
for(const s of D.shows){if(s.group!==last){last=s.group;const h=document.createElement("h2");h.textContent=s.group;
all.append(h);box=document.createElement("div");box.className="shows";all.append(box)}
const f=document.createElement("figure"),c=document.createElement("canvas"),t=document.createElement("figcaption"),
b=document.createElement("b");c.width=400;c.height=420;b.textContent=s.title;t.append(b,s.words);f.append(c,t);
box.append(f);figures.push([s,c])}
let from=null;addEventListener("pointerdown",e=>{if(e.target.tagName==="CANVAS")from=[e.clientX,e.clientY]});
addEventListener("pointerup",()=>from=null);addEventListener("pointermove",e=>{if(!from)return;
yaw+=(e.clientX-from[0])*0.01;tilt=Math.max(-1.2,Math.min(1.2,tilt+(e.clientY-from[1])*0.01));
from=[e.clientX,e.clientY]});
function draw(s,c,time){const g=c.getContext("2d"),n=s.frames.length,x=(time/1000/s.period%1)*n,i=Math.floor(x)%n,
j=(i+1)%n,w=x-Math.floor(x),scale=440/size,cy=Math.cos(yaw),sy=Math.sin(yaw),ct=Math.cos(tilt),st=Math.sin(tilt);
const at=p=>{const X=p[0]-mid[0],Y=p[1]-mid[1],Z=p[2]-mid[2],u=X*cy-Y*sy,v=X*sy+Y*cy;
return[200+scale*u,210-scale*(Z*ct+v*st*1),-v*ct+Z*st]};
const lines=s.frames[i].map((a,k)=>{const b=s.frames[j][k],m=a.map((q,z)=>q+(b[z]-q)*w);
return[at(m.slice(0,3)),at(m.slice(3)),k]});lines.sort((a,b)=>a[0][2]+a[1][2]-b[0][2]-b[1][2]);
g.clearRect(0,0,400,420);g.lineCap="round";for(const[p,q,k]of lines){g.lineWidth=Math.max(3,2*scale*D.radii[k]);
g.strokeStyle=D.colours[k];g.beginPath();g.moveTo(p[0],p[1]);g.lineTo(q[0]+0.01,q[1]);g.stroke()}}
const seen=new Set();const watch=new IntersectionObserver(r=>{for(const e of r)e.isIntersecting?seen.add(e.target):
seen.delete(e.target)});for(const[,c]of figures)watch.observe(c);
function tick(time){for(const[s,c]of figures)if(seen.has(c))draw(s,c,time);requestAnimationFrame(tick)}
for(const[s,c]of figures)draw(s,c,0);requestAnimationFrame(tick);
</script></body></html>
"""
