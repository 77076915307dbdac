"""Stage: ground, props, grips and timed events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from poise.character import Character
from poise.checks import number
from poise.errors import BadValue, UnknownBody, UnknownName
from poise.ground.flat import Flat
from poise.ground.ground import Ground, parts_of
from poise.stage.events import Ball, Event, PlatformMotion, PropMotion, Push
from poise.stage.grips import Grip
from poise.stage.props import Bar, Barbell, Prop, stays

RESERVED = ("ground", "platform", "seesaw", "world")


@dataclass(frozen=True)
class Stage:
    """Where a character performs. Times of events are those of the performance, from 0."""

    ground: Ground = field(default_factory=Flat)
    props: Sequence[Prop] = ()
    grips: Sequence[Grip] = ()
    events: Sequence[Event] = ()
    friction: float = 1.0  # between anything and the ground or a prop

    def __post_init__(self) -> None:
        for name in ("props", "grips", "events"):
            given = getattr(self, name)
            object.__setattr__(self, name, tuple(given) if isinstance(given, (list, tuple)) else (given,))
        if not hasattr(self.ground, "height"):
            raise BadValue(f"A ground tells its height at (x, y); {self.ground!r} does not.")
        number("The friction of a stage", self.friction, "", above=0.0, most=10.0)
        self._check_kinds()
        self._check_names()

    def _check_kinds(self) -> None:
        for group, kinds, words in (
            (self.props, Prop, "a Box, Sphere, Cylinder, Capsule, Mesh, Compound, Barbell or Bar"),
            (self.grips, Grip, "a Grip"),
            (self.events, Event, "a Push, Ball, PropMotion, PlatformMotion or Slippery"),
        ):
            for thing in group:
                if not isinstance(thing, kinds):
                    raise BadValue(f"Expected {words} on the stage, not {thing!r}.")
        driven = any(p.joint == "slides" for p in parts_of(self.ground))
        if any(isinstance(e, PlatformMotion) for e in self.events) and not driven:
            raise BadValue("A PlatformMotion needs a Platform as the ground of the stage.")

    def _check_names(self) -> None:
        names = [p.name for p in self.props]
        taken = {*RESERVED, *(p.name for p in parts_of(self.ground))}
        for name in names:
            if names.count(name) > 1:
                raise BadValue(f"Two props are named {name!r}; give each a name of its own.")
            if name in taken or name.startswith(("ball_", "block_")) or not name:
                raise BadValue(f"A prop may not be named {name!r}, which means something else on a stage.")
        self._check_led(names)
        rods = {p.name for p in self.props if isinstance(p, (Bar, Barbell))}
        for grip in self.grips:
            if grip.to not in rods:
                raise UnknownName("bar or barbell on the stage", grip.to, rods, "A grip holds one of these props.")

    def _check_led(self, names: list[str]) -> None:
        """Refuse motions of props that are not there, are fixed, held by a grip, or led twice."""
        led = [e.prop for e in self.events if isinstance(e, PropMotion)]
        for name in led:
            if name not in names:
                raise UnknownName("prop", name, names, "A PropMotion leads one of these.")
            if stays(self.prop(name)) or any(g.to == name for g in self.grips):
                raise BadValue(f"The prop {name!r} is fixed or held; it cannot be led along a track.")
            if led.count(name) > 1:
                raise BadValue(f"The prop {name!r} is led along two tracks; give it one.")

    def prop(self, name: str) -> Prop:
        """The prop of this name."""
        for p in self.props:
            if p.name == name:
                return p
        raise UnknownName("prop", name, [p.name for p in self.props])

    def check(self, character: Character) -> None:
        """Refuse pushes on, balls at and grips of bodies that neither the character nor the stage has."""
        props = {p.name for p in self.props}
        for name in props & set(character.body_names):
            raise BadValue(f"The prop {name!r} has the name of a body of {character.name}; rename it.")
        for event in self.events:
            if isinstance(event, Push) and event.body in props:
                if stays(self.prop(event.body)):
                    what = "bar" if isinstance(self.prop(event.body), Bar) else "prop"
                    raise BadValue(f"The {what} {event.body!r} is fixed; a push on it does nothing.")
            elif isinstance(event, (Push, Ball)):
                name = event.body if isinstance(event, Push) else event.toward
                _must_have(character, name, props, "A push acts on" if isinstance(event, Push) else "A ball flies at")
        for grip in self.grips:
            _must_have(character, grip.hand, set(), "A grip is made by")


def _must_have(character: Character, name: str, props: set[str], what: str) -> None:
    try:
        character.body(name)
    except UnknownBody as error:
        known = {*error.known, *props}
        raise UnknownBody("body", name, known, f"{what} one of these on {character.name}.") from None
