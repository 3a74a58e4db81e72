"""Numbers printed in the papers, with where they stand.

I-PHYRE: S. Li, K. Wu, C. Zhang, Y. Zhu, "I-PHYRE: Interactive Physical Reasoning",
ICLR 2024, arXiv:2312.03009. Rewards unless said otherwise.
"""

from __future__ import annotations

from functools import cache

from topple.iphyre.score import Average
from topple.iphyre.split import PUBLISHED_SPLITS, Split

IPHYRE_CITATION = "Li et al., I-PHYRE: Interactive Physical Reasoning, ICLR 2024"

# Table 2: rewards of people (five attempts a game) and of the experimenters.
IPHYRE_HUMAN = {
    Split.BASIC: 898.01,
    Split.NOISY: 879.23,
    Split.COMPOSITIONAL: 798.69,
    Split.MULTI_BALL: 800.97,
}
#: Table A4, its last rows: people in the forty games, with five plays of each.
IPHYRE_HUMAN_AVERAGE = Average(844.17, 0.8755, 40)
IPHYRE_ORACLE = {
    Split.BASIC: 976.06,
    Split.NOISY: 974.71,
    Split.COMPOSITIONAL: 971.26,
    Split.MULTI_BALL: 968.61,
}

#: Table A1: accuracies of classifiers, in per cent.
IPHYRE_TABLE_A1 = {
    "Global Fusion": dict(zip(PUBLISHED_SPLITS, (87.5, 59.8, 57.0, 56.7), strict=True)),
    "Object Fusion": dict(zip(PUBLISHED_SPLITS, (71.4, 60.1, 60.2, 54.1), strict=True)),
    "Vision Fusion": dict(zip(PUBLISHED_SPLITS, (86.4, 57.5, 55.8, 59.5), strict=True)),
}

# Table A2: average rewards on the basic and the unseen basic games.
IPHYRE_TABLE_A2 = {
    "Random": {Split.BASIC: 360.33, Split.UNSEEN_BASIC: 360.17},
    "A2C-I": {Split.BASIC: 862.47, Split.UNSEEN_BASIC: 862.25},
    "PPO-I": {Split.BASIC: 861.56, Split.UNSEEN_BASIC: 763.13},
    "A2C-C": {Split.BASIC: 765.26, Split.UNSEEN_BASIC: 662.72},
    "PPO-C": {Split.BASIC: 862.78, Split.UNSEEN_BASIC: 660.51},
    "A2C-O": {Split.BASIC: 461.2, Split.UNSEEN_BASIC: 561.75},
    "PPO-O": {Split.BASIC: 663.91, Split.UNSEEN_BASIC: 662.12},
}

# Table A4: the reward of every player in every game. The suffixes -I, -O and -C stand
# for in advance, on the fly and combined.
IPHYRE_TABLE_A4_PLAYERS = (
    "Human",
    "Random",
    "DDPG-I",
    "DQN-O",
    "A2C-I",
    "A2C-O",
    "A2C-C",
    "PPO-I",
    "PPO-O",
    "PPO-C",
    "SAC-I",
    "SAC-O",
    "SAC-C",
)
_TABLE_A4 = """
support 975.96 977.6 968 970.3 973.6 970.6 974.3 973.6 977.6 973 969.6 977.6 975.9
hinder 971.57 -45 -25 972.5 962.5 962.5 962.5 962.5 962.5 962.5 962.5 -45 972.5
direction 971.89 953.3 -55 947.3 958.4 963.3 959.7 949 953.3 948.9 963.3 953.3 970
hole 966.08 -55 955.1 952.5 950.1 -55 -55 949.7 962.5 960 959.6 953.9 966
fill 970.89 -45 -35 -45 957.1 -45 -35 958.4 -45 958.6 -45 -45 969.5
seesaw 436.36 -35 -25 -35 -35 -35 -35 -35 -35 -35 -35 -35 -35
angle 770.47 -55 -45 948.2 952.9 949.3 962.9 950 949.4 950 958.3 951.6 -45
impulse 970.47 972.3 966.5 973.5 967.5 971.3 967.8 967.8 972.3 967.7 966.9 972.1 -35
pendulum 972.56 -35 969 -35 966.9 -35 971.7 968.7 -35 971.2 968.2 -35 -35
spring 973.84 970.1 969.6 -35 970.7 -35 970.6 970.9 976.5 970.9 984.2 -35 -35.1
noisy_support 977.09 957.6 949 947.9 -45 957.6 -45 952.5 954.4 953.8 952.9 957.6 960.3
noisy_hinder 967.33 -65 -55 952.5 951.9 942.3 962.5 938.9 942.5 952.5 -65 -65 -45
noisy_direction 972.81 928.7 -45 -25 940.6 -75 950.2 928.5 -75 938.6 940.1 -75 -55
noisy_hole 966.43 -65 955.4 -55 950.3 946 959.5 941.3 942.5 951.5 -65 -65 -65
noisy_fill 971.47 -55 -45 -15 -45 -55 -35 -45 -55 -55 -55 -55 -55.1
noisy_seesaw 455.88 -45 -25 -45 -45 -45 -45 -45 -45 -45 -45 -45 -35
noisy_angle 565.88 -75 -45 -25 -75 -75 931.4 935.3 -75 941.3 -75 -75 -45
noisy_impulse 968.36 -45 -35 -35 956.7 -45 957 956.2 962.3 956.9 -45 -35 -45
noisy_pendulum 972.59 -45 -35 -15 -45 -45 -45 961.4 -45 -45 -45 -45 -45.1
noisy_spring 974.47 -45 -35 983.1 960.8 -45 -45 961.9 966.6 963.3 966.1 -45 984.3
support_hinder 961.54 -55 -55 -25 946.1 -55 -45 946.8 -55 945.9 -45 -55 -35
support_direction 963.07 -65 956 -45 -35 -65 951.3 -55 -65 936.2 -65 -65 -55
support_hole 957.88 -65 -45 -25 -65 945 -45 -65 -65 -65 -65 -65 -45.1
more_step_hole 969.51 -45 -45 -25 -45 965 -45 973.5 963.6 -45 -45 -45 -45
hinder_fill 954.2 -75 -55 -35 -65 -75 -55 -65 -75 -65 938.3 -75 -55
impulse_spring 281.96 -35 -35 -25 -35 -35 -35 -35 -35 -35 -35 -35 -35
impulse_pendulum 975.79 972.8 966.3 -25 966.3 -35 969.2 966.5 973.4 966.2 967.5 972.3 968.7
activated_pendulum 577.84 -45 -45 -15 -45 -45 -45 -45 -45 -45 -45 -35 -45
spring_flick 935.83 -45 966 966 -45 974.9 -35 -45 -45 -45 958.6 963.9 975.1
seesaw_angle 409.22 -45 -35 -15 -45 -45 -45 -45 -45 -45 -45 -45 -35
multi_ball_stack 612.59 -45 -35 -25 -35 969.9 -35 958.5 -45 -45 -45 957.3 -45.1
multi_ball_hinder 487.67 948 -45 -25 -45 -55 -35 -55 -55 -55 -55 -45 -55
multi_ball_redirect 919.63 964.7 -35 -15 961.1 962.4 961.2 -45 964.5 962.4 955.5 964.5 -35
multi_ball_hole 673.51 -65 -45 -45 -65 -65 -55 -55 -65 -65 -65 -65 -65
multi_ball_fill 957.84 -65 -45 -45 936.8 -65 -55.1 -65 936.1 -45 -65 -65 -65
multi_ball_lever 980.33 969.7 990.8 990.8 968.9 969.9 970.8 969.1 974.5 970.7 980.8 976.9 980.8
multi_ball_angle 927.3 -55 -45 -45 -55 951.5 -45 -55 -55 -55 -55 -55 969.7
multi_ball_pendulum 928.52 -55 -45 -35 -55 -55 -45 -55 -55 -55 -55 -55 -45
multi_ball_spring 896.18 -55 -45 -25 -45 -55 960.5 947.9 -55 950.9 960.6 -55 -45.1
multi_ball_spring_flick 624.17 -55 956 -25 -55 945.9 -45 -55 -55 -45 -55 -55 -55
"""

# The last row of Table A4: averages over the forty games, in the order of the players.
_TABLE_A4_MEANS = (
    "844.17 200.87 260.19 242.99 429.36 352.69 383.45 528.10 377.74 504.33 378.45 227.15 233.93"
)


@cache
def iphyre_table_a4_means() -> dict[str, float]:
    """Table A4: player to average reward over the forty games."""
    means = map(float, _TABLE_A4_MEANS.split())
    return dict(zip(IPHYRE_TABLE_A4_PLAYERS, means, strict=True))


@cache
def iphyre_table_a4() -> dict[str, dict[str, float]]:
    """Table A4: game, then player, to reward."""
    table = {}
    for line in _TABLE_A4.split("\n"):
        if line:
            game, *rewards = line.split()
            table[game] = dict(zip(IPHYRE_TABLE_A4_PLAYERS, map(float, rewards), strict=True))
    return table
