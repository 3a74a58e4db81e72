"""`topple sheet`: one picture of all templates of a PHYRE tier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topple.cli.options import EachSize, TierName, out_file
from topple.cli.output import Output
from topple.media.files import save_png
from topple.phyre import Tier
from topple.phyre.pictures import SHEET_SIZE, tier_sheet


def sheet(
    tier: TierName,
    out: Annotated[Path, out_file("the picture, ending in .png", ".png")],
    tasks_per_template: Annotated[int, typer.Option(min=1)] = 1,
    size: EachSize = SHEET_SIZE,
    columns: Annotated[int | None, typer.Option(min=1)] = None,
) -> Output:
    """Draw the 25 templates of a tier on one contact sheet.

    Options:
        tasks_per_template: Number of tasks to draw for each template: 1 as in Figures 7 and 8 of
            the paper, 5 as in Figure 9.
        columns: Number of puzzles in a row. The default is 5, or the tasks of one template.

    Examples:
      topple sheet --tier ball --out ball.png
      topple sheet --tier two_balls --tasks-per-template 5 --size 128 --out five.png
    """
    frame = tier_sheet(Tier.parse(tier), tasks_per_template, size, columns)
    save_png(frame, out)
    height, width = frame.shape[:2]
    data = {"file": str(out), "width": width, "height": height}
    return Output(data, f"{out}: {width} x {height} pixels")
