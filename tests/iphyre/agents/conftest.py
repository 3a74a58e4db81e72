"""Tiny networks are slower on several threads than on one."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
