"""Programs that draw: observations, predicted features, GIFs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageSequence

import topple.compat.phyre as phyre
from topple.compat.phyre import raster
from topple.compat.phyre.conversion import thrift_to_body
from topple.compat.phyre.simulation import (
    FeaturizedObjects,
    PositionShift,
    finalize_featurized_objects,
)

# Columns of object features.
X, Y, ANGLE, DIAMETER, BALL, BAR, JAR, STICKS, RED, GREEN, BLUE, PURPLE, GRAY, BLACK = range(14)


def an_object(
    kind: int, color: int, x: float = 0.5, y: float = 0.5, angle: float = 0.0, diameter: float = 0.2
) -> npt.NDArray[np.float32]:
    row = np.zeros(14, np.float32)
    row[[X, Y, ANGLE, DIAMETER, kind, color]] = x, y, angle, diameter, 1, 1
    return row


def draw(*rows: npt.NDArray[np.floating]) -> npt.NDArray[np.int64]:
    return phyre.vis.featurized_objects_vector_to_raster(np.array(rows))


def test_padding_is_blank() -> None:
    ball, nothing = an_object(BALL, GREEN), np.zeros(14, np.float32)
    np.testing.assert_array_equal(draw(ball, nothing, nothing), draw(ball))
    assert not draw(nothing).any()
    empty = phyre.objects_util.featurized_objects_vector_to_raster(np.zeros((0, 14)))
    assert empty.shape == (256, 256)
    assert not empty.any()


@pytest.mark.parametrize("kind", [BALL, BAR, JAR, STICKS])
def test_what_lies_outside_is_clipped(kind: int) -> None:
    whole = draw(an_object(kind, GRAY, x=0.5, y=0.5))
    assert set(np.unique(whole)) == {0, 5}
    cut = draw(an_object(kind, GRAY, x=0.5, y=0.0))
    np.testing.assert_array_equal(cut[:128], whole[128:])
    for x, y in ((-4.0, 0.5), (0.5, 40.0), (1e6, -1e6)):
        assert not draw(an_object(kind, GRAY, x=x, y=y)).any()


@pytest.mark.parametrize("kind", [BALL, BAR, JAR, STICKS])
@pytest.mark.parametrize("diameter", [-0.001, 0.0, 0.001, 0.0195, 0.02])
def test_odd_diameters(kind: int, diameter: float) -> None:
    odd = draw(an_object(BALL, GREEN), an_object(kind, BLUE, x=0.1, y=0.1, diameter=diameter))
    assert (odd[64:] == draw(an_object(BALL, GREEN))[64:]).all()
    assert (odd[:64] != 0).sum() < 60


def test_objects_wider_than_the_scene() -> None:
    assert (draw(an_object(BALL, BLACK, diameter=4.0)) == 6).all()
    long = draw(an_object(BAR, BLACK, diameter=40.0))
    assert (long == 6).all(1).sum() in (5, 6)


def test_a_predicted_ball_has_a_whole_radius_and_a_half() -> None:
    """The player's balls keep theirs; others are built anew from the diameter."""
    assert (draw(an_object(BALL, GREEN, diameter=20.9 / 256)) != 0).sum() == (
        draw(an_object(BALL, GREEN, diameter=19.0 / 256)) != 0
    ).sum()
    widths = [(draw(an_object(BALL, RED, diameter=d / 256)) != 0).sum() for d in (19.0, 20.9)]
    assert widths[0] < widths[1]


def test_a_jar_is_moved_only_if_it_is_surely_one() -> None:
    sure = an_object(JAR, GREEN)
    unsure = sure.copy()
    unsure[JAR] = 0.999
    assert (draw(sure) != draw(unsure)).any()
    shift = draw(unsure).nonzero()[0].min() - draw(sure).nonzero()[0].min()
    rows = np.array([[sure, unsure, an_object(BALL, RED)]])
    moved = finalize_featurized_objects(rows, PositionShift.FROM_CENTER_OF_MASS)
    np.testing.assert_array_equal(moved[0, 1:], rows[0, 1:])
    assert (rows[0, 0, Y] - moved[0, 0, Y]) * 256 == pytest.approx(shift, abs=1)
    np.testing.assert_allclose(finalize_featurized_objects(moved), rows, atol=1e-6)
    turned = finalize_featurized_objects(np.array([[an_object(JAR, GREEN, angle=0.25)]]))
    assert turned[0, 0, X] < 0.5
    assert turned[0, 0, Y] == pytest.approx(0.5)
    with pytest.raises(AssertionError, match="up"):
        finalize_featurized_objects(rows, "up")  # type: ignore[arg-type]


def test_features_of_the_simulator_are_finished() -> None:
    """They come from the engine with their jars moved, as the original's do."""
    jars = [task for task in phyre.metrics.get_task_ids_in_tier("ball") if task[:5] == "00006"]
    simulator = phyre.initialize_simulator(jars[:1], "ball")
    objects = simulator.initial_featurized_objects[0]
    place = objects.shapes.index("JAR")
    body = simulator._tasks[0].scene.bodies[4 + place]
    assert abs(objects.ys[0, place] * 256 - body.position.y) > 5
    assert FeaturizedObjects._NUM_FEATURES == 14
    assert objects.features[:, :, FeaturizedObjects._SHAPE_END_INDEX :].shape[-1] == 6


def test_any_body_is_drawn_as_the_engine_draws() -> None:
    """The slow drawing, for bodies that the engine refuses, paints the same pixels."""
    ids = [
        *phyre.get_fold("ball_cross_template", 0)[1],
        *phyre.get_fold("two_balls_within_template", 0)[1],
    ]
    for task in phyre.loader.load_compiled_task_list(ids[::20]):
        for scene in (task.scene, phyre.simulator.simulate_task(task, 41, 40).sceneList[1]):
            image = np.zeros((256, 256), np.uint8)
            for body in map(thrift_to_body, scene.bodies):
                raster._draw_body(image, body)
            np.testing.assert_array_equal(image, phyre.simulator.scene_to_raster(scene))


def test_any_number_of_dimensions() -> None:
    codes = np.random.RandomState(0).randint(0, 8, (2, 3, 5, 6)).astype(np.uint8)
    picture = phyre.observations_to_float_rgb(codes[0, 0])
    np.testing.assert_array_equal(picture, phyre.vis.WAD_COLORS[codes[0, 0][::-1]] / 255.0)
    np.testing.assert_array_equal(phyre.observations_to_float_rgb(codes[0, 0].tolist()), picture)
    # As in the original, the first dimension is turned over, whatever it is.
    many = phyre.observations_to_uint8_rgb(codes)
    assert many.shape == (2, 3, 5, 6, 3)
    np.testing.assert_array_equal(many, phyre.vis.WAD_COLORS[codes[::-1]])
    row = phyre.observations_to_uint8_rgb([7, 0])
    assert row.tolist() == [[255, 255, 255], [252, 223, 227]]
    with pytest.raises(IndexError):
        phyre.observations_to_uint8_rgb([8])


def frames_of(path: Path) -> list[npt.NDArray[np.uint8]]:
    with Image.open(path) as gif:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(gif)]


def test_gifs(tmp_path: Path) -> None:
    simulator = phyre.initialize_simulator(["00000:000", "00001:001"], "ball")
    action = simulator.build_discrete_action_space(1)[0]
    series = [simulator.simulate_action(task, action, stride=100).images for task in (0, 1)]
    assert series[0] is not None
    assert series[1] is not None
    long, short = series[0], series[1][:4]
    one, two = tmp_path / "one.gif", tmp_path / "two.gif"
    phyre.vis.save_observation_series_to_gif([long, short], one, solved_states=[True, False])
    phyre.vis.save_observation_series_to_gif([short], two)
    first, *_, last = frames_of(one)
    assert first.shape == (261, 512, 3)
    assert first[2, 100].tolist() == phyre.vis.SOLVE_STATUS_COLORS[1].tolist()
    np.testing.assert_array_equal(last[5:, :256], phyre.observations_to_uint8_rgb(long[-1]))
    np.testing.assert_array_equal(last[5:, 256:], phyre.observations_to_uint8_rgb(short[-1]))
    phyre.vis.compose_gifs([two, two], tmp_path / "both.gif")
    np.testing.assert_array_equal(
        frames_of(tmp_path / "both.gif")[-1], np.concatenate([frames_of(two)[-1]] * 2)
    )
    phyre.vis.compose_gifs_compact([two, two], tmp_path / "ends.gif")
    ends = frames_of(tmp_path / "ends.gif")[0]
    np.testing.assert_array_equal(ends, np.concatenate([frames_of(two)[0], frames_of(two)[-1]]))
    phyre.vis.compose_gifs_compact([], tmp_path / "none.gif")
    assert not (tmp_path / "none.gif").exists()


def test_composed_gifs_stay_in_step(tmp_path: Path) -> None:
    """A picture that rests is one frame of a GIF, shown for longer."""
    still = np.zeros((6, 8, 8), np.uint8)
    moving = np.arange(6, dtype=np.uint8)[:, None, None] + still
    for name, images in (("still", still), ("moving", moving)):
        phyre.vis.save_observation_series_to_gif([images], tmp_path / f"{name}.gif")
    names = [tmp_path / "still.gif", tmp_path / "moving.gif"]
    phyre.vis.compose_gifs(names, tmp_path / "both.gif")
    assert len(frames_of(tmp_path / "both.gif")) == 6
