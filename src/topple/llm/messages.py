"""Chat messages: text, and pictures beside it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image

from topple.llm.exchanges import png_url
from topple.media.files import Frame

Message = Mapping[str, Any]  # as chat endpoints take it
Picture = tuple[str, Frame]  # what it shows, and the picture

ANSWER_RULE = (
    "Reply with one JSON object and nothing else. If you want to think in writing first, put the "
    "object into a fenced code block at the end; the last such block is read."
)
CALL_RULE = "Give your answer by calling `propose`."


def system(text: str) -> Message:
    """A system message."""
    return {"role": "system", "content": text}


def user(text: str, pictures: Sequence[Picture] = ()) -> Message:
    """A message to the model, followed by pictures with captions."""
    if not pictures:
        return {"role": "user", "content": text}
    parts: list[dict[str, object]] = [{"type": "text", "text": text}] if text else []
    for caption, frame in pictures:
        parts.append({"type": "text", "text": caption})
        parts.append({"type": "image_url", "image_url": {"url": png_url(to_png(frame))}})
    return {"role": "user", "content": parts}


def text_of(message: Message) -> str:
    """The words of a message, without its pictures."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("text"))


def evenly_spaced(last: int, count: int) -> list[int]:
    """Indices of keyframes from 0 to ``last``, evenly spaced in time and ending with it."""
    indices: list[int] = np.unique(np.linspace(0, last, count + 1).round()[1:]).astype(int).tolist()
    return indices


def to_png(frame: Frame) -> bytes:
    """A frame as the bytes of a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
