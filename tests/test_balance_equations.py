"""balance: the equations of the paper against independent sums, and the corrected ones against what they mean."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.load import load_character
from poise.dynamics import Dynamics
from poise.errors import BadValue, UnknownName
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.balance import Balance, Cylinder, Pull, Upright, contact, sensor, servo, virtual
from poise.methods.balance.hierarchy import hierarchy_of
from poise.methods.balance.momentum import Links, carry, joint_torques, momentum, momentum_jacobian
from poise.methods.balance.sole import HEIGHT, TWIST, give_way, lowest, soles, spare
from poise.methods.balance.target import parabola

CHARACTERS = ("human45", "human42", "human57")


def links_of(name: str, seed: int = 0) -> tuple[Links, np.ndarray, np.ndarray]:
    character, rng = load_character(name), np.random.default_rng(seed)
    nv = character.model.nv
    q = conf.integrate(character.layout, character.zero_pose(), 0.4 * rng.standard_normal(nv))
    v = rng.standard_normal(nv)
    links = Links(hierarchy_of(character))
    links.place(q, v)
    return links, q, v


def skew(p: np.ndarray) -> np.ndarray:
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


@pytest.mark.parametrize("name", CHARACTERS)
@pytest.mark.parametrize("foot", [0, 1])
def test_jacobian_is_the_sum_over_links_of_a_foot_rooted_hierarchy(name: str, foot: int):
    """Equations (5)-(8) written out: link Jacobians, adjoints, spatial masses, rooted at a foot that stands still."""
    links, q, _ = links_of(name)
    body, model = links.hierarchy, links.model
    x = Dynamics(body.character).at(q)
    com, feet = x.centre_of_mass, body.feet[foot]

    def twist(b: int) -> np.ndarray:
        place = links.dynamics.data.xipos[b]
        return np.vstack([x.turning_jacobian(b), x.jacobian(b, place)])

    held = twist(int(feet))
    root = np.linalg.solve(held[:, :6], held[:, 6:])
    total, mass = np.zeros((6, model.nv - 6)), np.zeros((6, 6))
    for b in range(1, model.nbody):
        own = twist(b)
        rooted = own[:, 6:] - own[:, :6] @ root
        turn = links.dynamics.data.ximat[b].reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[b]) @ turn.T
        spatial = np.block([[inertia, np.zeros((3, 3))], [np.zeros((3, 3)), model.body_mass[b] * np.eye(3)]])
        adjoint = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(links.dynamics.data.xipos[b] - com), np.eye(3)]])
        total += adjoint.T @ spatial @ rooted
        mass += adjoint.T @ spatial @ adjoint
    found = momentum_jacobian(links, np.eye(2)[foot])
    assert np.allclose(found[:, 6:], np.linalg.solve(mass, total), atol=1e-9)
    assert np.allclose(found[:, :6], 0.0, atol=1e-12)
    assert np.allclose(links.mass_matrix, mass, atol=1e-9)


@pytest.mark.parametrize("name", CHARACTERS)
def test_transposed_jacobian_and_momentum(name: str):
    links, q, v = links_of(name, 1)
    wrench, out = np.random.default_rng(2).standard_normal(6), np.zeros(len(v))
    share = np.array([0.3, 0.7])
    joint_torques(links.terms, links.hierarchy.path, np.outer(share, wrench), out)
    assert np.allclose(out, momentum_jacobian(links, share).T @ wrench, atol=1e-10)
    found = Dynamics(links.hierarchy.character).at(q, v).momentum
    assert np.allclose(momentum(links.terms), [*found[3:], *found[:3]], atol=1e-10)


@pytest.mark.parametrize("name", CHARACTERS)
@pytest.mark.parametrize("foot", [0, 1])
def test_jacobian_against_a_finite_displacement_about_a_foot_that_stands_still(name: str, foot: int):
    """Move the joints a little, put the foot back where it was: the centre of mass has moved by J_com."""
    links, q, v = links_of(name, 4)
    character = links.hierarchy.character
    jacobian, size, moved = momentum_jacobian(links, np.eye(2)[foot]), 1e-5, []
    for sign in (1.0, -1.0):
        step = sign * size * v
        step[:6] = 0.0
        there = conf.integrate(character.layout, q, step)
        place, turn = character.forward(q)
        after, turned = character.forward(there)
        b = int(links.hierarchy.feet[foot])
        back = rot.multiply(turn[0, b], rot.conjugate(turned[0, b]))
        centre = character.centre_of_mass(there)[0]
        moved.append(place[0, b] + rot.rotate(back, centre - after[0, b]))
    found = (moved[0] - moved[1]) / (2 * size)
    assert np.allclose(found, jacobian[3:, 6:] @ v[6:], atol=1e-6)


def test_rates_of_a_shaken_recording_are_smoothed():
    """A parabola is kept as it is, value and slope; noise from frame to frame is not."""
    value, slope = parabola(4, 1 / 120)
    t = np.arange(-4, 5) / 120
    assert value @ (2.0 + 3.0 * t - 5.0 * t * t) == pytest.approx(2.0)
    assert slope @ (2.0 + 3.0 * t - 5.0 * t * t) == pytest.approx(3.0)
    assert abs(value @ (-1.0) ** np.arange(9)) < 0.5
    assert np.linalg.norm(value) < 0.6


@pytest.mark.parametrize("seed", range(8))
def test_ankles_give_no_more_than_the_sole_bears(seed: int):
    """After the cut, the ground force at a point of the sole balances the ankle's torque and the artificial moment."""
    links, _, _ = links_of("human45")
    body, character = links.hierarchy, links.hierarchy.character
    q = character.zero_pose()
    links.place(q, np.zeros(character.model.nv))
    rng, extent = np.random.default_rng(seed), soles(character, body.feet)
    torque, force = 150.0 * rng.standard_normal(character.model.nv), np.array([20.0, -10.0, 400.0])
    moment, b = 10.0 * rng.standard_normal(3), int(body.feet[0])
    place = links.dynamics.data.xpos[b]
    ground = place[2] + extent[0, HEIGHT]
    ankle, change = body.ankle[0], np.zeros(3)
    asked = moment + links.terms.axes[ankle][:, :3].T @ torque[ankle]
    assert spare(1.0, extent[0], links.terms.quaternions[b], place[2] - ground, asked, force, 10.0, change)
    give_way(change, 0.0, 0.9, links.terms.axes, body.path[0], torque)
    total = moment + links.terms.axes[ankle][:, :3].T @ torque[ankle]
    high = place[2] - ground
    along, across = (total[1] - high * force[0]) / force[2], -(total[0] + high * force[1]) / force[2]
    assert extent[0, 0] - 1e-9 <= along <= extent[0, 1] + 1e-9
    assert extent[0, 2] - 1e-9 <= across <= extent[0, 3] + 1e-9
    assert abs(total[2]) <= TWIST * force[2] + 1e-9
    assert np.allclose(total + np.cross([along, across, -high], force), [0.0, 0.0, total[2] + along * force[1]
                       - across * force[0]])  # fmt: skip


def test_a_leg_that_gives_way_does_so_as_a_whole():
    """What the foot cannot bear leaves the wrench that the leg carries: torque, or the force at the centre of mass."""
    links, _, _ = links_of("human45")
    body, change = links.hierarchy, np.array([7.0, -4.0, 2.0])
    for give, reach in ((0.0, 0.9), (1.0, 0.9), (0.4, 0.7)):
        torque, carried, expected = np.zeros(links.model.nv), np.zeros((2, 6)), np.zeros(links.model.nv)
        give_way(change, give, reach, links.terms.axes, body.path[0], torque)
        carried[0] = [-(1 - give) * change[0], -(1 - give) * change[1], -change[2],
                      -give * change[1] / reach, give * change[0] / reach, 0.0]  # fmt: skip
        expected[6:] = -(links.terms.axes @ carried[0])[6:] * body.path[0][6:]
        assert np.allclose(torque, expected)
        moved = np.array([0.0, 0.0, reach])  # from the foot to the centre of mass
        assert np.allclose((carried[0, :3] + np.cross(moved, carried[0, 3:]))[:2], -change[:2])


@pytest.mark.parametrize("name", CHARACTERS)
def test_what_is_led_is_inverse_dynamics_less_a_rigid_body(name: str):
    """At the reference, torques of the momentum's change and what is led add up to inverse dynamics."""
    links, q, v = links_of(name)
    body, rng = links.hierarchy, np.random.default_rng(3)
    a, step = rng.standard_normal(links.model.nv), 1e-6
    totals = []
    for sign in (-1.0, 1.0):
        later = conf.integrate(body.character.layout, q, sign * step * v + 0.5 * step * step * a)
        links.place(later, v + sign * step * a)
        totals.append(momentum(links.terms))
    rate = (totals[1] - totals[0]) / (2 * step)
    lead = links.lead(q, v, a, rate)
    carried, torque = np.zeros((2, 6)), np.zeros(links.model.nv)
    carried[0] = rate
    carried[0, 5] += 9.81 * links.dynamics.mass
    joint_torques(links.terms, body.path, carried, torque)
    x = Dynamics(body.character).at(q, v)
    full = x.mass_matrix @ a + x.bias
    held = -(links.terms.axes @ carried[0]) * body.path[0]  # the ground's wrench at the foot, through the leg
    assert np.allclose((torque + lead - held)[6:], full[6:], atol=1e-3 * np.abs(full).max())


def test_artificial_torque_takes_off_what_balance_puts_on_and_turns_no_foot_by_itself():
    """On its toes a foot that is pressed there needs no help; under its ankle it is helped with all of the torque."""
    force = np.array([0.0, 0.0, 600.0])
    for patch, share in (((0.13, 0.0, -0.08), 0.0), ((0.0, 0.0, -0.08), 1.0), ((0.065, 0.0, -0.08), 0.5),
                         ((-0.05, 0.0, -0.08), 1.0), ((0.3, 0.0, -0.08), 0.0)):  # fmt: skip
        torque = np.array([0.0, 78.0, 0.0])
        contact.unanswered(torque, np.array(patch), force)
        assert np.allclose(torque, [0.0, share * 78.0, 0.0])


def test_the_middle_of_what_touches():
    table, ground = np.zeros((3, 18)), np.array([True, False])
    table[:, 0] = [2, 2, 2]
    table[:, 1] = [0, 0, 1]
    table[:, 2:5] = [[0.2, 0.1, 0.0], [0.4, 0.3, 0.02], [9.0, 9.0, 9.0]]
    out, places = np.ones((2, 3)), np.zeros((3, 3))
    places[2] = [0.1, 0.1, 0.1]
    sensor.patches(table, ground, np.array([-1, 1, 0]), np.array([2, 1]), places, 0.0, out)
    assert np.allclose(out, [[0.2, 0.1, -0.09], [1.0, 1.0, 1.0]])


@pytest.mark.parametrize("seed", range(8))
def test_what_the_feet_carry_adds_up_and_the_nearer_one_carries_more(seed: int):
    rng = np.random.default_rng(seed)
    feet = np.array([[0.02, 0.12, 0.03], [-0.01, -0.13, 0.03]])
    wrench = np.array([*(5 * rng.standard_normal(3)), *(20 * rng.standard_normal(2)), 700.0])
    centre, out = np.array([0.03, 0.05, 0.95]), np.zeros((2, 6))
    carry(wrench, 0.0, np.array([True, True]), centre, feet, 0.0, False, out)
    assert np.allclose(out.sum(axis=0), wrench)
    for i in range(2):  # each foot pushes from its own place, with the same torque for its force
        about = out[i, :3] + np.cross(centre - [*feet[i, :2], 0.0], out[i, 3:])
        mean = wrench[:3] + np.cross(centre - [*(out[:, 5] @ feet[:, :2] / 700.0), 0.0], wrench[3:])
        assert np.allclose(about, mean * out[i, 5] / 700.0)
    calm = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 700.0])
    carry(calm, 0.0, np.array([True, True]), centre, feet, 0.0, False, out)
    assert out[0, 5] > out[1, 5]
    carry(wrench, 0.0, np.array([False, True]), centre, feet, 0.0, False, out)
    assert np.allclose(out[1], wrench)
    assert not out[0].any()


@pytest.mark.parametrize("seed", range(4))
def test_the_lowest_corner_of_a_sole(seed: int):
    rng = np.random.default_rng(seed)
    extent, turn = np.array([-0.06, 0.19, -0.05, 0.04, -0.07]), rng.standard_normal(4)
    turn /= np.linalg.norm(turn)
    corners = np.array([[x, y, extent[HEIGHT]] for x in extent[:2] for y in extent[2:4]])
    assert np.isclose(lowest(extent, turn), rot.rotate(turn, corners)[:, 2].min())


def test_cylinder_measures_its_angle_from_the_vertical():
    """Equation (20) with θ the half angle of the friction cone: D x (m sin θ, m cos θ)."""
    for angle in (0.0, 20.0, 45.0, 70.0):
        cylinder = Cylinder(radius=0.1, height=0.05, force=500.0, angle=angle)
        s, c = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        assert cylinder.torque == pytest.approx(abs(np.cross([-0.1, 0.05, 0.0], [500 * s, 500 * c, 0.0])[2]))
    assert Cylinder(angle=0.0).torque == pytest.approx(0.12 * 720.0)  # without friction the force is vertical
    assert Cylinder().torque == pytest.approx(0.16 * 720 / np.sqrt(2))


def test_slider_goes_from_nothing_to_everything():
    torques = [Cylinder.at(s).torque for s in np.linspace(0.0, 1.0, 11)]
    assert torques[0] == 0.0
    assert np.isinf(torques[-1])
    assert np.all(np.diff(torques) > 0)
    out = np.zeros(3)
    assert contact.compensation(np.array([30.0, 40.0, 5.0]), 25.0, out) == pytest.approx(0.5)
    assert np.allclose(out, [-15.0, -20.0, -5.0])
    assert contact.compensation(np.array([3.0, 4.0, -50.0]), 25.0, out) == 1.0
    assert np.allclose(out, [-3.0, -4.0, 25.0])
    contact.compensation(np.array([3.0, 4.0, 5.0]), 0.0, out)
    assert not out.any()


def test_zones_of_influence():
    feet, down = np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]]), np.array([300.0, 300.0])
    at = lambda y, force=down: sensor.by_zones(force, np.array([0.0, y, 1.0]), feet, 0.15).tolist()  # noqa: E731
    assert at(0.0) == [True, True]  # in both
    assert at(0.1) == [True, False]  # in one
    assert at(0.6) == [True, True]  # in neither
    assert at(0.1, np.array([0.0, 300.0])) == [False, True]  # the near foot is in the air
    assert at(0.1, np.array([0.0, 0.0])) == [False, False]


def test_reference_sensor_wants_both_the_recording_and_the_ground():
    for scheduled in ([True, False], [True, True], [False, False]):
        found = sensor.by_reference(np.array([10.0, 0.0]), np.array(scheduled))
        assert found.tolist() == [scheduled[0], False]


def test_decomposition_keeps_what_leads_to_the_other_foot():
    stance, other = np.array([0.0, 0.1]), np.array([0.0, -0.1])
    away, towards = np.array([5.0, 30.0]), np.array([5.0, -30.0])
    sensor.towards_other_foot(away, stance, other)
    sensor.towards_other_foot(towards, stance, other)
    assert np.allclose(away, [5.0, 0.0])
    assert np.allclose(towards, [5.0, -30.0])


def test_terms_can_be_switched_off_one_by_one():
    gains = virtual.Gains(kfs=100.0, kfd=10.0, kP=2.0, kts=50.0, ktd=5.0, kL=3.0)
    rng = np.random.default_rng(0)
    compared = virtual.Compared(
        mass=70.0, weight=686.0, momentum=rng.standard_normal(6), momentum_wanted=rng.standard_normal(6),
        place=rng.standard_normal(2), place_wanted=rng.standard_normal(2), turn=rng.standard_normal(3),
        spin=rng.standard_normal(3), airborne=False, stance=np.zeros(2), other=np.ones(2))  # fmt: skip

    def wrench(*terms: str) -> np.ndarray:
        return virtual.wrench(gains, virtual.acting(terms), compared)

    whole = wrench(*virtual.TERMS)
    assert np.allclose(whole, sum(wrench(t) for t in virtual.TERMS))
    assert np.allclose(wrench("gravity"), [0, 0, 0, 0, 0, 686.0])
    assert np.allclose(wrench("control_force")[:3], 0.0)
    assert np.allclose(wrench("control_torque")[3:], 0.0)
    assert wrench().any() == False  # noqa: E712
    with pytest.raises(UnknownName, match="linear_momentum"):
        virtual.acting("momentum")


def test_world_turn_is_the_logarithm():
    rng = np.random.default_rng(0)
    for angle in (1e-6, 0.3, 3.1):
        a = rot.normalise(rng.standard_normal(4))
        r = angle * (axis := rng.standard_normal(3)) / np.linalg.norm(axis)
        out = np.zeros(3)
        virtual.world_turn(a, rot.multiply(rot.exp(r), a), out)
        assert np.allclose(out, r, atol=1e-9)


@pytest.mark.parametrize("name", CHARACTERS)
def test_tree_solver_is_the_inverse_of_the_mass_matrix(name: str):
    links, q, _ = links_of(name, 3)
    body, model = links.hierarchy, links.model
    masses, matrix = links.terms.link_inertias.copy(), np.zeros((model.nv, model.nv))
    point, foot = np.array([0.1, 0.2, 0.0]), int(body.feet[0])
    table = np.zeros((1, 18))
    table[0, 0], table[0, 2:5] = foot, point
    servo.hold(links.terms, table, np.array([True]), masses)
    servo.inertia(links.terms, masses, model.body_parentid.astype(np.int64), body.parent, model.dof_armature, matrix)
    x = Dynamics(body.character).at(q)
    jacobian = x.jacobian(foot, point)
    whole = x.mass_matrix + servo.HELD * jacobian.T @ jacobian
    b = np.random.default_rng(1).standard_normal(model.nv)
    found = b.copy()
    servo.solve_tree(matrix, body.parent, found)
    assert np.allclose(whole @ found, b, atol=1e-6)


def test_wrong_settings_are_refused_in_words():
    for bad in ({"slider": 1.5}, {"kfs": -1.0}, {"zone": 0.0}, {"fall_below": 2.0}, {"sole": 3.0}, {"feed": 2.0}):
        with pytest.raises(BadValue):
            Balance(**bad)
    with pytest.raises(UnknownName, match="zones"):
        Balance(sensor="eyes")
    with pytest.raises(BadValue, match="axis"):
        Upright("left_hand", (0.0, 0.0, 0.0))
    with pytest.raises(BadValue):
        Pull("pelvis", (0.0, float("nan"), 0.0))
    with pytest.raises(BadValue, match="cylinder"):
        Cylinder(angle=90.0)
