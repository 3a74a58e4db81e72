"""The compositional split: two basic concepts in one game.

Layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

from topple.iphyre.game import Ball, Game, black, blue, gray

GAMES: tuple[Game, ...] = (
    Game(
        name="support_hinder",
        concept=(
            "Support, then hindrance: the ball has to be dropped onto the ramp and its path opened."
        ),
        blocks=(
            gray(240, 130, 260, 130),
            black(200, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
        ),
        balls=(Ball(250, 100),),
    ),
    Game(
        name="support_direction",
        concept=(
            "Support, then direction: the ball has to be dropped into the funnel and sent to "
            "an open side."
        ),
        blocks=(
            gray(290, 130, 310, 130),
            black(200, 400, 400, 400),
            gray(200, 300, 200, 380),
            gray(400, 300, 400, 380),
            gray(200, 200, 280, 250),
            gray(320, 250, 400, 200),
        ),
        balls=(Ball(300, 100),),
    ),
    Game(
        name="support_hole",
        concept=(
            "Support, then hole: the ball has to be dropped onto the ramp, rolled, and let "
            "fall into the gap in time."
        ),
        blocks=(
            gray(210, 120, 230, 120),
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
            gray(250, 100, 250, 150),
        ),
        balls=(Ball(220, 90),),
    ),
    Game(
        name="more_step_hole",
        concept=(
            "Hole twice over: the ball comes down in steps, and the ramp over the gap must go "
            "at the right time."
        ),
        blocks=(
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            black(100, 300, 100, 380),
            black(500, 300, 500, 380),
            gray(200, 100, 250, 130),
            gray(250, 50, 250, 100),
            black(280, 230, 350, 200),
            gray(200, 270, 400, 350),
        ),
        balls=(Ball(220, 70),),
    ),
    Game(
        name="hinder_fill",
        concept=(
            "Hindrance, then filling: the ball leaves an upper room, and must find the pit "
            "below already filled."
        ),
        blocks=(
            black(200, 520, 500, 520),
            black(200, 500, 350, 500),
            black(450, 500, 500, 500),
            gray(370, 400, 430, 400),
            blue(370, 380, 430, 380),
            gray(200, 350, 280, 400),
            gray(250, 300, 250, 350),
            black(10, 250, 160, 250),
            gray(160, 230, 160, 200),
            gray(10, 50, 50, 100),
            gray(70, 40, 70, 70),
        ),
        balls=(Ball(30, 20),),
    ),
    Game(
        name="impulse_spring",
        concept=(
            "Impulse with a spring: block and ball pull each other, and the shelf must go at "
            "a moment that takes the ball off the platform."
        ),
        blocks=(
            black(150, 300, 250, 380),
            black(270, 400, 400, 400),
            gray(300, 200, 500, 200),
            gray(180, 150, 240, 150),
            blue(200, 130, 220, 130),
        ),
        balls=(Ball(450, 170),),
        springs=((4, 5),),
    ),
    Game(
        name="impulse_pendulum",
        concept=(
            "Impulse with a stick: block and ball are tied, so that the falling one drags the "
            "other off the platform."
        ),
        blocks=(
            black(150, 300, 250, 380),
            black(270, 400, 400, 400),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            blue(200, 130, 220, 130),
        ),
        balls=(Ball(360, 170),),
        sticks=((4, 5),),
    ),
    Game(
        name="activated_pendulum",
        concept=(
            "Impulse on a pendulum: dropped blocks set a balanced ball swinging before it is "
            "cut loose."
        ),
        blocks=(
            gray(270, 100, 280, 100),
            gray(320, 100, 330, 100),
            blue(270, 80, 280, 80),
            blue(320, 80, 330, 80),
            gray(290, 270, 310, 270),
            black(10, 400, 400, 400),
            black(10, 100, 10, 380),
            black(420, 400, 500, 320),
        ),
        balls=(Ball(300, 200),),
        sticks=((4, 8),),
    ),
    Game(
        name="spring_flick",
        concept=(
            "Spring as a sling: a movable block at the far end of a spring is flung at the ball."
        ),
        blocks=(
            black(100, 420, 590, 420),
            black(400, 400, 590, 400),
            gray(10, 200, 10, 400),
            blue(580, 380, 590, 380),
            gray(70, 370, 150, 370),
            gray(100, 150, 180, 200),
        ),
        balls=(Ball(100, 340),),
        springs=((5, 3),),
    ),
    Game(
        name="seesaw_angle",
        concept=(
            "Seesaw and angle: two pegs must go, each at its moment, to tilt the plank and "
            "throw the ball out."
        ),
        blocks=(
            black(200, 420, 500, 420),
            black(200, 400, 200, 300),
            black(500, 400, 500, 300),
            blue(240, 250, 470, 250),
            gray(280, 340, 290, 340),
            gray(280, 310, 290, 310),
            gray(450, 310, 460, 310),
        ),
        balls=(Ball(400, 200),),
    ),
)
