"""Training updates of the transformer, recorded as a CUDA graph on a GPU.

An update minimizes the binary cross-entropy of outcomes, and of what is learned beside them: where
bodies go and how long the goal holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from topple.phyre.agents.dqn_network import mixed_precision
from topple.phyre.agents.lessons import Drawn, Group, Lessons
from topple.phyre.agents.recorded import RecordedUpdate
from topple.phyre.agents.scene_tokens import ball_rows
from topple.phyre.agents.transformer_network import Prediction, SceneTransformer

WEIGHT_DECAY = 0.01
_MAX_GRAD_NORM = 1.0
_MOTION_SCALE = 4.0  # of displacements, which are shares of the scene, in the loss


class TransformerUpdates:
    """Gradient updates of a network.

    Args:
        network: the network on its device; it is updated in place.
        lessons: what batches are drawn from, on the same device.
        auxiliary_weight: weight of what is learned beside the outcome.
        graph: whether to record a CUDA graph; there is none on a CPU.
    """

    def __init__(
        self,
        network: SceneTransformer,
        lessons: Lessons,
        auxiliary_weight: float,
        *,
        graph: bool = True,
    ) -> None:
        self._network, self._lessons = network, lessons
        self._auxiliary_weight = auxiliary_weight
        self._device = lessons.actions.device
        on_gpu = self._device.type == "cuda"
        self._rate = torch.zeros((), device=self._device)
        self.optimizer = torch.optim.AdamW(
            network.parameters(),
            lr=self._rate,
            weight_decay=WEIGHT_DECAY,
            fused=True,
            capturable=on_gpu,
        )
        self._groups: tuple[Group, ...] = ()
        self._actions: Tensor | None = None  # of the lessons, when batches were loaded last
        self._batches: list[Tensor] = []
        self._rates = torch.zeros(0, device=self._device)
        self._place = torch.zeros(1, dtype=torch.int64, device=self._device)
        self._loss = torch.zeros((), device=self._device)
        self._recorded = RecordedUpdate(self._update, self.optimizer, graph=graph and on_gpu)

    @property
    def failure(self) -> str | None:
        """Why there is no graph although one was wanted."""
        return self._recorded.failure

    def restore(self, optimizer: dict[str, Any]) -> None:
        """Resume after earlier updates, with the state of their optimizer."""
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": optimizer, "param_groups": groups})
        self.optimizer.param_groups[0]["lr"] = self._rate  # loading replaced it by a copy

    def load(self, drawn: Drawn) -> None:
        """Take the next batches to the device."""
        count = len(drawn.scenes)
        arrays = (drawn.scenes, drawn.numbers, drawn.solved, drawn.watched)
        same = self._groups == drawn.groups and self._actions is self._lessons.actions
        if same and count <= len(self._rates):
            for buffer, array in zip(self._batches, arrays, strict=True):
                buffer[:count].copy_(torch.from_numpy(array))
        else:
            self._groups, self._actions = drawn.groups, self._lessons.actions
            self._batches = [torch.from_numpy(array).to(self._device) for array in arrays]
            self._rates = torch.zeros(count, device=self._device)
            self._recorded.forget()
        self._place.zero_()

    def run(self, rates: npt.NDArray[np.float32]) -> float:
        """Make updates with the next of the loaded batches, and return their mean loss.

        Args:
            rates: [updates] learning rate of each.
        """
        self._network.train()
        first = int(self._place)
        self._rates[first : first + len(rates)] = torch.from_numpy(rates).to(self._device)
        self._recorded.make(len(rates))
        mean = float(self._loss) / len(rates)
        self._loss.zero_()
        return mean

    def _update(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        outcome, auxiliary = self._losses()
        (outcome + self._auxiliary_weight * auxiliary).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), _MAX_GRAD_NORM)
        self._rate.copy_(self._rates.index_select(0, self._place)[0])
        self.optimizer.step()
        self._loss += outcome.detach()
        self._place += 1

    def _losses(self) -> tuple[Tensor, Tensor]:
        """How far outcomes of the next batch are off, and what is learned beside them."""
        lessons = self._lessons
        scenes, numbers, solved, top = (
            buffer.index_select(0, self._place)[0] for buffer in self._batches
        )
        outcome = torch.zeros((), device=self._device)
        beside = _Auxiliary(self._device)
        attempt = seen = 0
        with mixed_precision(self._device):
            for group in self._groups:
                own = slice(attempt, attempt := attempt + group.attempts)
                on_top = top[seen : (seen := seen + group.watched)]
                scene, actions = scenes[own], lessons.actions[numbers[own]]
                watched = [column[on_top] for column in lessons.watched]
                if watched:
                    scene = torch.cat([scene, watched[0]])
                    actions = torch.cat([actions, watched[1]])
                balls = ball_rows(actions)
                rows, there = lessons.scenes.gather(scene, group.length - balls.shape[1] - 1)
                found = self._network(rows, there, balls, watched=group.watched)
                outcome = outcome + functional.binary_cross_entropy_with_logits(
                    found.logit[: group.attempts], solved[own], reduction="sum"
                )
                if group.watched:
                    beside.add(found, *watched[2:])
        return outcome / max(attempt, 1), beside.mean()


class _Auxiliary:
    """How far predictions of outcome, touch and motion are off, where they are known."""

    def __init__(self, device: torch.device) -> None:
        self._sums = [torch.zeros((), device=device) for _ in range(3)]
        self._counts = [torch.zeros((), device=device) for _ in range(3)]

    def add(self, found: Prediction, solved: Tensor, touch: Tensor, motion: Tensor) -> None:
        """Add the watched attempts of a group, which are its last ones."""
        assert found.motion is not None
        count = len(solved)
        bodies = min(found.motion.shape[1], motion.shape[1])
        target = motion[:, :bodies].float()
        there = ~target.isnan()
        known = ~touch.isnan()
        logit = functional.binary_cross_entropy_with_logits(
            found.logit[-count:], solved, reduction="none"
        )
        touched = functional.binary_cross_entropy_with_logits(
            found.touch[-count:], touch.nan_to_num(), reduction="none"
        )
        moved = functional.smooth_l1_loss(
            _MOTION_SCALE * found.motion[:, :bodies],
            _MOTION_SCALE * target.nan_to_num(),
            reduction="none",
        )
        parts = ((logit, torch.ones_like(known)), (touched, known), (moved, there))
        for place, (off, counted) in enumerate(parts):
            self._sums[place] = self._sums[place] + (off * counted).sum()
            self._counts[place] = self._counts[place] + counted.sum()

    def mean(self) -> Tensor:
        """The sum of the three means."""
        pairs = zip(self._sums, self._counts, strict=True)
        return torch.stack([total / count.clamp(min=1) for total, count in pairs]).sum()
