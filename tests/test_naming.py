"""Roles by name: the joint names of many sources, as trees."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.roles import ROLES
from poise.character.skeleton import Skeleton
from poise.character.skeletons import name_words
from poise.character.skeletons.find_roles import roles_by_name


def tree(text: str) -> Skeleton:
    """A skeleton from an indented list of names; `{S}`, `{L}` and `{l}` lines are written once for each side."""
    rows: list[tuple[int, str]] = []
    block: list[tuple[int, str]] = []

    def flush() -> None:
        for side in ("Left", "Right"):
            rows.extend((d, n.format(S=side, L=side[0], l=side[0].lower(), s=side.lower())) for d, n in block)
        block.clear()

    for line in text.strip("\n").splitlines():
        depth, name = (len(line) - len(line.lstrip())) // 2, line.strip()
        if block and ("{" not in name or depth <= block[0][0]):
            flush()
        (block if "{" in name else rows).append((depth, name))
    flush()
    stack: list[int] = []
    parents = []
    for k, (depth, _) in enumerate(rows):
        del stack[depth:]
        parents.append(stack[-1] if stack else -1)
        stack.append(k)
    offsets = np.tile([0.0, 1.0, 0.0], (len(rows), 1))
    return Skeleton(tuple(n for _, n in rows), np.array(parents), offsets)


SOURCES = {
    "mixamo": (
        """
mixamorig:Hips
  mixamorig:Spine
    mixamorig:Spine1
      mixamorig:Spine2
        mixamorig:Neck
          mixamorig:Head
            mixamorig:HeadTop_End
            mixamorig:LeftEye
        mixamorig:{S}Shoulder
          mixamorig:{S}Arm
            mixamorig:{S}ForeArm
              mixamorig:{S}Hand
                mixamorig:{S}HandThumb1
                  mixamorig:{S}HandThumb2
                mixamorig:{S}HandIndex1
                  mixamorig:{S}HandIndex2
  mixamorig:{S}UpLeg
    mixamorig:{S}Leg
      mixamorig:{S}Foot
        mixamorig:{S}ToeBase
          mixamorig:{S}Toe_End
""",
        "Hips Spine Spine2 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase",
    ),
    "unreal": (
        """
root
  pelvis
    spine_01
      spine_02
        spine_03
          neck_01
            head
          clavicle_{l}
            upperarm_{l}
              upperarm_twist_01_{l}
              lowerarm_{l}
                lowerarm_twist_01_{l}
                hand_{l}
                  index_01_{l}
                  thumb_01_{l}
    thigh_{l}
      thigh_twist_01_{l}
      calf_{l}
        calf_twist_01_{l}
        foot_{l}
          ball_{l}
  ik_foot_root
    ik_foot_{l}
  ik_hand_root
    ik_hand_gun
      ik_hand_{l}
""",
        "pelvis spine_01 spine_03 neck_01 head clavicle upperarm lowerarm hand thigh calf foot ball",
    ),
    "old biped": (
        """
Bip01
  Bip01 Footsteps
  Bip01 Pelvis
    Bip01 Spine
      Bip01 {L} Thigh
        Bip01 {L} Calf
          Bip01 {L} Foot
            Bip01 {L} Toe0
              Bip01 {L} Toe0Nub
      Bip01 Spine1
        Bip01 Neck
          Bip01 Head
            Bip01 HeadNub
          Bip01 {L} Clavicle
            Bip01 {L} UpperArm
              Bip01 {L} Forearm
                Bip01 {L} Hand
                  Bip01 {L} Finger0
""",
        "Pelvis Spine Spine1 Neck Head Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0",
    ),
    "rigify": (
        """
root
  spine
    pelvis.{L}
    spine.001
      spine.002
        spine.003
          spine.004
            spine.005
              spine.006
                face
                  nose
                  jaw
          shoulder.{L}
            upper_arm.{L}
              upper_arm.{L}.001
                forearm.{L}
                  forearm.{L}.001
                    hand.{L}
                      palm.01.{L}
                        f_index.01.{L}
          breast.{L}
    thigh.{L}
      thigh.{L}.001
        shin.{L}
          shin.{L}.001
            foot.{L}
              toe.{L}
              heel.02.{L}
""",
        "spine spine.001 spine.003 spine.004 spine.006 shoulder upper_arm forearm hand thigh shin foot toe",
    ),
    "daz": (
        """
hip
  pelvis
    {l}ThighBend
      {l}ThighTwist
        {l}Shin
          {l}Foot
            {l}Metatarsals
              {l}Toe
                {l}BigToe
  abdomenLower
    abdomenUpper
      chestLower
        {l}Pectoral
        chestUpper
          {l}Collar
            {l}ShldrBend
              {l}ShldrTwist
                {l}ForearmBend
                  {l}ForearmTwist
                    {l}Hand
                      {l}Carpal1
          neckLower
            neckUpper
              head
                upperTeeth
""",
        "pelvis abdomenUpper chestUpper neckLower head Collar ShldrBend ForearmBend Hand "
        "ThighBend Shin Foot Metatarsals",
    ),
    "character creator": (
        """
CC_Base_BoneRoot
  CC_Base_Hip
    CC_Base_Pelvis
      CC_Base_{L}_Thigh
        CC_Base_{L}_ThighTwist01
        CC_Base_{L}_Calf
          CC_Base_{L}_Foot
            CC_Base_{L}_ToeBase
              CC_Base_{L}_BigToe1
    CC_Base_Waist
      CC_Base_Spine01
        CC_Base_Spine02
          CC_Base_NeckTwist01
            CC_Base_NeckTwist02
              CC_Base_Head
                CC_Base_FacialBone
                CC_Base_JawRoot
          CC_Base_{L}_Clavicle
            CC_Base_{L}_Upperarm
              CC_Base_{L}_UpperarmTwist01
              CC_Base_{L}_Forearm
                CC_Base_{L}_Hand
                  CC_Base_{L}_Thumb1
""",
        "Pelvis Waist Spine02 NeckTwist01 Head Clavicle Upperarm Forearm Hand Thigh Calf Foot ToeBase",
    ),
    "smpl": (
        """
m_avg_root
  m_avg_Pelvis
    m_avg_{L}_Hip
      m_avg_{L}_Knee
        m_avg_{L}_Ankle
          m_avg_{L}_Foot
    m_avg_Spine1
      m_avg_Spine2
        m_avg_Spine3
          m_avg_Neck
            m_avg_Head
          m_avg_{L}_Collar
            m_avg_{L}_Shoulder
              m_avg_{L}_Elbow
                m_avg_{L}_Wrist
                  m_avg_{L}_Hand
""",
        "Pelvis Spine1 Spine3 Neck Head Collar Shoulder Elbow Wrist Hip Knee Ankle Foot",
    ),
    "xsens": (
        """
Pelvis
  L5
    L3
      T12
        T8
          Neck
            Head
          {S}Shoulder
            {S}UpperArm
              {S}ForeArm
                {S}Hand
  {S}UpperLeg
    {S}LowerLeg
      {S}Foot
        {S}Toe
""",
        "Pelvis L3 T8 Neck Head Shoulder UpperArm ForeArm Hand UpperLeg LowerLeg Foot Toe",
    ),
    "deepmimic": (
        """
root
  chest
    neck
    {s}_shoulder
      {s}_elbow
        {s}_wrist
  {s}_hip
    {s}_knee
      {s}_ankle
""",
        "root - chest - neck - shoulder elbow wrist hip knee ankle -",
    ),
    "asf": (
        """
root
  {l}hipjoint
    {l}femur
      {l}tibia
        {l}foot
          {l}toes
  lowerback
    upperback
      thorax
        lowerneck
          upperneck
            head
        {l}clavicle
          {l}humerus
            {l}radius
              {l}wrist
                {l}hand
                  {l}fingers
                {l}thumb
""",
        "root lowerback thorax lowerneck head clavicle humerus radius wrist femur tibia foot toes",
    ),
    "neuron": (
        """
Reference
  Hips
    {S}UpLeg
      {S}Leg
        {S}Foot
    Spine
      Spine1
        Spine2
          Spine3
            Neck
              Head
            {S}Shoulder
              {S}Arm
                {S}ForeArm
                  {S}Hand
                    {S}HandThumb1
                    {S}InHandIndex
                      {S}HandIndex1
""",
        "Hips Spine1 Spine3 Neck Head Shoulder Arm ForeArm Hand UpLeg Leg Foot -",
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_joints_of_many_sources_get_their_roles(source: str):
    text, wanted = SOURCES[source]
    skeleton = tree(text)
    roles = roles_by_name(skeleton)
    trunk = ("pelvis", "abdomen", "chest", "neck", "head")
    parts = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
    for part, bare in zip((*trunk, *parts), wanted.split(), strict=True):
        for role in [part] if part in trunk else [f"left_{part}", f"right_{part}"]:
            if bare == "-":
                assert role not in roles, (role, skeleton.names[roles[role]])
                continue
            name = skeleton.names[roles[role]]
            stripped = name.split(":")[-1]
            for prefix in ("Bip01 ", "CC_Base_", "m_avg_"):
                stripped = stripped.removeprefix(prefix)
            if part not in trunk:
                assert name_words.read(name).side == role.split("_")[0]
                for mark in ("Left", "Right", "left_", "right_", ".L", ".R", "_l", "_r", "L_", "R_", "L ", "R "):
                    stripped = stripped.replace(mark, "") if mark in stripped else stripped
                if source in ("daz", "asf"):
                    stripped = stripped[1:]
            assert stripped == bare, f"{role} is {name}"
    assert len(set(roles.values())) == len(roles)


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [("LThigh", "left", "thigh"), ("thigh_l", "left", "thigh"), ("Thigh.R", "right", "thigh"),
     ("rThigh", "right", "thigh"),
     ("leftupleg", "left", "thigh"), ("RIGHTFOREARM", "right", "forearm"), ("Lthigh", "left", "thigh"),
     ("UpLeg_L", "left", "thigh"), ("lo_arm_R", "right", "forearm"), ("L5", "", "spine"), ("T12", "", "spine"),
     ("C7", "", "neck"), ("root", "", ""), ("bone_001", "", ""), ("Hips", "", "pelvis"), ("lowerback", "", "spine"),
     ("LegLeft", "left", "leg"), ("arm_L", "left", "arm"), ("Wrist_R", "right", "hand")],
)  # fmt: skip
def test_a_name_is_read(name: str, side: str, part: str):
    label = name_words.read(name)
    assert (label.side, label.part) == (side, part)


@pytest.mark.parametrize(
    "name", ["LeftHandThumb1", "ik_hand_l", "Toe_End", "HeadTop_End", "LeftEye", "sword", "f_ring.01.L"]
)
def test_what_is_no_part_of_a_body_is_dropped(name: str):
    assert name_words.read(name).dropped


def test_names_that_say_nothing_give_no_roles():
    assert roles_by_name(tree("a\n  b\n    c\n  d")) == {}


def test_roles_are_known_roles():
    for text, _ in SOURCES.values():
        assert set(roles_by_name(tree(text))) <= set(ROLES)
