"""The command line as tests call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from worlds import BRITTLE, CORRIDOR

WORLD, BROKEN_WORLD = f"worlds:{CORRIDOR}", f"worlds:{BRITTLE}"


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Verb = Callable[..., Result]
