"""The contract every published template keeps."""

from __future__ import annotations

import pytest

from topple.phyre import Tier, find_template
from topple.phyre.numbering import published, stable_shuffle
from topple.phyre.templates import MODULES

TIER_OF = {template_id: tier for tier in Tier for template_id in tier.template_ids}


def test_the_list_holds_the_50_templates_in_order() -> None:
    assert list(MODULES) == sorted(TIER_OF)
    for template_id, module in MODULES.items():
        assert module.startswith(f"{TIER_OF[template_id].value}.t{template_id}_")


@pytest.mark.parametrize("template_id", MODULES)
def test_a_template_keeps_the_contract(template_id: str) -> None:
    template = find_template(template_id)
    assert template.id == template_id
    assert template.tier is TIER_OF[template_id]
    assert template.idea.endswith(".")
    assert list(template.grid) == sorted(template.grid)
    numbers, tuples = published(template_id)
    assert len(numbers) == len(set(tuples)) == 100
    assert list(numbers) == sorted(set(numbers))
    assert numbers[-1] < template.selection.search


def test_tuples_are_numbered_with_the_last_name_fastest() -> None:
    template = find_template("00003")
    assert template.parameters(88) == {
        "bar_scale": 0.2,
        "jar_x": 0.8552631578947368,
        "jitter_x": 1.0,
    }
    with pytest.raises(IndexError, match="tuples 0 to 399, not 400"):
        template.parameters(400)


def test_the_shuffle_is_the_published_one() -> None:
    start = [363, 168, 381, 236, 348, 138, 134, 245, 27, 195]
    assert stable_shuffle(range(400))[:10] == start
    assert stable_shuffle(["a", "b", "c"], "x") != stable_shuffle(["a", "b", "c"], "y")
