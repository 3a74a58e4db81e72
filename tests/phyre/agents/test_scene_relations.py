"""Relations of bodies, which attention of the transformer can depend on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from topple.phyre import load_task
from topple.phyre.agents.scene_relations import RELATIONS, relations
from topple.phyre.agents.scene_tokens import SceneTokens, ball_rows
from topple.phyre.agents.transformer_network import SceneTransformer, predict
from topple.phyre.scene import Body, Circle, Kind, Scene

SIZE = 256.0
GAP, CLOSE, NEAR, SIDEWAYS, UPWARDS, BELOW, GOAL = 4, 5, 6, 7, 8, 9, 10
NAMES = ("00000:000", "00002:007", "00012:002", "00013:011", "00101:000", "00106:000")


def related(scene: Scene) -> Any:
    """[bodies, bodies, RELATIONS] of a scene without its walls."""
    tokens = SceneTokens("cpu")
    tokens.add([scene])
    return relations(tokens.rows[None])[0].double().numpy()


def outline(body: Body) -> Any:
    """[points, 2] on the edge of a body, and its corners, in pixels."""
    found = []
    for part in body.shapes:
        if isinstance(part, Circle):
            turns = np.linspace(0, 2 * np.pi, 200, endpoint=False)
            found.append(part.radius * np.stack([np.cos(turns), np.sin(turns)], axis=1))
            continue
        corners = np.array(part.vertices)
        share = np.linspace(0, 1, 80)[:, None]
        edges = zip(corners, np.roll(corners, -1, axis=0), strict=True)
        found += [(1 - share) * first + share * last for first, last in edges]
    points = np.concatenate(found)
    sine, cosine = np.sin(body.angle), np.cos(body.angle)
    return points @ np.array([[cosine, sine], [-sine, cosine]]) + body.position


@pytest.mark.parametrize("name", NAMES)
def test_gaps_between_balls_and_bars_are_exact(name: str) -> None:
    scene = load_task(name).scene
    bodies = scene.bodies[4:]
    found = related(scene)
    simple = [k for k, body in enumerate(bodies) if body.kind in (Kind.BALL, Kind.BAR)][:8]
    edges = {k: outline(bodies[k]) for k in simple}
    compared = 0
    for i in simple:
        for j in simple:
            if i == j:
                continue
            between = edges[i][:, None] - edges[j]
            distance = np.sqrt((between**2).sum(axis=2).min()) / SIZE
            if distance < 0.004:  # these may overlap, and then the distance is not the gap
                continue
            compared += 1
            assert found[i, j, GAP] == pytest.approx(min(distance, 0.5), abs=2e-3)
            low, high = edges[j].min(axis=0) / SIZE, edges[j].max(axis=0) / SIZE
            own_low, own_high = edges[i].min(axis=0) / SIZE, edges[i].max(axis=0) / SIZE
            boxes = np.maximum(low - own_high, own_low - high)
            np.testing.assert_allclose(found[i, j, [SIDEWAYS, UPWARDS]], boxes, atol=2e-3)
    assert compared


@pytest.mark.parametrize("name", NAMES)
def test_relations_of_a_scene(name: str) -> None:
    scene = load_task(name).scene
    found = related(scene)
    count = len(scene.bodies) - 4
    assert found.shape == (count, count, RELATIONS)
    assert np.isfinite(found).all()
    back = found.swapaxes(0, 1)
    np.testing.assert_allclose(found[..., :2], -back[..., :2], atol=1e-6)
    both = [GAP, CLOSE, NEAR, SIDEWAYS, UPWARDS, GOAL]
    np.testing.assert_allclose(found[..., both], back[..., both], atol=1e-6)
    # Turning changes no length.
    np.testing.assert_allclose(
        np.hypot(found[..., 2], found[..., 3]), np.hypot(found[..., 0], found[..., 1]), atol=1e-5
    )
    assert scene.goal is not None
    goals = {tuple(pair) for pair in np.argwhere(found[..., GOAL] > 0).tolist()}
    places = {tuple(number - 4 for number in scene.goal[:2] if number >= 4)}
    places |= {pair[::-1] for pair in places if len(pair) == 2}
    assert goals == {pair for pair in places if len(pair) == 2}


def test_what_lies_in_a_jar_is_inside_and_what_lies_under_a_ball_is_below() -> None:
    scene = load_task("00100:000").scene
    rows = SceneTokens("cpu")
    rows.add([scene])
    jar = next(k for k, body in enumerate(scene.bodies[4:]) if body.kind is Kind.JAR)
    x = scene.bodies[4 + jar].position[0]
    low, high = rows.rows[jar, 4:6].tolist()
    within = ball_rows(torch.tensor([[x / SIZE, (low + high) / 2, 0.0]]))
    above = ball_rows(torch.tensor([[x / SIZE, high + 0.1, 0.0]]))
    together = torch.cat([rows.rows[None, jar : jar + 1], within, above], dim=1)
    found = relations(together)[0]
    assert found[0, 1, GAP] < 0 < found[0, 2, GAP]
    assert found[2, 0, BELOW] == pytest.approx(1)
    assert found[0, 2, BELOW] == 0
    beside = ball_rows(torch.tensor([[x / SIZE, high + 0.1, 0.0], [0.0, high + 0.1, 0.0]]))
    alone = relations(torch.cat([beside[:1], rows.rows[None, jar : jar + 1]], dim=1))[0, 0, 1]
    far = relations(torch.cat([beside[1:], rows.rows[None, jar : jar + 1]], dim=1))[0, 0, 1]
    assert far[BELOW] < alone[BELOW]


def test_a_network_can_depend_on_relations_alone() -> None:
    """Attention with relations tells scenes apart whose bodies look alike one by one."""
    torch.manual_seed(0)
    network = SceneTransformer(16, 2, 2, has_relations=True).eval()
    tokens = SceneTokens("cpu")
    tokens.add([load_task(name).scene for name in NAMES[:4]])
    actions = torch.rand(6, 3)
    index = np.array([1, 0, 2, 3, 1, 0])
    together = predict(network, tokens, index, actions, motion=True)
    for row in range(6):
        alone = predict(network, tokens, index[row : row + 1], actions[row : row + 1])
        torch.testing.assert_close(alone.logit[0], together.logit[row])  # padding changes nothing
    assert network.relations is not None
    with torch.no_grad():
        for weights in network.relations.parameters():
            weights.zero_()
    without = predict(network, tokens, index, actions)
    assert (without.logit != together.logit).all()
    plain = SceneTransformer(16, 2, 2).eval()
    trained = network.state_dict()
    plain.load_state_dict({name: trained[name] for name in plain.state_dict()})
    torch.testing.assert_close(predict(plain, tokens, index, actions).logit, without.logit)


def test_relations_learn() -> None:
    """With a second block, since the token that the answer is read from is no body."""
    network = SceneTransformer(16, 2, 2, has_relations=True)
    tokens = SceneTokens("cpu")
    tokens.add([load_task("00002:007").scene])
    found = predict(network, tokens, np.zeros(8, np.int64), torch.rand(8, 3))
    found.logit.square().sum().backward()  # type: ignore[no-untyped-call]
    assert network.relations is not None
    for weights in network.relations.parameters():
        assert weights.grad is not None
        assert weights.grad.abs().sum() > 0
