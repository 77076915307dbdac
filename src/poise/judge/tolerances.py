"""Tolerances: every margin and slack of the audit, in one place, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass

WEIGHTLESS = 1e-3  # [m/s²] of gravity below which a body has no weight to measure forces by


@dataclass(frozen=True)
class Tolerances:
    """What may be left over before an audit speaks of a problem. Forces are in body weights W, torques in W · height.

    An honest simulation leaves about a tenth of `force` and `torque` at 960 steps a second.
    """

    # momentum from q and v against recorded forces
    force: float = 0.003  # W, rms over the whole take or clip
    torque: float = 0.002  # W · height, rms
    force_held: float = 0.01  # W, mean over any `window`
    torque_held: float = 0.0015  # W · height, mean over any `window`
    window: float = 0.1  # [s]: long against a frame, short against a step of a walk
    arm: float = 0.3  # of body height: the length that weighs torques against forces where one number is needed
    # the same from positions alone, beyond what the moments within frames at which forces acted can explain. Simulated
    # walks, runs, jumps and falls leave up to 0.007 W, 0.006 W · height and 0.05 m/s
    position_force: float = 0.02  # W, mean over any `window`
    position_torque: float = 0.015  # W · height, mean over any `window`
    velocity: float = 0.1  # [m/s] mass-weighted, mean over any `window`: recorded velocities against those of positions
    root_correction: float = 0.02  # W (torques: half of it, W · height), rms: linearised steps of a walk leave a third
    # contacts of a take
    cone: float = 0.002  # W, beyond `cone_share`
    cone_share: float = 0.02  # of the contact's own force: normals turn a little within a frame
    friction: float = 0.02  # share by which a contact's friction may differ from the stage's: it is a mean over steps
    patch: float = 0.25  # [m] round the edge of a patch where a row's friction may be that of either side: half a shin
    slip: float = 0.06  # [m/s] mean over any `window` of a contact that its friction should hold
    slip_seen: float = 0.01  # [m/s] below which a contact is at rest
    slip_load: float = 0.02  # W that a contact must carry to be asked to hold
    slip_cone: float = 0.8  # share of its cone below which a contact should hold
    settling: float = 0.1  # [s] that a soft contact needs to stop a foot that has landed or slid
    landing: float = 0.001  # [m] by which a contact deepens from a frame to the next when a foot lands: at rest, 0.0001
    softness: float = 0.012  # [s] time constant with which a soft contact stops what slides (MuJoCo's default: 0.009)
    place: float = 0.03  # [m] between a recorded contact and the surfaces that it joins
    off_centre: float = 0.01  # [m] by which a contact's point may miss its centre of pressure
    twist: float = 0.2  # [m] arm at which a contact's friction can act round its normal: the better part of a foot
    # loose props: by positions, beyond what the moments within frames at which forces acted can explain
    prop_force: float = 0.05  # of the prop's own weight, mean over any `window`: a cup on a led tray leaves 0.02
    prop_torque: float = 0.1  # of its weight x half its length: a ball that strikes at 6 m/s leaves 0.05
    prop_cone: float = 0.01  # of the prop's own weight, beyond `cone_share`
    # joints
    joint_torque: float = 0.002  # W · height, mean over `joint_windows`
    joint_windows: float = 5.0  # windows: at impacts forces change faster than frames, and that must average out
    joint_steady: float = 1.0  # a mean counts if it is so many times its spread: a hidden motor pulls one way
    joint_stop: float = 0.03  # [rad] from a limit at which a stop, whose torque is not recorded, may act
    limit: float = 0.1  # [rad] beyond a joint's range: soft stops give
    torque_limit: float = 0.01  # share by which a torque may pass its limit
    # remarks on takes
    depth: float = 0.03  # [m] of shapes in the ground
    stepping: float = 0.005  # W, rms of what the time step itself makes
    turn: float = 0.15  # [rad] that a joint may turn in one time step
    # bare clips: where the ground could push, and what is left
    contact_height: float = 0.015  # [m] up to which a point is at the ground
    contact_speed: float = 0.3  # [m/s] up to which it stands there
    grip_reach: float = 0.03  # [m] up to which a hand is at its bar
    unexplained: float = 0.05  # W: a frame with more left over (torque by `arm`) counts as unexplained
    noise: float = 10.0  # [Hz] above which the movements of recorded people are mostly noise
    noise_share: float = 0.7  # of the unexplained force: less than this without noise is told
    softest: float = 1e-8  # weight on the size of forces: picks the gentlest where many explain the motion
    peak: float = 4.0  # W: more from the ground is remarked on
    # bare clips: from where on a reason is named
    sticky: float = 3.0  # the most friction that is worth naming: rubber on dry rock
    leaning: float = 0.01  # [m] beyond its support from which on a body leans
    floating: float = 0.08  # [m] up to which a foot that does not touch is said to float
    hand_near: float = 0.25  # [m] above the ground at which a hand may be meant to touch it
    hand_still: float = 0.6  # [m/s] a hand above the shoulders that is slower may be meant to hold something
    # limbs in each other
    overlap: float = 1e-4  # [m] that does not count
    overlap_far: float = 0.02  # [m] beyond which the distance of two limbs does not matter
    # shapes against the ground
    corner: float = 0.01  # [m] by which a corner may reach into the side of a step before it counts as inside

    @classmethod
    def of_clips(cls) -> Tolerances:
        """Those of bare clips: no forces are recorded, and differences of positions are noisier than a simulation."""
        return cls(force=0.02, torque=0.01)


DEFAULT = Tolerances()
