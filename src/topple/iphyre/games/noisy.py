"""The noisy split: the basic games with blocks that distract.

Layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

from topple.iphyre.game import Ball, Game, black, blue, gray

GAMES: tuple[Game, ...] = (
    Game(
        name="noisy_support",
        concept="Support beside a second pair of shelves that holds nothing.",
        blocks=(
            gray(200, 400, 300, 400),
            gray(200, 500, 300, 500),
            gray(400, 400, 500, 400),
            gray(400, 500, 500, 500),
        ),
        balls=(Ball(450, 340),),
    ),
    Game(
        name="noisy_hinder",
        concept="Hindrance with two more walls above the path, which need not be removed.",
        blocks=(
            black(200, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
            gray(450, 200, 450, 280),
            gray(500, 200, 500, 280),
        ),
        balls=(Ball(250, 100),),
    ),
    Game(
        name="noisy_direction",
        concept="Direction with a second funnel above the ball that plays no part.",
        blocks=(
            black(200, 400, 400, 400),
            gray(200, 300, 200, 380),
            gray(400, 300, 400, 380),
            gray(200, 200, 280, 250),
            gray(320, 250, 400, 200),
            gray(200, 100, 280, 150),
            gray(320, 150, 400, 100),
        ),
        balls=(Ball(300, 200),),
    ),
    Game(
        name="noisy_hole",
        concept="Hole with one more wall under the ramp, in the path of the ball.",
        blocks=(
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
            gray(250, 100, 250, 150),
            gray(250, 200, 250, 250),
        ),
        balls=(Ball(220, 120),),
    ),
    Game(
        name="noisy_fill",
        concept="Filling with a second blue block on a shelf, which does not fit the pit.",
        blocks=(
            black(100, 420, 400, 420),
            black(100, 400, 250, 400),
            black(350, 400, 400, 400),
            gray(270, 200, 330, 200),
            blue(270, 180, 330, 180),
            gray(100, 150, 180, 200),
            gray(150, 100, 150, 150),
            gray(350, 200, 410, 200),
            blue(350, 180, 410, 180),
        ),
        balls=(Ball(120, 120),),
    ),
    Game(
        name="noisy_seesaw",
        concept="Seesaw with a third peg beneath a slightly shorter plank.",
        blocks=(
            black(200, 420, 500, 420),
            black(200, 400, 200, 300),
            black(500, 400, 500, 300),
            blue(250, 320, 470, 250),
            gray(280, 340, 290, 340),
            gray(450, 330, 460, 310),
            gray(320, 350, 330, 350),
        ),
        balls=(Ball(400, 200),),
    ),
    Game(
        name="noisy_angle",
        concept=(
            "Angle with two more pegs under the middle of the plank, which stop it from tilting."
        ),
        blocks=(
            black(100, 400, 400, 400),
            gray(200, 350, 210, 350),
            gray(200, 300, 210, 300),
            black(480, 400, 550, 400),
            gray(390, 350, 400, 350),
            gray(390, 300, 400, 300),
            black(100, 380, 100, 360),
            black(550, 380, 550, 360),
            blue(200, 280, 400, 280),
            gray(300, 350, 310, 350),
            gray(300, 300, 310, 300),
        ),
        balls=(Ball(300, 250),),
    ),
    Game(
        name="noisy_impulse",
        concept="Impulse with a second blue block on a shelf between the ramp and the ball.",
        blocks=(
            black(150, 300, 250, 380),
            black(270, 400, 400, 400),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            blue(200, 130, 220, 130),
            gray(280, 200, 320, 200),
            blue(290, 180, 310, 180),
        ),
        balls=(Ball(360, 170),),
    ),
    Game(
        name="noisy_pendulum",
        concept="Pendulum whose stick hangs from the lower of two blocks, one of them a decoy.",
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            gray(180, 170, 240, 170),
        ),
        balls=(Ball(360, 170),),
        sticks=((6, 7),),
    ),
    Game(
        name="noisy_spring",
        concept="Spring that is tied to the lower of two blocks, one of them a decoy.",
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(300, 200, 420, 200),
            gray(180, 100, 240, 100),
            gray(180, 120, 240, 120),
        ),
        balls=(Ball(400, 170),),
        springs=((6, 7),),
    ),
)
