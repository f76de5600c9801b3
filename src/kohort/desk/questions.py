"""The answers to what pages ask, of any data and of tables: found in a process of its own, given as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np

from kohort import io
from kohort.assessment.classes import classes_of, tuples_of
from kohort.assessment.inspection.distribution import distributions
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.notes import noticed
from kohort.desk.answers import Change, ColumnLook, Look, Point, Preview, Released, Rows
from kohort.desk.fields import has_levels, places_of_t
from kohort.desk.fields import read as field_value
from kohort.desk.kinds import document_in, request_of
from kohort.desk.making import Values, made_over
from kohort.desk.nodes import lattice_look
from kohort.engines import pipeline
from kohort.engines.base import LOCALLY, engine_of
from kohort.engines.pricing import count, of_sample, priced, sampled
from kohort.engines.problem import problem_of
from kohort.errors import KohortError, UnsupportedError
from kohort.io.forms import files
from kohort.job.advice import HURRIED, advice_on
from kohort.job.document import document_at
from kohort.job.draft import draft_of, job_text
from kohort.job.draft.shapes import scale_of, shape_of
from kohort.job.form import INPUT
from kohort.job.lines import read_toml
from kohort.job.parts import relative, right_part, table
from kohort.job.request import TableRequest, of, reading_of, request
from kohort.job.steps import changed
from kohort.job.sweeps.picture import Tradeoff, frontier, knees
from kohort.job.sweeps.tables import sweep
from kohort.job.varied import Variations
from kohort.release.members import members_of
from kohort.report.evidence import dossier_of
from kohort.report.page import Audience, page
from kohort.report.page.audience import Reader
from kohort.report.page.build import for_audience
from kohort.report.page.result import losses, metrics, result, sizes
from kohort.report.page.verdict import verdict
from kohort.report.release import source_notes
from kohort.report.render.page.figure import percent, written_number
from kohort.report.written import writer_of
from kohort.schema import Role
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.inspection.guesses import Guess
    from kohort.desk.kinds import Changes, Folder
    from kohort.desk.making import HierarchyView, Making
    from kohort.desk.nodes import LatticeLook
    from kohort.engines.base import Counts, Engine
    from kohort.job.advice import Advice, Advised
    from kohort.job.keys import KeyValues
    from kohort.job.sweeps.tables import Point as SweepPoint
    from kohort.release import Release
    from kohort.report.page import Page
    from kohort.schema.hierarchies import HeldFile
    from kohort.tables.table import Column, Table

    #: What writes each report of a release.
    Writers: TypeAlias = Mapping[Path, Callable[[Any], bytes]]

#: The k of a draft.
USUAL_K: Final = 10

#: Records that are shown at a time.
SHOWN: Final = 10

#: The parameters that a column gets when it is made sensitive: t for numbers, else l where there are so many values.
CLOSENESS: Final = 0.2
DIVERSITY: Final = 2


#: What is compared of two versions of a job.
COMPARED: Final[Mapping[str, str]] = {
    "records released": "released",
    "records suppressed": "suppressed",
    "classes": "classes",
    "records of the smallest class": "smallest",
    "records of the largest class": "largest",
}

#: The files of a release, beside it, that a desk adds to it: the form of each, and who reads it.
REPORTS: Final[Mapping[str, Audience]] = {"report": Audience.INTERNAL, "public report": Audience.PUBLIC}


def reports_of(target: Path) -> dict[str, Path]:
    """Where the reports of a release go.

    >>> [one.name for one in reports_of(Path("people.release.csv")).values()]
    ['people.release.report.html', 'people.release.public.html']
    """
    endings = {Audience.INTERNAL: "report", Audience.PUBLIC: "public"}
    return {name: target.with_name(f"{target.stem}.{endings[one]}.html") for name, one in REPORTS.items()}


@dataclass(slots=True)
class Session(ABC):
    """What answers the questions of a kind of data: the input, read once, and the last release that was tried.

    Attributes:
        on_progress: Is told what is being done.
        page: Makes the page of a release for an audience.
        dossier: Makes the evidence about a release.
    """

    on_progress: Callable[[str], None] = lambda _: None
    _inputs: dict[object, Any] = field(default_factory=dict[object, Any])
    _tried: dict[str, Any] = field(default_factory=dict[str, Any])

    page: ClassVar[Callable[..., Page]]
    dossier: ClassVar[Callable[..., Any]]

    @abstractmethod
    def _request(self, path: Path) -> Any:  # noqa: ANN401  of each kind its own
        """The request of a job file."""

    @abstractmethod
    def _released(self, text: str, folder: Folder) -> Any:  # noqa: ANN401  likewise
        """What a job would release, in memory."""

    @abstractmethod
    def _publish(self, made: Any, reports: Writers, *, overwrite: bool) -> Any:  # noqa: ANN401  likewise
        """What a request releases, published with reports."""

    @abstractmethod
    def _preview(self, release: Any) -> Preview:  # noqa: ANN401  likewise
        """The figures of a release."""

    def report(self, text: str, folder: Folder, audience: str) -> bytes:
        """The page of what a job would release."""
        return writer_of(".html")(self.page(self._try(text, folder), audience=Audience(audience)))

    def evidence(self, text: str, folder: Folder) -> dict[str, Any]:
        """The dossier of what a job would release."""
        found: dict[str, Any] = self.dossier(self._try(text, folder), on_progress=self.on_progress).as_json()
        return found

    def release(self, job: str, overwrite: bool) -> Released:  # noqa: FBT001  it comes through a pipe
        """Run a job file as `kohort run` does, with a report for the steward and one for the public."""
        made = self._request(Path(job))
        target = Path(made.target)
        reports = reports_of(target) if made.run.engine == LOCALLY and _is_file(made.target) else {}
        write = _page_writers(self.page)
        writers = {path: write(REPORTS[name]) for name, path in reports.items()}
        release = self._publish(made, writers, overwrite=overwrite)
        found = {"release": target, "certificate": Path(str(release.certificate)), **reports, "job": Path(job)}
        return Released({name: str(path) for name, path in found.items()}, self._preview(release))

    def _try(self, text: str, folder: Folder) -> Any:  # noqa: ANN401  as above
        """What a job would release; of the last job that was tried, the same once more."""
        if text not in self._tried:
            self._tried = {text: self._released(text, folder)}
        return self._tried[text]

    def _once(self, source: str, how: object, read: Callable[[], Any]) -> Any:  # noqa: ANN401  as above
        """What a file holds, read again only where it, or how it is read, has changed.

        Raises:
            UnsupportedError: it can be read once.
        """
        if source == "-":
            hint = "save it as a file"
            raise UnsupportedError("the desk reads its input more than once, which standard input cannot", hint=hint)
        states = [
            (one, state.st_mtime_ns, state.st_size) for one in files(source) if one.is_file() for state in [one.stat()]
        ]
        key = source, how, tuple(states)
        if key not in self._inputs:
            self.on_progress("read")
            self._inputs, self._tried = {key: read()}, {}
        return self._inputs[key]


@dataclass(slots=True)
class TableSession(Session):
    """The session of a table."""

    _guesses: dict[object, tuple[Guess, ...]] = field(default_factory=dict[object, "tuple[Guess, ...]"])
    _counted: dict[str, Counts] = field(default_factory=dict[str, "Counts"])
    _engines: dict[object, Engine] = field(default_factory=dict[object, "Engine"])

    page = staticmethod(page)
    dossier = staticmethod(dossier_of)

    # --- what is there ------------------------------------------------------------------------------------------------

    def draft(self, source: str, folder: str) -> tuple[str, tuple[HeldFile, ...]]:
        """The text of a job over a table, guesses and safe choices to correct, and the trees to lie beside it."""
        said = right_part(INPUT, {"path": source})
        held = self._read(_place(said, folder), said)
        self.on_progress("measure")
        path = next(iter(files(_place(said, folder))), None)
        found = draft_of(held, k=USUAL_K, missing=("",), path=path, folder=Path(folder))
        return job_text(found, source, reading={}), found.trees

    def look(self, text: str, folder: str) -> Look:
        """The columns of a job's table."""
        said = _input(text)
        held = self._read(_place(said, folder), said)
        self.on_progress("inspect")
        missing = frozenset(said.missing)
        key = id(held), missing
        if key not in self._guesses:
            self._guesses = {key: inspect_table(held, missing=missing)}
        guesses, held = self._guesses[key], held.needing(())
        bars = distributions(held, guesses, missing)
        path = next(iter(files(_place(said, folder))), None)
        columns = tuple(
            ColumnLook(
                one, bars.get(one.name, ()), _proposed(one, held[one.name], missing, path=path, folder=Path(folder))
            )
            for one in guesses
        )
        return Look(held.records, columns, noticed(held, held.names))

    def unique(self, text: str, folder: str, names: tuple[str, ...]) -> tuple[int, int, int]:
        """How many people are unique by these columns, of how many, by the job's person key; and in the least group."""
        held = self._table(text, folder).needing(())
        person = table(read_toml(text), "person").get("key")
        key = str(person) if person in held.names else None
        known = [name for name in names if name in held.names]
        sizes = classes_of(tuples_of(held, known, key)).sizes if known and held.records else np.empty(0, np.int64)
        people = held.records if key is None else np.unique(person_codes(held[key])).size
        return int(np.count_nonzero(sizes == 1)), int(people), int(sizes.min(initial=people))

    def cost(self, text: str, folder: Folder, changes: Changes) -> Point | None:
        """What the job would cost with these changes, on a sample; `None` where there is no release."""
        said = document_in(text, folder)
        try:
            made = request(changed(said.raw, dict(changes)), where=said.where, folder=said.folder, held=folder.held)
            job = made.job
            some = sampled(self._read(made.source, _input(text)))
            known = None if made.population is None else io.read(made.population, job.reading)
            self.on_progress("estimate")
            limit = None if job.time_limit is None else min(job.time_limit, HURRIED)
            hurried = replace(of_sample(job), time_limit=limit)
            price = priced(some, hurried, population=known, counted=self._counted)
        except KohortError:
            return None
        return price and Point(loss=price.loss, risk=price.highest, about=True)

    def records(self, text: str, folder: Folder, first: int) -> Rows:
        """Ten records from the one of this number on."""
        held = self._table(text, folder).needing(())
        first = max(1, min(first, held.records - SHOWN + 1))
        rows = np.arange(first - 1, min(first - 1 + SHOWN, held.records))
        return Rows(held.names, _cells([held[name] for name in held.names], rows), first=first)

    def hierarchy(self, text: str, folder: Folder, column: str, scale: str, making: Making) -> HierarchyView:
        """A hierarchy of a column, made as somebody asks for; what keeps a job from having it is told with it."""
        held = self._table(text, folder)
        self.on_progress("build")
        values = Values(held[column], frozenset(_input(text).missing), Path(folder), folder.held)
        return made_over(making, values, scale)

    # --- what a job would do ------------------------------------------------------------------------------------------

    def preview(self, text: str, folder: Folder) -> Preview:
        """What a job would release, written nowhere: verified as text; of records elsewhere, as they are counted."""
        made = request_of(text, folder)
        if made.run.engine == LOCALLY:
            release, said = self._try(text, folder), document_in(text, folder)
            self.on_progress("compare")
            source = self._read(made.source, _input(text))
            advice = advice_on(said, source=source, now=release.metrics.get("ncp"), most=0)
            found = self._preview(release)
            return found._replace(page={**found.page, "levels": has_levels(said.raw)}, changes=changes_in(advice))
        engine = self._engine(made)
        return self._preview(
            pipeline.dry_run(
                made.source, made.job, population=made.population, on_progress=self.on_progress, engine=engine
            )
        )

    def changes(self, text: str, folder: Folder) -> Rows:
        """Ten records before and after, spread over the release; identifying columns are not shown."""
        release: Release = self._try(text, folder)
        rows = spread(release.table.records)
        shown = [one.name for one in release.job.schema.attributes if one.role is not Role.IDENTIFYING]
        released = [name if name in release.table.names else None for name in shown]
        before = _cells([release.source[name] for name in shown], release.lineage[rows])
        after = _cells([None if name is None else release.table[name] for name in released], rows)
        return Rows(tuple(shown), before, after)

    def frontier(
        self, text: str, folder: Folder, tried: Sequence[tuple[str, tuple[str, ...]]], methods: tuple[str, ...]
    ) -> tuple[Point, ...]:
        """What other values of k and t and other methods would give; nothing is released, so nothing is verified.

        A t is that of all columns that have one; without any each keeps its own.
        """
        said, (ks, ts) = document_in(text, folder), (values for _, values in tried)

        def make(raw: Mapping[str, object]) -> TableRequest:
            return request(raw, where=said.where, folder=said.folder, held=folder.held)

        points: list[tuple[str, SweepPoint]] = []
        for t in ts or ("",):
            raw = changed(
                said.raw, dict.fromkeys(places_of_t(said.raw), field_value(("columns", "", "t"), t)) if t else {}
            )
            jobs = Variations(raw, {"k": ks, "method": methods}, make)
            plan, first = jobs.plan(), jobs.requests[0]
            held = self._read(first.source, _input(text))
            known = None if first.population is None else io.read(first.population, first.job.reading)
            points += [(t, one) for one in sweep(held, plan, population=known, on_progress=self.on_progress).points]
        possible = [place for place, (_, one) in enumerate(points) if one.found]
        traded = [Tradeoff(points[place][1].highest, points[place][1].metrics["ncp"]) for place in possible]
        best, bends = ({possible[place] for place in some(traded)} for some in (frontier, knees))
        return tuple(_point(one, t, best=at in best, knee=at in bends) for at, (t, one) in enumerate(points))

    def lattice(self, text: str, folder: Folder) -> LatticeLook:
        """The nodes that a job chooses from."""
        made = request_of(text, folder)
        held = self._read(made.source, _input(text))
        known = None if made.population is None else io.read(made.population, made.job.reading)
        job = replace(made.job, schema=made.job.schema.over(held.names))
        self.on_progress("count")
        counts = count(held, job, known)
        self.on_progress("evaluate")
        return lattice_look(problem_of(counts, replace(job, schema=counts.schema)), job.algorithm)

    # --- what is released ---------------------------------------------------------------------------------------------

    def _request(self, path: Path) -> TableRequest:
        return of(document_at(path))

    def _publish(self, made: TableRequest, reports: Writers, *, overwrite: bool) -> Release:
        return pipeline.anonymize(
            made.source,
            made.job,
            population=made.population,
            target=made.target,
            overwrite=overwrite,
            on_progress=self.on_progress,
            reports=tuple(starmap(pipeline.Report, reports.items())),
            inputs=made.inputs,
            engine=self._engine(made),
            staging=None if made.run.spill_folder is None else Path(made.run.spill_folder),
        )

    def _preview(self, release: Release) -> Preview:
        """The figures of a release; of one whose records are elsewhere, what is known of its classes."""
        reader, counted = Reader(), release.records.groups is not None
        found: dict[str, Any] = _outline(release) if counted else result(release, reader).as_json()
        members = members_of(release) if not counted and release.table.records else {}
        lost = [{"column": name, "loss": loss} for name, loss in release.losses.items()]
        shown: dict[str, Any] = {
            "result": found,
            "verdict": verdict(release, reader).as_json(),
            "sizes": [one.as_json() for one in sizes(release, reader)],
            "losses": lost if counted else [one.as_json() for one in losses(release, members, reader)],
            "metrics": [one.as_json() for one in metrics(release, reader)],
            "notes": source_notes(release),
        }
        loss = next((float(one["value"]) for one in shown["metrics"] if one["name"] == "ncp"), 0.0)
        singled = max((float(one["share"]) for one in shown["verdict"]["singling"]), default=0.0)
        figures = {what: written_number(found[key]) for what, key in COMPARED.items()}
        figures |= {"detail lost": percent(loss), "people singled out at most by a column or a pair": percent(singled)}
        each = {f"detail lost of {one['column']}": one["loss"] for one in shown["losses"]}
        figures |= {what: "" if share is None else percent(share) for what, share in each.items()}
        risk = 1 / found["smallest"] if found["smallest"] else 0.0
        return Preview(shown, figures, loss, risk, sum(release.seconds.values()), counted)

    # --- what they share ----------------------------------------------------------------------------------------------

    def _read(self, source: str, said: KeyValues) -> Table:
        """The table, read with the keys that say how."""
        how = reading_of(said)
        held: Table = self._once(source, how, lambda: io.read(source, how))
        return held

    def _table(self, text: str, folder: str | Folder) -> Table:
        """The table of a job's text."""
        said = _input(text)
        return self._read(_place(said, folder), said)

    def _engine(self, made: TableRequest) -> Engine:
        """The engine of a job; the one of the last job, with its session, where it is the same."""
        key = str(made.run)
        if key not in self._engines:
            self._engines.clear()  # before the next: a process has one session of Spark
            if made.run.engine != LOCALLY:
                self.on_progress(f"start {made.run.engine}")
            self._engines[key] = engine_of(**vars(made.run))
        return self._engines[key]

    def _released(self, text: str, folder: Folder) -> Release:
        made = request_of(text, folder)
        source = self._read(made.source, _input(text))
        return pipeline.anonymize(source, made.job, population=made.population, on_progress=self.on_progress)


def changes_in(found: Advised[Any]) -> tuple[Change, ...]:
    """The changes to offer."""
    now = 1.0 if found.loss is None else found.loss

    def change(one: Advice[Any]) -> Change:
        step, loss = one.step, one.cost.loss
        return Change(step.words, dict(step.changes), loss, now - loss, step.weakens, not one.measured)

    return tuple(map(change, found.steps))


def spread(records: int) -> Index:
    """The places of as many records as are shown, spread over all of them."""
    return np.unique(np.linspace(0, records - 1, min(SHOWN, records)).astype(np.int64))


def _input(text: str) -> KeyValues:
    """How a job's table is read here, whatever is wrong elsewhere in the job."""
    said = read_toml(text)
    engine = table(said, "run").get("engine", LOCALLY)
    if engine != LOCALLY:
        hint = "preview or release it, or take engine out of the job's table [run] to look at the records here"
        raise UnsupportedError(f"this page needs the records, which the job leaves to {engine}", hint=hint)
    return right_part(INPUT, table(said, "input"))


def _place(said: KeyValues, folder: str | Folder) -> str:
    return relative(said.path, Path(folder))


def _proposed(
    guess: Guess, column: Column, missing: frozenset[str], *, path: Path | None, folder: Path
) -> dict[str, dict[str, object]]:
    """What a job says of the column in each role."""
    scale: dict[str, object] = {} if guess.scale != "categorical" else {"scale": guess.scale}
    found: dict[str, dict[str, object]] = {role.value: dict(scale) for role in Role}
    values = [one for one in column.values.to_list() if one is not None and one not in missing]
    if guess.scale != "numeric" or guess.grid is not None or guess.hierarchy is not None:
        shape = shape_of(guess, values, path, folder)
        made: dict[str, object] = (
            {"grid": field_value(("columns", "", "grid"), shape.grid)}
            if shape.grid is not None
            else {"hierarchy": shape.hierarchy}
        )
        named = scale_of(guess, shape)
        if named is not None and "hierarchy" in made:
            made["scale"] = named
        if guess.date_format is not None and "grid" in made:
            made["date-format"] = guess.date_format.value
        found["quasi"] = made
    if guess.scale == "numeric":
        found["sensitive"] |= {"t": CLOSENESS}
    elif len(values) >= DIVERSITY:
        found["sensitive"] |= {"l": DIVERSITY}
    return found


def _cells(columns: Sequence[Column | None], rows: Any) -> tuple[tuple[str | None, ...], ...]:  # noqa: ANN401  indices
    """The cells of some records; an empty text where there is no value, `None` where a column is not shown."""
    shown = [
        [None] * len(rows) if one is None else [one.values[int(code)] or "" for code in one.codes[rows]]
        for one in columns
    ]
    return tuple(zip(*shown, strict=True))


def _outline(release: Release) -> dict[str, Any]:
    """The counts of a release whose records are elsewhere."""
    found = release.sizes.tolist()
    return {
        "records": release.records.whole.records,
        "released": sum(found),
        "suppressed": release.suppressed,
        "classes": len(found),
        "smallest": min(found, default=0),
        "largest": max(found, default=0),
    }


def _point(one: SweepPoint, t: str, *, best: bool, knee: bool) -> Point:
    k, method = one.values
    if not one.found:
        return Point(k, method, t, best=False, why=one.why)
    return Point(k, method, t, one.metrics["ncp"], one.highest, (one.classes, one.suppressed), best, knee)


def _page_writers(make: Callable[..., Page]) -> Callable[[Audience], Callable[[Any], bytes]]:
    """What writes the page of a release for an audience; both audiences' are parts of one page, which is made once."""
    made = lru_cache(maxsize=1)(partial(make, audience=Audience.INTERNAL))
    return lambda audience: lambda release: writer_of(".html")(for_audience(made(release), audience))


def _is_file(target: str) -> bool:
    """Whether a release is one file, beside which reports can stand."""
    return not target.endswith("/") and "://" not in target and "#" not in target
