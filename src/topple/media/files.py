"""Frames to files: PNG, GIF and MP4, each written whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import IO, overload

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.GifImagePlugin import getdata, getheader

from topple.files import whole_file

Frame = npt.NDArray[np.uint8]  # [height, width, 3] RGB, top row first

DEFAULT_FPS = 20  # divides the 60 steps of a second, and a GIF can keep it
MAX_FPS = 60
_GIF_COLORS = 255  # one number of 256 stands for what did not change
_TREE = 128  # pixels: with other widths, x264's macroblock tree reads memory nobody has written
_GIF_SAMPLE = 16  # frames whose colours make the palette


class FrameFileError(ValueError):
    """A picture cannot be written; the message says why and what to do."""


class DrawnFrames(Sequence[Frame]):
    """Frames that are drawn each time they are asked for: a film takes the memory of one.

    Args:
        count: how many frames there are.
        draw: draws the frame with a given number, counted from 0.
    """

    def __init__(self, count: int, draw: Callable[[int], Frame]) -> None:
        self._numbers, self._draw = range(count), draw

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        chosen = self._numbers[index]
        if isinstance(chosen, range):
            return [self._draw(number) for number in chosen]
        return self._draw(chosen)


def save_png(frame: Frame, path: str | Path) -> None:
    """Write one frame."""
    with whole_file(Path(path)) as temporary:
        Image.fromarray(frame).save(temporary, format="PNG", optimize=True)


def save_frames(
    frames: Sequence[Frame], path: str | Path, fps: int = DEFAULT_FPS, hold: float = 0.0
) -> None:
    """Write a moving picture, GIF or MP4 by the file's ending, or the last frame as PNG.

    Args:
        frames: all of one size.
        path: where to; its folder is made.
        fps: frames a second. A GIF keeps whole hundredths of a second, and shows frames
            that do not differ as one.
        hold: seconds to rest on the last frame before a GIF starts again.

    Raises:
        FrameFileError: the ending is none of these, there are no frames, or MP4 support is
            not installed.
    """
    path = Path(path)
    if path.suffix.lower() not in _WRITERS:
        raise FrameFileError(f"{path} must end in {', '.join(_WRITERS)}")
    if not frames:
        raise FrameFileError(f"no frames to write to {path}")
    if not 1 <= fps <= MAX_FPS:
        raise FrameFileError(f"a picture has 1 to {MAX_FPS} frames a second, not {fps}")
    with whole_file(path) as temporary:
        _WRITERS[path.suffix.lower()](frames, temporary, fps, hold)


def _png(frames: Sequence[Frame], path: Path, fps: int, hold: float) -> None:
    Image.fromarray(frames[-1]).save(path, format="PNG", optimize=True)


def _gif(frames: Sequence[Frame], path: Path, fps: int, hold: float) -> None:
    # Scenes have a handful of flat colours and their blends: one palette for all frames and
    # no dithering keeps the colours exact, the picture still and the file small. Pillow would
    # keep all frames until it saves them; one after the other, a long film takes little memory.
    palette = _common_colors(frames)
    unchanged = len(palette)
    colors = palette.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:].tobytes() + bytes(3)
    pause = max(2, round(100 / fps)) * 10  # browsers slow down GIFs faster than 50 a second

    def image(numbers: npt.NDArray[np.uint8]) -> Image.Image:
        made = Image.fromarray(numbers)
        made.putpalette(colors)
        return made

    with path.open("wb") as file:

        def write(numbers: npt.NDArray[np.uint8], corner: tuple[int, int], duration: int) -> None:
            options = {"duration": duration, "transparency": unchanged}
            file.write(b"".join(getdata(image(numbers), corner, **options)))

        shown = changes = _nearest(_codes(frames[0]), palette)
        corner, duration = (0, 0), pause
        file.write(b"".join(getheader(image(shown), info={"loop": 0})[0]))
        for frame in islice(frames, 1, None):
            numbers = _nearest(_codes(frame), palette)
            differs = numbers != shown
            rows, columns = (differs.any(axis).nonzero()[0] for axis in (1, 0))
            if not len(rows):
                duration += pause
                continue
            write(changes, corner, duration)
            box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            changes = np.where(differs[box], numbers[box], np.uint8(unchanged))
            corner, duration, shown = (int(columns[0]), int(rows[0])), pause, numbers
        write(changes, corner, duration + round(hold * 100) * 10)
        file.write(b";")


def _codes(frame: Frame) -> npt.NDArray[np.uint32]:
    """[height, width] each colour as one number, 0xRRGGBB."""
    red, green, blue = np.moveaxis(frame.astype(np.uint32), -1, 0)
    codes: npt.NDArray[np.uint32] = red << 16 | green << 8 | blue
    return codes


def _common_colors(frames: Sequence[Frame]) -> npt.NDArray[np.uint32]:
    """The most frequent colours of some frames, in order of their numbers."""
    chosen = np.linspace(0, len(frames) - 1, min(len(frames), _GIF_SAMPLE)).astype(int)
    found = [np.unique(_codes(frames[k]), return_counts=True) for k in chosen]
    colors, places = np.unique(np.concatenate([seen for seen, _ in found]), return_inverse=True)
    counts = np.bincount(places, weights=np.concatenate([often for _, often in found]))
    return np.sort(colors[np.argsort(-counts, kind="stable")[:_GIF_COLORS]])


def _nearest(
    codes: npt.NDArray[np.uint32], palette: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint8]:
    """The place of each colour in a sorted palette; of the nearest, where it is not there."""
    places = np.searchsorted(palette, codes).clip(max=len(palette) - 1)
    missing = palette[places] != codes
    if missing.any():
        colors, inverse = np.unique(codes[missing], return_inverse=True)
        channels = np.array([16, 8, 0], dtype=np.uint32)
        have = (palette[:, None] >> channels & 255).astype(np.int64)
        want = (colors[:, None] >> channels & 255).astype(np.int64)
        distance = ((want[:, None] - have[None]) ** 2).sum(-1)
        places[missing] = distance.argmin(1)[inverse]
    return places.astype(np.uint8)


def _mp4(frames: Sequence[Frame], path: Path, fps: int, hold: float) -> None:
    with path.open("wb") as file:
        _encode(frames, file, Fraction(fps))


def mp4_bytes(frames: Iterable[Frame], fps: Fraction) -> bytes:
    """A film as the bytes of an MP4 file; the same on any number of cores.

    Args:
        frames: at least one; [height, width, 3] RGB, or 4 channels of which the last one counts for
            nothing. Each is used before the next one is asked for.
        fps: frames a second.

    Raises:
        FrameFileError: MP4 support is not installed.
    """
    file = io.BytesIO()
    _encode(frames, file, fps)
    return file.getvalue()


def _encode(frames: Iterable[Frame], file: IO[bytes], fps: Fraction) -> None:
    try:
        import av
    except ImportError:
        raise FrameFileError("MP4 needs the package av: pip install 'topple[video]'") from None
    rest = iter(frames)
    first = next(rest)
    height, width, channels = first.shape
    odd = ((0, height % 2), (0, width % 2), (0, 0))  # the encoder takes even sizes only
    with av.open(file, mode="w", format="mp4") as container:
        options = {"crf": "18"}
        if (width + width % 2) % _TREE:
            options["x264-params"] = "mbtree=0"
        stream = container.add_stream("libx264", rate=fps, options=options)
        stream.width, stream.height = width + width % 2, height + height % 2
        stream.pix_fmt = "yuv420p"
        stream.thread_count = 1  # more would change the bytes, and each keeps frames in memory
        picture = av.VideoFrame(stream.width, stream.height, "rgb24" if channels == 3 else "rgba")
        plane = picture.planes[0]  # the encoder makes its own copy, in other colours
        lines = np.frombuffer(memoryview(plane), np.uint8).reshape(stream.height, plane.line_size)
        lines[...] = 0  # the encoder reads some of what is beyond a line's end
        pixels = lines[:, : stream.width * channels].reshape(stream.height, stream.width, channels)
        for frame in chain([first], rest):
            pixels[...] = np.pad(frame, odd, mode="edge") if height % 2 or width % 2 else frame
            picture.pts = None
            for packet in stream.encode(picture):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def read_mp4(content: bytes) -> npt.NDArray[np.uint8]:
    """[frames, height, width, 3] a film from the bytes of an MP4 file.

    Raises:
        FrameFileError: MP4 support is not installed.
    """
    try:
        import av
    except ImportError:
        raise FrameFileError("MP4 needs the package av: pip install 'topple[video]'") from None
    with av.open(io.BytesIO(content), mode="r") as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    return np.array(frames, np.uint8)


_WRITERS = {".png": _png, ".gif": _gif, ".mp4": _mp4}
#: The endings of files that :func:`save_frames` writes.
ENDINGS = tuple(_WRITERS)
