"""Worker threads that take numbered tasks in order and never run too far ahead.

Each worker builds its own tools and uses them in the thread that built them. The module knows
nothing of episodes.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

from agentgym_critic.errors import ConfigError

__all__ = ["Schedule", "run_workers"]

_log = logging.getLogger(__name__)


class Schedule:
    """Numbered tasks, handed out in order.

    Args:
        tasks: the numbers, ascending.
        window: a task is handed out only when all tasks up to ``task - window`` are done; None
            for no such wait.
    """

    def __init__(self, tasks: Sequence[int], window: int | None = None) -> None:
        self._waiting = deque(tasks)
        self._window = window
        self._running: set[int] = set()
        self._stopped = False
        self._changed = threading.Condition()

    @property
    def stopped(self) -> bool:
        """Whether no more tasks are handed out, and those running should end."""
        return self._stopped

    def take(self) -> int | None:
        """The next task, waiting until it may run; None when there are no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not self._waiting or self._may_run(self._waiting[0]))
            if self._stopped or not self._waiting:
                return None
            self._running.add(self._waiting[0])
            return self._waiting.popleft()

    def done(self, task: int) -> None:
        """Report that a task has ended, well or not."""
        with self._changed:
            self._running.discard(task)
            self._changed.notify_all()

    def stop(self) -> None:
        """Hand out no more tasks."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _may_run(self, task: int) -> bool:
        return self._window is None or min(self._running, default=task) > task - self._window


def run_workers(work: Callable[[], None], schedule: Schedule, parallel: int) -> None:
    """Run `work`, which takes from `schedule` until it gets None, in `parallel` threads.

    With one worker it runs in the calling thread. Whatever a worker or the caller raises
    (Ctrl-C too) stops the schedule, waits for the others to notice, and is raised here. A
    second Ctrl-C leaves them behind: they end with the process.

    Raises:
        ConfigError: the system does not start that many threads.
    """
    if parallel == 1:
        work()
        return
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)
            schedule.stop()

    workers = [_Worker(guarded, f"agentgym-critic-{n}") for n in range(parallel)]
    try:
        _start(workers)
        _join(workers)
    except BaseException:
        schedule.stop()
        _log.warning("Waiting for the episodes in flight to end; interrupt again to leave at once.")
        _join([worker for worker in workers if worker.ident])
        raise
    if errors:
        raise errors[0]


class _Worker(threading.Thread):
    """A thread that a caller can wait for again after Ctrl-C interrupted the first time.

    `join` cannot be trusted there: in Python 3.11 an interrupted one takes the lock of the running thread for its
    own and marks the thread as ended.
    """

    def __init__(self, work: Callable[[], None], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._work, self._over = work, threading.Event()

    def run(self) -> None:
        try:
            self._work()
        finally:
            self._over.set()

    def wait(self) -> None:
        self._over.wait()
        self.join()


def _start(workers: Sequence[threading.Thread]) -> None:
    for started, worker in enumerate(workers):
        try:
            worker.start()
        except RuntimeError as cause:
            raise ConfigError(
                f"the system starts no more than {started} threads now ({cause}), got parallel={len(workers)}; lower it"
            ) from cause


def _join(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.wait()
