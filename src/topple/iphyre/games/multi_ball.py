"""The multi-ball split: several balls, all of which have to get out.

Layouts are facts taken from I-PHYRE (Li, Wu, Zhang and Zhu, ICLR 2024).
"""

from __future__ import annotations

from topple.iphyre.game import Ball, Game, black, blue, gray

GAMES: tuple[Game, ...] = (
    Game(
        name="multi_ball_stack",
        concept=(
            "A stack of six balls held by shelves: the order of removals decides which balls "
            "jam and which fall."
        ),
        blocks=(
            black(180, 390, 190, 390),
            black(270, 390, 330, 390),
            black(410, 390, 420, 390),
            gray(160, 300, 270, 300),
            gray(290, 300, 440, 300),
            gray(100, 160, 500, 160),
        ),
        balls=(
            Ball(300, 90, 60),
            Ball(190, 350, 30),
            Ball(410, 350, 30),
            Ball(300, 350, 30),
            Ball(220, 260, 30),
            Ball(380, 260, 30),
        ),
    ),
    Game(
        name="multi_ball_hinder",
        concept="Hindrance for two balls that roll towards each other and to one gap.",
        blocks=(
            black(100, 400, 260, 400),
            black(340, 400, 500, 400),
            gray(260, 300, 260, 380),
            gray(340, 300, 340, 380),
            gray(100, 200, 180, 250),
            gray(420, 250, 500, 200),
        ),
        balls=(Ball(150, 200), Ball(450, 200)),
    ),
    Game(
        name="multi_ball_redirect",
        concept=(
            "Redirection: two balls start at different moments, so that ramp and collision "
            "turn both of them towards a way out."
        ),
        blocks=(
            black(400, 400, 500, 400),
            black(500, 300, 500, 380),
            gray(260, 160, 260, 200),
            black(200, 200, 280, 250),
            gray(200, 400, 370, 330),
            gray(340, 210, 360, 210),
        ),
        balls=(Ball(230, 180), Ball(350, 180)),
    ),
    Game(
        name="multi_ball_hole",
        concept=(
            "Hole for two balls from two sides, with a ramp over the gap that has to go in time."
        ),
        blocks=(
            black(100, 400, 250, 400),
            black(350, 400, 500, 400),
            black(100, 300, 100, 380),
            black(500, 300, 500, 380),
            gray(200, 100, 250, 130),
            gray(250, 50, 250, 100),
            gray(350, 120, 400, 100),
            gray(350, 50, 350, 90),
            gray(200, 270, 400, 350),
        ),
        balls=(Ball(220, 70), Ball(380, 70)),
    ),
    Game(
        name="multi_ball_fill",
        concept=(
            "Filling for two balls: one long block closes the pit, and the balls roll off on "
            "both sides."
        ),
        blocks=(
            black(100, 420, 460, 420),
            black(100, 400, 210, 400),
            black(350, 400, 460, 400),
            gray(230, 200, 330, 200),
            blue(230, 180, 330, 180),
            gray(100, 150, 160, 220),
            gray(150, 100, 150, 150),
            gray(400, 220, 470, 150),
            gray(420, 100, 420, 150),
        ),
        balls=(Ball(120, 120), Ball(450, 120)),
    ),
    Game(
        name="multi_ball_lever",
        concept="Lever: a weight dropped on a balanced plank tips both of its balls off.",
        blocks=(
            black(290, 420, 310, 420),
            blue(200, 400, 400, 400),
            gray(280, 200, 320, 200),
            gray(380, 200, 420, 200),
            blue(290, 180, 310, 180),
            blue(390, 180, 410, 180),
        ),
        balls=(Ball(250, 370), Ball(350, 370)),
    ),
    Game(
        name="multi_ball_angle",
        concept="Angle for two balls on one plank: its tilt must take both of them out.",
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
        balls=(Ball(260, 250), Ball(340, 250)),
    ),
    Game(
        name="multi_ball_pendulum",
        concept=(
            "Two pendulums, each cut loose at its own moment so that both balls drop into the gap."
        ),
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            gray(260, 150, 280, 150),
            gray(350, 270, 370, 270),
        ),
        balls=(Ball(360, 170), Ball(360, 240)),
        sticks=((6, 8), (5, 9)),
    ),
    Game(
        name="multi_ball_spring",
        concept=(
            "Two springs, each released at its own moment so that both balls drop into the gap."
        ),
        blocks=(
            black(10, 400, 160, 400),
            black(10, 380, 10, 10),
            black(270, 400, 400, 400),
            black(270, 380, 270, 360),
            gray(350, 200, 370, 200),
            gray(180, 150, 240, 150),
            gray(260, 150, 280, 150),
            gray(350, 270, 370, 270),
        ),
        balls=(Ball(360, 170), Ball(360, 240)),
        springs=((6, 8), (5, 9)),
    ),
    Game(
        name="multi_ball_spring_flick",
        concept=(
            "Spring as a sling for two balls, one of which has to be let down into the line "
            "of fire."
        ),
        blocks=(
            black(100, 420, 200, 420),
            black(400, 400, 590, 400),
            gray(10, 400, 10, 200),
            blue(580, 380, 590, 380),
            gray(70, 370, 150, 370),
            gray(100, 150, 180, 200),
            gray(170, 100, 170, 150),
            black(300, 420, 590, 420),
        ),
        balls=(Ball(140, 130), Ball(100, 340)),
        springs=((5, 3),),
    ),
)
