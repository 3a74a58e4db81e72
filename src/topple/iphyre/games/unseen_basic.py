"""Unseen basic games: the basic layouts mirrored, moved or tilted.

Layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

from topple.iphyre.game import Ball, Game, black, blue, gray

GAMES: tuple[Game, ...] = (
    Game(
        name="unseen_support",
        concept="Support with shelves that overlap only in part, so the ball lands near an edge.",
        blocks=(
            gray(300, 350, 400, 350),
            gray(250, 500, 350, 500),
        ),
        balls=(Ball(320, 300),),
    ),
    Game(
        name="unseen_hinder",
        concept="Hindrance, mirrored: the walls stand on the left.",
        blocks=(
            black(200, 400, 500, 400),
            gray(250, 300, 250, 380),
            gray(200, 300, 200, 380),
            gray(500, 150, 400, 200),
        ),
        balls=(Ball(450, 100),),
    ),
    Game(
        name="unseen_direction",
        concept="Direction with slanted walls and a narrower funnel.",
        blocks=(
            black(200, 400, 400, 400),
            gray(200, 300, 220, 380),
            gray(400, 300, 380, 380),
            gray(220, 200, 280, 250),
            gray(320, 250, 380, 200),
        ),
        balls=(Ball(300, 200),),
    ),
    Game(
        name="unseen_hole",
        concept="Hole, mirrored: the ball comes from the right.",
        blocks=(
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            gray(150, 300, 150, 380),
            gray(100, 300, 100, 380),
            gray(400, 150, 300, 200),
            gray(350, 100, 350, 150),
        ),
        balls=(Ball(380, 120),),
    ),
    Game(
        name="unseen_fill",
        concept="Filling, mirrored, with the blue block closer to the pit.",
        blocks=(
            black(500, 420, 200, 420),
            black(500, 400, 350, 400),
            black(250, 400, 200, 400),
            gray(320, 300, 270, 300),
            blue(330, 280, 270, 280),
            gray(500, 150, 420, 200),
            gray(450, 100, 450, 150),
        ),
        balls=(Ball(480, 120),),
    ),
    Game(
        name="unseen_seesaw",
        concept="Seesaw, mirrored, with the ball closer to the plank.",
        blocks=(
            black(400, 420, 100, 420),
            black(400, 400, 400, 300),
            black(100, 400, 100, 300),
            blue(360, 320, 130, 250),
            gray(300, 340, 290, 340),
            gray(150, 300, 140, 280),
        ),
        balls=(Ball(200, 230),),
    ),
    Game(
        name="unseen_angle",
        concept="Angle, mirrored, with pegs of unequal heights.",
        blocks=(
            black(500, 400, 200, 400),
            gray(400, 370, 390, 370),
            gray(400, 320, 390, 320),
            black(120, 400, 50, 400),
            gray(210, 350, 200, 350),
            gray(210, 300, 200, 300),
            black(500, 380, 500, 360),
            black(50, 380, 50, 360),
            blue(400, 280, 200, 280),
        ),
        balls=(Ball(300, 250),),
    ),
    Game(
        name="unseen_impulse",
        concept="Impulse, mirrored, from a steeper and higher ramp.",
        blocks=(
            black(500, 150, 380, 280),
            black(330, 400, 200, 400),
            gray(250, 200, 230, 200),
            gray(470, 150, 410, 150),
            blue(450, 130, 430, 130),
        ),
        balls=(Ball(240, 170),),
    ),
    Game(
        name="unseen_pendulum",
        concept="Pendulum, mirrored, on a shorter stick.",
        blocks=(
            black(590, 400, 440, 400),
            black(590, 380, 590, 10),
            black(330, 400, 200, 400),
            black(310, 380, 310, 360),
            gray(220, 150, 200, 150),
            gray(290, 150, 330, 150),
        ),
        balls=(Ball(210, 120),),
        sticks=((5, 6),),
    ),
    Game(
        name="unseen_spring",
        concept="Spring, mirrored, with a shorter spring and a stop on the platform.",
        blocks=(
            black(590, 400, 440, 400),
            black(590, 380, 590, 10),
            black(330, 370, 200, 370),
            black(300, 330, 300, 310),
            gray(220, 200, 180, 200),
            gray(380, 100, 320, 100),
        ),
        balls=(Ball(200, 170),),
        springs=((5, 6),),
    ),
)
