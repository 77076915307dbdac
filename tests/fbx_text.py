"""A small FBX as text: a pelvis with a thigh and a shin, under an armature that is scaled and turned."""

from __future__ import annotations

TICKS = 46186158000  # FBX time units in a second

_HEAD = """; FBX 7.4.0 project file
FBXHeaderExtension:  {{
    FBXHeaderVersion: 1003
    FBXVersion: 7400
    Creator: "poise tests"
}}
GlobalSettings:  {{
    Version: 1000
    Properties70:  {{
        P: "UpAxis", "int", "Integer", "",{up}
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",{front}
        P: "FrontAxisSign", "int", "Integer", "",1
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",{centimetres}
        P: "TimeMode", "enum", "", "",6
        P: "TimeSpanStart", "KTime", "Time", "",0
        P: "TimeSpanStop", "KTime", "Time", "",{stop}
    }}
}}
"""


def _model(
    number: int, name: str, kind: str, place: tuple, turn: tuple = (0, 0, 0), scale: float = 1.0, pre: tuple = (0, 0, 0)
) -> str:
    triple = lambda v: ",".join(str(x) for x in v)  # noqa: E731
    return f"""    Model: {number}, "Model::{name}", "{kind}" {{
        Version: 232
        Properties70:  {{
            P: "RotationActive", "bool", "", "",1
            P: "PreRotation", "Vector3D", "Vector", "",{triple(pre)}
            P: "Lcl Translation", "Lcl Translation", "", "A",{triple(place)}
            P: "Lcl Rotation", "Lcl Rotation", "", "A",{triple(turn)}
            P: "Lcl Scaling", "Lcl Scaling", "", "A",{scale},{scale},{scale}
        }}
    }}
"""


def _curve(number: int, times: list[int], values: list[float]) -> str:
    join = lambda v: ",".join(str(x) for x in v)  # noqa: E731
    return f"""    AnimationCurve: {number}, "AnimCurve::", "" {{
        Default: 0
        KeyVer: 4008
        KeyTime: *{len(times)} {{ a: {join(times)} }}
        KeyValueFloat: *{len(values)} {{ a: {join(values)} }}
        KeyAttrFlags: *1 {{ a: 4 }}
        KeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}
        KeyAttrRefCount: *1 {{ a: {len(times)} }}
    }}
"""


def leg(angles: list[float], places: list[float], *, fps: float = 30.0, up: int = 1, centimetres: float = 1.0,
        scale: float = 1.0, turn: tuple = (0, 0, 0), pre: tuple = (0, 0, 0), bones: bool = True) -> str:  # fmt: skip
    """An FBX in which the thigh (below the pelvis by 10, pre-turned by `pre`) turns about Z by angles [degrees].

    The pelvis, at height 100, moves along X to the given places; the shin lies 40 below the thigh. The armature above
    them all is turned by `turn` [degrees] and scaled.
    """
    kind = "LimbNode" if bones else "Null"
    times = [round(i * TICKS / fps) for i in range(len(angles))]
    body = _model(1, "Armature", "Null", (0, 0, 0), turn, scale)
    body += _model(2, "Pelvis", kind, (places[0], 100, 0)) + _model(
        3, "Thigh", kind, (0, -10, 0), (0, 0, angles[0]), 1.0, pre
    )
    body += _model(4, "Shin", kind, (0, -40, 0))
    if bones:
        for i in (2, 3, 4):
            body += f'    NodeAttribute: {i + 100}, "NodeAttribute::", "LimbNode" {{\n'
            body += '        TypeFlags: "Skeleton"\n    }\n'
    body += '    AnimationStack: 50, "AnimStack::Take 001", "" {\n        Properties70:  {\n'
    body += f'            P: "LocalStop", "KTime", "Time", "",{times[-1]}\n'
    body += f'            P: "ReferenceStop", "KTime", "Time", "",{times[-1]}\n        }}\n    }}\n'
    body += '    AnimationLayer: 51, "AnimLayer::BaseLayer", "" {\n    }\n'
    for number, letter, height in ((60, "R", 0), (61, "T", 100)):
        body += f'    AnimationCurveNode: {number}, "AnimCurveNode::{letter}", "" {{\n        Properties70:  {{\n'
        for axis, value in (("X", 0), ("Y", height), ("Z", 0)):
            body += f'            P: "d|{axis}", "Number", "", "A",{value}\n'
        body += "        }\n    }\n"
    body += _curve(70, times, angles) + _curve(71, times, places)
    links = ['"OO",1,0', '"OO",2,1', '"OO",3,2', '"OO",4,3', '"OO",51,50', '"OO",60,51', '"OO",61,51']
    links += ['"OP",60,3, "Lcl Rotation"', '"OP",61,2, "Lcl Translation"', '"OP",70,60, "d|Z"', '"OP",71,61, "d|X"']
    if bones:
        links += [f'"OO",{i + 100},{i}' for i in (2, 3, 4)]
    head = _HEAD.format(up=up, front=2 if up == 1 else 1, centimetres=centimetres, stop=times[-1])
    connections = "".join(f"    C: {c}\n" for c in links)
    return f"{head}Objects:  {{\n{body}}}\nConnections:  {{\n{connections}}}\n"
