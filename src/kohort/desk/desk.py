"""A desk: the text of a job with its history, the tasks that are asked about it, and what was released."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, count
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from kohort.desk.answers import faults_in
from kohort.desk.fields import differences, leaves
from kohort.desk.kinds import TABLE, Folder, kind_of
from kohort.errors import KohortError, TargetError, UsageError
from kohort.job.document import companions, document
from kohort.job.edits import table_at
from kohort.job.lines import read_toml
from kohort.publish import check_target, publish
from kohort.schema.hierarchies import file_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from kohort.desk.answers import Fault, Released
    from kohort.desk.kinds import DataKind
    from kohort.desk.worker import Task, Worker
    from kohort.schema.hierarchies import HeldFile

#: How many answers are kept, those that were asked for last: the figures of many versions, for undo and the bar.
KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Version:
    """A text that the job had.

    Attributes:
        text: TOML.
        what: What was changed.
        name: What somebody called it; empty for most.
        time: When, on this machine's clock.
    """

    text: str
    what: str
    name: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).astimezone().strftime("%H:%M"))


class StaleError(UsageError):
    """A page was sent that shows an older job."""


@lru_cache(maxsize=KEPT)
def tables_of(text: str) -> Mapping[str, Any]:
    """The tables of a job's text, which every page looks at more than once; none of one that cannot be read."""
    try:
        return read_toml(text)
    except (ValueError, UsageError):  # every page says so: see `Desk.faults`
        return {}


def _key(question: str, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """What a question is known by: only a report depends on who signs a job, and none on where the release goes."""
    text = arguments[0] if arguments else ""
    decisive = _decisive(text) if isinstance(text, str) and not question.endswith(".report") else ""
    return (question, decisive, *arguments[1:]) if decisive else (question, *arguments)


@lru_cache(maxsize=KEPT)
def _decisive(text: str) -> str:
    """What of a job decides its release, in one spelling; empty where the text cannot be read, or holds nothing."""
    raw = tables_of(text)
    output = {key: value for key, value in table_at(raw, ("output",)).items() if key != "path"}
    decisive = {key: value for key, value in raw.items() if key != "purpose"} | {"output": output}
    return json.dumps(decisive, default=str) if raw else ""


@dataclass(slots=True, eq=False)
class Desk:
    """A job that is worked at; its methods may be called by several threads.

    Attributes:
        path: The job file; it is written when somebody saves it, or releases.
        source: The input, as the job file is to name it; empty where the job file is there already.
        worker: Answers what needs records.
        first: What a job that is drafted is on.
        versions: The texts that the job had, the oldest first.
        at: Which of them it has.
        saved: The text that the file has; `None` while there is none.
        released: What was released last.
        held: Files of hierarchies and names that were made at the desk, which versions name and the folder lacks.
    """

    path: Path
    source: str
    worker: Worker
    first: DataKind = TABLE
    versions: list[Version] = field(default_factory=list[Version])
    at: int = -1
    saved: str | None = None
    released: Task | None = None
    held: dict[str, HeldFile] = field(default_factory=dict[str, "HeldFile"])
    _tasks: dict[tuple[object, ...], Task] = field(default_factory=dict[tuple[object, ...], "Task"])
    _journal: list[str] = field(default_factory=list[str])
    _lock: RLock = field(default_factory=RLock)

    # --- the job ------------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> str:
        """What paths in the job are relative to."""
        return str(self.path.parent)

    @property
    def place(self) -> Folder:
        """The folder with what is still to be written there."""
        return Folder(self.folder, tuple(self.held.values()))

    @property
    def journal(self) -> Path:
        """What was done at the desk, a line of JSON each; written when the job is saved."""
        return self.path.with_suffix(".journal.jsonl")

    @property
    def text(self) -> str:
        """The job as it is."""
        return self.versions[self.at].text

    @property
    def raw(self) -> Mapping[str, Any]:
        """Its tables."""
        return tables_of(self.text)

    @property
    def kind(self) -> DataKind:
        """What the job is on; while there is none, what it is to be on."""
        return kind_of(self.raw) if self.is_open else self.first

    @property
    def is_open(self) -> bool:
        """Whether there is a job."""
        return bool(self.versions)

    @property
    def is_saved(self) -> bool:
        """Whether the file has it."""
        return self.is_open and self.saved == self.text

    def open(self) -> Task | None:
        """See to it that there is a job; what is waited for, where it takes time.

        Raises:
            KohortError: the job file cannot be read.
        """
        with self._lock:
            if self.is_open:
                return None
            if not self.source:
                self.saved = self.path.read_text(encoding="utf-8-sig")
                self.versions, self.at = [Version(self.saved, "opened")], 0
                return None
            task = self.ask("draft", self.source, self.folder)
            if task.value is not None:
                text, files = task.value
                for one in files:
                    numbered = (f"{number}-{one.name}" for number in count(2))
                    text = text.replace(f'"{one.name}:', f'"{self._kept(one, chain([one.name], numbered))}:')
                self.versions, self.at = [Version(text, "drafted")], 0
                return None
            return task

    def change(self, text: str, what: str, at: int) -> None:
        """Give the job another text.

        Raises:
            StaleError: the job is another by now.
            JobError: it is no TOML.
        """
        document(text)
        with self._lock:
            self._refuse_stale(at)
            if text != self.text:
                self._note(what, text)
                self.versions = [*self.versions[: self.at + 1], Version(text, what)]
                self.at = len(self.versions) - 1

    def hold(self, file: HeldFile, what: str = "hierarchy") -> str:
        """Keep a file of `what` until a job that names it is saved; the name that it gets, or has in the folder.

        Of what was made before it keeps what some version names. A file of the folder is never replaced.
        """
        stem, ending = (
            re.sub(r"[^\w-]+", "_", part) for part in (file.name.removesuffix(file.suffix), file.suffix[1:] or "txt")
        )
        with self._lock:
            self.held = {name: one for name, one in self.held.items() if any(name in of.text for of in self.versions)}
            if self._has(file.name) == file.content:
                return file.name
            return self._kept(file, (f"{stem}.{what}-{number}.{ending}" for number in count(1)))

    def _kept(self, file: HeldFile, names: Iterable[str]) -> str:
        """Keep a file by the first of these names that no other file has; the name."""
        name = next(one for one in names if self._has(one) in {None, file.content})
        if self._has(name) is None:
            self.held[name] = replace(file, name=name)
        return name

    def _has(self, name: str) -> bytes | None:
        """What a file of the folder has, or will have; `None` where there is none."""
        if name in self.held:
            return self.held[name].content
        path = self.path.parent / name
        if path.is_symlink() or path.exists():
            return path.read_bytes() if path.is_file() else b""
        return None

    def move(self, to: int, at: int) -> None:
        """Go to another version of the job; one that there is not changes nothing."""
        with self._lock:
            self._refuse_stale(at)
            if 0 <= to < len(self.versions):
                self._note(f"went to version {to + 1}", self.versions[to].text)
                self.at = to

    def call(self, name: str, at: int) -> None:
        """Give the version a name."""
        with self._lock:
            self._refuse_stale(at)
            self.versions[self.at] = replace(self.versions[self.at], name=name)

    def _note(self, what: str, text: str) -> None:
        """Keep for the journal what is done: which keys change and the digest of the job, no value."""
        keys = [key for key, _, _ in differences(self.raw, tables_of(text))]
        digest = hashlib.sha256(text.encode()).hexdigest()
        time = datetime.now(UTC).isoformat(timespec="seconds")
        self._journal.append(json.dumps({"time": time, "what": what, "keys": keys, "job": digest}))

    def _refuse_stale(self, at: int) -> None:
        if at != self.at:
            hint = "go on with the job as it is now"
            raise StaleError("the job was changed in another window, and nothing was changed here", hint=hint)

    def faults(self, text: str = "") -> tuple[Fault, ...]:
        """What is wrong with the job, or with another text of it, before any record is looked at."""
        try:
            kind_of(tables_of(text or self.text)).request(text or self.text, self.place)
        except (KohortError, ExceptionGroup) as error:
            return faults_in(error)
        return ()

    def save(self) -> None:
        """Write the job file, and the hierarchies that it names and that no file has.

        Raises:
            TargetError: somebody else has written one of them meanwhile.
            FileError: one cannot be written.
        """
        with self._lock:
            text, saved = self.text, self.saved
            if saved is not None and (not self.path.is_file() or self.path.read_text(encoding="utf-8-sig") != saved):
                hint = "copy the text of the job from the page Job file, and open that file again"
                raise TargetError("the job file was changed by somebody else", where=self.path.name, hint=hint)
            named = {str(file_of(said)) for _, said in leaves(self.raw) if said}
            beside = [one for name, one in self.held.items() if name in named]
            for one in beside:
                check_target(self.path.parent / one.name, overwrite=False, inputs=())
            check_target(self.path, overwrite=saved is not None, inputs=())
            publish(
                self.path,
                lambda file: file.write(text.encode()),
                lambda _: None,
                companions=companions(beside, self.path.parent),
                overwrite=saved is not None,
                inputs=(),
            )
            self.saved = text
            self.held = {name: one for name, one in self.held.items() if one not in beside}
            self._note("saved", text)
            with self.journal.open("a", encoding="utf-8") as file:
                file.writelines(f"{one}\n" for one in self._journal)
            self._journal = []

    # --- what is asked of records -------------------------------------------------------------------------------------

    def ask(self, question: str, *arguments: object) -> Task:
        """The task of a question, which is asked once."""
        with self._lock:
            question = self.kind.question(question)
            key = _key(question, arguments)
            task = self._tasks.pop(key, None) or self.worker.ask(question, *arguments)
            self._tasks = dict([*self._tasks.items(), (key, task)][-KEPT:])
            return task

    def asked(self, question: str, *arguments: object) -> Task | None:
        """The task of a question that was asked before."""
        return self._tasks.get(_key(self.kind.question(question), arguments))

    def known(self, question: str, *arguments: object) -> Any:  # noqa: ANN401  whatever was asked
        """The answer to a question that was asked before; `None` where there is none yet."""
        task = self.asked(question, *arguments)
        return None if task is None else task.value

    def forget(self, task: Task) -> None:
        """Have the question asked anew next time."""
        with self._lock:
            self._tasks = {key: one for key, one in self._tasks.items() if one is not task}
            self.released = None if self.released is task else self.released

    def release(self, *, overwrite: bool) -> Task:
        """Save the job and run its file."""
        with self._lock:
            self._note("release", self.text)
            self.save()
            self.released = self.worker.ask(self.kind.question("release"), str(self.path), overwrite)
            return self.released

    def cancel(self) -> None:
        """Give up whatever is being done."""
        with self._lock:
            tasks = [one for one in (*self._tasks.values(), self.released) if one is not None and one.is_open]
        for task in tasks:
            self.worker.cancel(task)
            self.forget(task)

    @property
    def stage(self) -> str | None:
        """What is being done; `None` where nothing is."""
        with self._lock:
            tasks = [one for one in (*self._tasks.values(), self.released) if one is not None and one.is_open]
        return next((one.stage for one in tasks if not one.is_beside), None)

    @property
    def files(self) -> Mapping[str, str]:
        """The files of the last release."""
        found: Released | None = None if self.released is None else self.released.value
        return {} if found is None else found.files
