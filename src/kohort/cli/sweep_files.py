"""What a sweep publishes and prints: its figures and a picture, both or neither."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from kohort.cli import options
from kohort.cli.derive import option
from kohort.cli.outputs import audience_of
from kohort.cli.screen import say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.job.sweeps.frame import Answer, Kind, Sweep
    from kohort.report.charts.canvas import Format

S = TypeVar("S")
W = TypeVar("W", bound="Sweep[Answer]")


def publisher(
    forms: Sequence[tuple[Path, Callable[[S], bytes]]], *, overwrite: bool, inputs: tuple[Path, ...]
) -> Callable[[S], None]:
    """What publishes files, each with what makes its bytes, all or none; what could not be is refused at once."""
    from kohort.publish import Companion, check_target, publish

    if not forms:
        return lambda _: None
    target, *others = (path for path, _ in forms)
    check_target(target, overwrite=overwrite, inputs=inputs, companions=others)

    def published(found: S) -> None:
        first, *contents = [form(found) for _, form in forms]
        publish(
            target,
            lambda file: file.write(first),
            lambda _: None,
            companions=[Companion(path, _always(content)) for path, content in zip(others, contents, strict=True)],
            overwrite=overwrite,
            inputs=inputs,
        )

    return published


def picture_of(
    path: Path | None, draw: Callable[[S, Format], bytes], *, overwrite: bool, inputs: tuple[Path, ...]
) -> Callable[[S], None]:
    """What publishes a picture, if one is asked for."""
    from kohort.report.charts.canvas import format_of

    if path is None:
        return lambda _: None
    format_ = format_of(path.suffix)
    return publisher([(path, lambda found: draw(found, format_))], overwrite=overwrite, inputs=inputs)


class SweepOutput(NamedTuple):
    """What of a sweep is written and printed."""

    threads: options.Threads = options.CORES
    out: Path | None = option("Output", "Write every point or run (.csv), or all figures (.json).", "FILE", first=True)
    picture: Path | None = option(
        "Output", "Draw a figure against the varied parameter (.svg, .png, .pdf, .jpg).", "FILE", first=True
    )
    figure: str | None = option(
        "Output",
        "For a table: the figure to draw: lm, c_dm, c_avg … or risk-utility, the frontier with its knee.",
        "WORD",
        shown="lm",
    )
    at_most_loss: float | None = option(
        "Run",
        "Propose the strictest point that loses no more: NCP of a table, distortion of transactions.",
        "SHARE",
        min=0,
        max=1,
    )
    seconds: bool = option("Run", "Report the seconds that each point or run took; which differ from run to run.")
    bound: bool = option(
        "Run", "For a table: compute a lower bound on the loss of each point, once for each k and kind of labels."
    )
    audience: str | None = option(
        "Output",
        "Who reads the files: public, with rounded figures; or internal, with exact ones.",
        "WORD",
        shown="public",
    )
    json: options.Json = False
    quiet: options.Quiet = False
    overwrite: options.Overwrite = False

    @property
    def exact(self) -> bool:
        """Whether files hold exact figures, for the steward alone."""
        from kohort.report.page.audience import Audience

        if self.audience is not None and self.out is None and self.picture is None:
            raise UsageError("no file is written", where="--audience", hint="add --out FILE, or leave it out")
        return audience_of(self.audience) is Audience.INTERNAL

    @property
    def within(self) -> Fraction | None:
        """The limit on the loss, exactly."""
        return None if self.at_most_loss is None else Fraction(str(self.at_most_loss))


def outputs_of(kind: Kind[W], shown: SweepOutput, inputs: tuple[Path, ...]) -> Callable[[W], None]:
    """The files to publish; what cannot be published is refused at once."""
    from kohort.job.sweeps.figure import figure_of
    from kohort.report.charts.canvas import format_of

    if shown.figure is not None and shown.picture is None:
        raise UsageError("no picture is drawn", where="--figure", hint="add --picture FILE.svg")
    forms = [] if shown.out is None else [(shown.out, kind.writer(shown.out))]
    if shown.picture is not None:
        format_, figure = format_of(shown.picture.suffix), shown.figure
        figure_of(figure)
        forms.append((shown.picture, lambda found: kind.chart(found, figure).bytes(format_)))
    return publisher(forms, overwrite=shown.overwrite, inputs=inputs)


def say_sweep(kind: Kind[W], found: W, shown: SweepOutput) -> None:
    """Print what came of a sweep, and end as it ended."""
    say(kind.text(found), kind.figures(found), as_json=shown.json, quiet=shown.quiet, internal=True)
    if found.status:
        raise click.exceptions.Exit(found.status)


def _always(content: bytes) -> Callable[[None], bytes]:
    return lambda _: content


def named(source: str | None) -> str:
    """The input that is named; refuses a sweep without one."""
    if source is None:
        raise UsageError("no input file is named", where="IN", hint="name a file, or - for standard input")
    return source
