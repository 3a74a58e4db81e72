"""The 50 published templates, in order. A module is imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from topple.phyre.authoring import Template, only_template

MODULES = {
    "00000": "ball.t00000_two_balls_apart",
    "00001": "ball.t00001_off_the_shelf",
    "00002": "ball.t00002_past_the_obstacle",
    "00003": "ball.t00003_bar_in_a_vase",
    "00004": "ball.t00004_beam_on_a_fulcrum",
    "00005": "ball.t00005_over_the_jar",
    "00006": "ball.t00006_jar_through_the_gap",
    "00007": "ball.t00007_through_the_funnel",
    "00008": "ball.t00008_down_the_stairs",
    "00009": "ball.t00009_bar_on_the_brink",
    "00010": "ball.t00010_jar_in_a_valley",
    "00011": "ball.t00011_two_slopes",
    "00012": "ball.t00012_four_strings_of_pearls",
    "00013": "ball.t00013_branching_chains",
    "00014": "ball.t00014_under_the_separator",
    "00015": "ball.t00015_out_of_the_cradle",
    "00016": "ball.t00016_ski_jump",
    "00017": "ball.t00017_ball_on_a_pole",
    "00018": "ball.t00018_under_the_cover",
    "00019": "ball.t00019_onto_the_pad",
    "00020": "ball.t00020_past_the_rack",
    "00021": "ball.t00021_chain_of_ramps",
    "00022": "ball.t00022_into_the_lower_jar",
    "00023": "ball.t00023_plank_over_a_ball",
    "00024": "ball.t00024_plugged_hole",
    "00100": "two_balls.t00100_jar_below_the_lip",
    "00101": "two_balls.t00101_two_pedestals",
    "00102": "two_balls.t00102_staggered_gaps",
    "00103": "two_balls.t00103_meet_under_the_wall",
    "00104": "two_balls.t00104_a_jar_for_each",
    "00105": "two_balls.t00105_two_trapped_balls",
    "00106": "two_balls.t00106_two_catapults",
    "00107": "two_balls.t00107_lid_over_the_gap",
    "00108": "two_balls.t00108_scattered_shelves",
    "00109": "two_balls.t00109_there_and_back",
    "00110": "two_balls.t00110_over_the_ridge",
    "00111": "two_balls.t00111_sticks_and_funnel",
    "00112": "two_balls.t00112_dominoes_under_a_shelf",
    "00113": "two_balls.t00113_cover_on_a_high_bar",
    "00114": "two_balls.t00114_boxed_in_above_a_step",
    "00115": "two_balls.t00115_two_upright_sticks",
    "00116": "two_balls.t00116_seesaw_over_the_wall",
    "00117": "two_balls.t00117_throw_at_the_wall",
    "00118": "two_balls.t00118_lying_jars",
    "00119": "two_balls.t00119_plank_on_a_step",
    "00120": "two_balls.t00120_cascade_of_shelves",
    "00121": "two_balls.t00121_two_alleys",
    "00122": "two_balls.t00122_sticks_on_sticks",
    "00123": "two_balls.t00123_slanted_channels",
    "00124": "two_balls.t00124_sticks_on_a_pedestal",
}


@cache
def find_template(template_id: str) -> Template:
    """The published template with this id.

    Raises:
        LookupError: There is no such template; the message says which there are.
    """
    if template_id not in MODULES:
        hint = "PHYRE has 00000 to 00024 (one ball) and 00100 to 00124 (two balls)"
        raise LookupError(f"no published template {template_id!r}: {hint}")
    return only_template(vars(import_module(f"{__name__}.{MODULES[template_id]}")), template_id)


def template_name(template_id: str) -> str:
    """The name of a published template in words, such as "Past the obstacle"."""
    words = MODULES[template_id].rpartition(".")[2].partition("_")[2].replace("_", " ")
    return words.capitalize()
