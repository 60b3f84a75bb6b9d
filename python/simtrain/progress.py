"""Progress bars: one line on a terminal, a bar in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

#: Receives the parts that are done and how many there are.
Watcher = Callable[[int, int], None]
#: None: a bar where somebody looks; True or False: always or never; or a function of one's own.
Progress = Union[None, bool, Watcher]

_EVERY_S = 0.1


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """A bar that is drawn at most ten times a second, and at the end."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._drawn_at = float("-inf")
        self._handle: Any = None
        self._notebook = _in_notebook()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._drawn_at < _EVERY_S:
            return
        self._drawn_at = now
        if self._notebook:
            self._draw_html(done, total)
        else:
            self._draw_text(done, total)

    def _draw_text(self, done: int, total: int) -> None:
        filled = 30 * done // max(total, 1)
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{self._label} [{'#' * filled:<30}] {done}/{total}{end}")
        sys.stderr.flush()

    def _draw_html(self, done: int, total: int) -> None:
        from IPython.display import HTML, display

        bar = HTML(f'<label>{self._label} <progress value="{done}" max="{max(total, 1)}"></progress> '
                   f"{done} of {total}</label>")
        if self._handle is None:
            self._handle = display(bar, display_id=True)
        else:
            self._handle.update(bar)


def watcher(progress: Progress, label: str) -> Optional[Watcher]:
    """The function that receives the progress of a task; None where nobody looks."""
    if callable(progress):
        return progress
    if progress or (progress is None and (_in_notebook() or sys.stderr.isatty())):
        return Bar(label)
    return None
