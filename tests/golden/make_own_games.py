"""Write what the original makes of games of one's own, and its pictures.

Run `make_own_games.py REPOSITORY`, a clone of the original's repository, with a Python that has
iphyre 0.2.3, pymunk 6.6.0, pygame 2.6.1, numpy 1.26, gymnasium and Pillow. It draws games that
break every habit of the published ones, plays clicks in them, in the simulator and in the three
environments, and keeps what came out; and it keeps a few pictures of published games.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"

import numpy as np
import pymunk
from iphyre.games import PARAS
from iphyre.simulator import IPHYRE
from PIL import Image

sys.path.insert(0, sys.argv[1])
from IPHYREEnv import IPHYRE_combine, IPHYRE_inadvance, IPHYRE_onthefly

HERE = Path(__file__).resolve().parent
GAMES = 24
LARGE = 22  # bodies of the last game
PICTURES = (("hole", 60), ("spring", 0), ("pendulum", 120), ("impulse_spring", 120), ("angle", 90))

EDITED = ("hole", "spring", "pendulum", "angle", "multi_ball_lever", "seesaw", "noisy_fill")


def draw_game(rng: random.Random, blocks: int) -> dict[str, Any]:
    """Blocks anywhere, in any mixture of colours, some without a length, and two balls at most."""
    balls = rng.randint(1, 2)
    lines = []
    for _ in range(blocks):
        x, y = rng.randint(50, 550), rng.randint(150, 550)
        point = rng.random() < 0.15
        dx, dy = (0, 0) if point else (rng.randint(-120, 120), rng.randint(-60, 60))
        lines.append([[float(x), float(y)], [float(x + dx), float(y + dy)]])
    game = {
        "block": lines,
        "ball": [
            [float(rng.randint(100, 500)), float(rng.randint(20, 140)), rng.choice([12.0, 20.0])]
            for _ in range(balls)
        ],
        "eli": [int(rng.random() < 0.7) for _ in lines] + [0] * balls,
        "dynamic": [int(rng.random() < 0.3) for _ in lines] + [1] * balls,
    }
    for word in ("joint", "spring"):
        if rng.random() < 0.3:
            game[word] = [[rng.randrange(blocks), blocks]]
    return game


def draw_time(rng: random.Random) -> float | None:
    """In seconds; None stands for what is no number."""
    return rng.choice(
        [0.0, 0.5, 2.0, round(6 * rng.random(), 2), None if rng.random() < 0.3 else 1.0]
    )


def play(name: str | int, game: dict[str, Any], fps: int, rng: random.Random) -> dict[str, Any]:
    """Two rounds of clicks in one simulator."""
    PARAS[name] = game
    demo = IPHYRE(name, fps=fps)
    demo.max_obj_num = max(demo.max_obj_num, len(game["eli"]))
    positions = demo.get_action_space()
    rounds = []
    for _ in range(2):
        demo.reset()
        drawn = [[*p, draw_time(rng)] for p in positions if p != [0.0, 0.0]]
        clicks = [[x, y, float("nan") if t is None else t] for x, y, t in drawn]
        result = demo.simulate(clicks)
        bodies = [
            [*body.position, *body.velocity, body.angle, body.angular_velocity]
            for body in demo.space.bodies
        ]
        rounds.append(
            {
                "clicks": drawn,
                "result": result,
                "lists": [demo.eli, demo.dynamic, demo.shape, demo.eli_mask],
                "pairs": [demo.joint, demo.spring],
                "bodies": np.round(bodies, 8).tolist(),
                "rows": np.round(demo.get_all_property()[demo.eli_mask], 8).tolist(),
            }
        )
    demo.reset()
    places = [demo.eliminate(p) for p in positions if p != [0.0, 0.0]]
    return {"name": name, "game": game, "fps": fps, "positions": positions, "rounds": rounds,
            "places": places}  # fmt: skip


def play_environments(rng: random.Random, name: str | int) -> list[dict[str, Any]]:
    """An episode of a game in each environment, with many blocks clicked early."""
    episodes = []
    for kind in (IPHYRE_inadvance, IPHYRE_onthefly, IPHYRE_combine):
        environment = kind({"game_list": [name], "seed": 0})
        environment.reset()
        actions, rewards, over = [], [], False
        while not over:
            if kind is IPHYRE_onthefly:
                action: Any = rng.choice([0, 0, 0, rng.randint(0, 6)])
            else:
                action = [round(rng.random() / 3, 4) for _ in range(6)]
            taken = action if kind is IPHYRE_onthefly else np.array(action, np.float32)
            seen, reward, terminated, truncated, _ = environment.step(taken)
            actions.append(action)
            rewards.append(reward)
            over = terminated or truncated
        episodes.append(
            {
                "name": name,
                "kind": kind.__name__,
                "actions": actions,
                "reward": round(sum(rewards), 6),
                "ends": [terminated, truncated],
                "last": np.round(seen.astype(float), 6).tolist(),
            }
        )
    return episodes


def write_into(body: pymunk.Body, word: str, rng: random.Random) -> Any:
    """Write something into a body, or push it; returns what."""
    x, y = (round(rng.uniform(-60, 60), 1) for _ in range(2))
    if word == "position":
        value: Any = [round(body.position.x + x / 3, 1), round(body.position.y + y / 3, 1)]
    else:
        value = [x, y] if word == "velocity" or "impulse" in word else round(x / 20, 2)
    if "impulse" in word:
        value = [value, [3.0, -4.0] if "local" in word else [*body.position]]
        getattr(body, word)(*map(tuple, value))
    else:
        setattr(body, word, value)
    return value


def intervene(name: str, fps: int, rng: random.Random) -> dict[str, Any]:
    """Four seconds of a game in which bodies are moved and pushed, at last also static ones."""
    demo = IPHYRE(name, fps=fps)
    click = demo.get_action_space()[1]
    words = (
        "position",
        "velocity",
        "angle",
        "angular_velocity",
        "apply_impulse_at_world_point",
        "apply_impulse_at_local_point",
    )
    edits = []
    for step in range(4 * fps):
        bodies = demo.space.bodies
        moving = [i for i, body in enumerate(bodies) if body.body_type == pymunk.Body.DYNAMIC]
        if step % (fps // 2) == 3 and step < 3 * fps:
            place, word = rng.choice(moving), rng.choice(words)
            edits.append([step, place, word, write_into(bodies[place], word, rng)])
        if step == 3 * fps:
            place = next(i for i in range(len(bodies)) if i not in moving)
            edits.append([step, place, "position", write_into(bodies[place], "position", rng)])
            if rng.random() < 0.7:
                demo.space.reindex_shapes_for_body(bodies[place])
                edits.append([step, place, "reindex", None])
            else:
                demo.space.gravity = (20.0, 60.0)
                edits.append([step, None, "gravity", [20.0, 60.0]])
        demo.step(click if step == fps else [0.0, 0.0])
    bodies = [[*b.position, *b.velocity, b.angle, b.angular_velocity] for b in demo.space.bodies]
    return {"game": name, "fps": fps, "edits": edits, "bodies": np.round(bodies, 7).tolist()}


def write_picture(name: str, steps: int) -> None:
    """A published game after some steps; the first gray block goes after twenty."""
    demo = IPHYRE(name)
    click = demo.get_action_space()[1]
    demo.init_screen()
    picture = demo.reset(use_images=True)
    for step in range(steps):
        picture, _, _ = demo.step(click if step == 20 else [0.0, 0.0], use_images=True)
    image = Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1]))
    image.quantize(64).save(HERE / "iphyre_pictures" / f"{name}_{steps}.png", optimize=True)


def main() -> None:
    """Write the file and the pictures."""
    rng = random.Random(11)
    rows = [
        play(
            k if k % 3 == 0 else f"own-{k}",
            draw_game(rng, rng.randint(2, 10)),
            (10, 60)[k % 2],
            rng,
        )
        for k in range(GAMES - 1)
    ]
    large = draw_game(rng, LARGE - 2)
    rows.append(play("large", large, 60, rng))
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / "iphyre_own_games.json").write_text(f'{{"games": [\n{lines}\n]}}\n')
    rng = random.Random(12)
    small = [row["name"] for row in rows if len(row["game"]["eli"]) <= 12][:15]
    episodes = [episode for name in small for episode in play_environments(rng, name)]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in episodes)
    (HERE / "iphyre_own_environments.json").write_text(f'{{"episodes": [\n{lines}\n]}}\n')
    edited = [intervene(name, fps, rng) for name in EDITED for fps in (10, 60)]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in edited)
    (HERE / "iphyre_edits.json").write_text(f'{{"games": [\n{lines}\n]}}\n')
    (HERE / "iphyre_pictures").mkdir(exist_ok=True)
    for name, steps in PICTURES:
        write_picture(name, steps)


if __name__ == "__main__":
    main()
