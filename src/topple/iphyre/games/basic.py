"""The basic split: one physical concept each. Agents train on these.

Layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

from topple.iphyre.game import Ball, Game, black, blue, gray

GAMES: tuple[Game, ...] = (
    Game(
        name="support",
        concept="Support: a ball falls when what holds it is taken away, shelf after shelf.",
        blocks=(
            gray(200, 400, 300, 400),
            gray(200, 500, 300, 500),
        ),
        balls=(Ball(250, 340),),
    ),
    Game(
        name="hinder",
        concept=(
            "Hindrance: a rolling ball passes only where no wall stands in its way, so the "
            "walls go first and the ramp stays."
        ),
        blocks=(
            black(200, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
        ),
        balls=(Ball(250, 100),),
    ),
    Game(
        name="direction",
        concept=(
            "Direction: taking one side of a funnel sends the ball to that side, where the "
            "wall has to be open."
        ),
        blocks=(
            black(200, 400, 400, 400),
            gray(200, 300, 200, 380),
            gray(400, 300, 400, 380),
            gray(200, 200, 280, 250),
            gray(320, 250, 400, 200),
        ),
        balls=(Ball(300, 200),),
    ),
    Game(
        name="hole",
        concept=(
            "Hole: how long the ball rolls before its ramp goes decides whether it lands in "
            "the gap between two platforms."
        ),
        blocks=(
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            gray(450, 300, 450, 380),
            gray(500, 300, 500, 380),
            gray(200, 150, 300, 200),
            gray(250, 100, 250, 150),
        ),
        balls=(Ball(220, 120),),
    ),
    Game(
        name="fill",
        concept=(
            "Filling: a falling blue block closes the pit in the floor so that the ball can "
            "roll across it."
        ),
        blocks=(
            black(100, 420, 400, 420),
            black(100, 400, 250, 400),
            black(350, 400, 400, 400),
            gray(270, 200, 330, 200),
            blue(270, 180, 330, 180),
            gray(100, 150, 180, 200),
            gray(150, 100, 150, 150),
        ),
        balls=(Ball(120, 120),),
    ),
    Game(
        name="seesaw",
        concept=(
            "Seesaw: the ball landing on a plank over a pivot can be thrown out, if the other "
            "support goes at the right moment."
        ),
        blocks=(
            black(200, 420, 500, 420),
            black(200, 400, 200, 300),
            black(500, 400, 500, 300),
            blue(240, 320, 470, 250),
            gray(280, 340, 290, 340),
            gray(450, 330, 460, 310),
        ),
        balls=(Ball(400, 200),),
    ),
    Game(
        name="angle",
        concept=(
            "Angle: removing pegs under a plank tilts it, and the tilt decides to which side "
            "and how fast the ball leaves."
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
        ),
        balls=(Ball(300, 250),),
    ),
    Game(
        name="impulse",
        concept=(
            "Impulse: a blue block sliding down a ramp strikes the resting ball and pushes it "
            "off its platform."
        ),
        blocks=(
            black(150, 300, 250, 380),
            black(270, 400, 400, 400),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            blue(200, 130, 220, 130),
        ),
        balls=(Ball(360, 170),),
    ),
    Game(
        name="pendulum",
        concept=(
            "Pendulum: a ball on a stick swings; cutting it loose at the right point of the "
            "swing throws it into the gap."
        ),
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
        ),
        balls=(Ball(360, 170),),
        sticks=((5, 6),),
    ),
    Game(
        name="spring",
        concept=(
            "Spring: a stretched spring pulls the ball off its shelf; cut at the right "
            "moment, it drops the ball into the gap."
        ),
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(300, 200, 420, 200),
            gray(180, 100, 240, 100),
        ),
        balls=(Ball(400, 170),),
        springs=((5, 6),),
    ),
)
