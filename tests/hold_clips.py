"""Motions with closed hands whose physics is known: a rigid body that swings on a bar, one that stands with a load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import poise
from poise.character import Character
from poise.dynamics import Dynamics
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.hold import Hold
from poise.motion.recording import Source

UP = np.array([0.0, 0.0, 1.0])

BAR = np.array([0.2, -0.1, 2.4])  # a point of the bar, which lies along Y


def arms_up(character: Character) -> np.ndarray:
    """The zero pose with both arms straight overhead, (nq,)."""
    q = character.zero_pose()
    for side in ("left", "right"):
        a = int(character.tree.qadr[character.tree.jntadr[character.body(f"{side}_upper_arm")]])
        q[a : a + 4] = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), -np.pi + 0.05)
    return q


def swing(amplitude: float = 0.5, seconds: float = 1.6, fps: float = 240.0, name: str = "human42",
          slower: float = 1.0) -> Clip:  # fmt: skip
    """A stiff body on a bar along Y, a compound pendulum, exact but for the stencil; `slower` stretches time."""
    character = poise.load_character(name)
    pose = arms_up(character)
    palms = np.array([Hold(f"{s}_hand").local(character) for s in ("left", "right")])
    hands = np.array([character.body(f"{s}_hand") for s in ("left", "right")])
    pos, quat = character.forward(pose)
    grip = character.place(pos, quat, hands, palms)[0]
    arm = pose[:3] - grip.mean(axis=0)  # from the bar to the root
    com = character.centre_of_mass(pose)[0] - grip.mean(axis=0)
    length, hang = float(np.hypot(com[0], com[2])), float(np.arctan2(-com[0], -com[2]))
    turn = np.array([0.0, 1.0, 0.0])
    v = np.zeros(character.model.nv)
    v[:3], v[4] = np.cross(turn, arm), 1.0
    inertia = float(v @ Dynamics(character).at(pose).mass_matrix @ v)
    rate = character.mass * GRAVITY * length / inertia
    angle, speed, fine, out = amplitude, 0.0, 1e-4, []
    steps = round(seconds / slower / fine)
    for _ in range(steps + 1):
        out.append(angle)
        speed -= fine * rate * np.sin(angle)
        angle += fine * speed
    times = np.arange(round(seconds * fps) + 1) / fps
    swung = np.interp(times / slower, fine * np.arange(steps + 1), out)
    about = rot.from_axis_angle(np.tile(turn, (len(times), 1)), swung - hang)
    q = np.tile(pose, (len(times), 1))
    q[:, :3] = BAR + rot.rotate(about, arm)
    q[:, 3:7] = rot.multiply(about, pose[3:7])
    places = BAR + np.array([0.0, 1.0, 0.0]) * (grip[:, 1] - grip[:, 1].mean())[:, None]
    holds = tuple(Hold(f"{s}_hand", place=tuple(p)) for s, p in zip(("left", "right"), places, strict=True))
    labels = np.zeros((len(q), len(character.contact_points)), bool)
    return Clip(character, q, 1.0 / fps, Source("swing"), labels=labels, holds=holds)


def carrying(mass: float, seconds: float = 0.5, **when: float) -> Clip:
    """The built-in stand with `mass` kilograms in the hands."""
    clip = poise.load_clip("stand").repeat(1).cut(0.0, seconds)
    holds = tuple(Hold(f"{s}_hand", mass=0.5 * mass, **when) for s in ("left", "right"))
    return replace(clip, holds=holds)


def handstand(seconds: float = 0.8, fps: float = 120.0) -> Clip:
    """human42 upside down on its fingertips, still; what touches is not told."""
    character = poise.load_character("human42")
    pose = arms_up(character)
    pose[3:7] = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.pi)
    pose[2] -= float(character.points(pose)[0, :, 2].min())
    return Clip(character, np.tile(pose, (round(seconds * fps) + 1, 1)), 1.0 / fps, Source("handstand"))
