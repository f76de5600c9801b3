"""The flags of a command come from the form of a job: one for each key, with its sentence, group and value."""

from __future__ import annotations

from typing import Annotated, Any

import click
import pytest

from kohort.cli.derive import Command, Given, Keys
from kohort.job.form import COLUMN, PRIVACY, TABLE_JOB
from kohort.job.keys import Key, KeyTable, key, keys_of
from kohort.job.values import SWITCH, each, table_of, whole
from kohort.models.base import models
from kohort.transactions.form import TRANSACTION_JOB
from tests.command import command, commands, kohort


def panels_of(words: str) -> dict[str, dict[str, Any]]:
    """The options of a command by their flags, by the titles of their panels."""
    group = command(words)
    panels = group.panels(click.Context(group, **group.context_settings))
    return {
        title: {option.opts[0]: option for option in options if option.param_type_name == "option"}
        for title, options in panels.items()
    }


def flags_of(words: str) -> dict[str, Any]:
    """The options of a command by their flags."""
    return {flag: option for options in panels_of(words).values() for flag, option in options.items()}


@pytest.mark.parametrize("form", [TABLE_JOB, TRANSACTION_JOB])
def test_every_key_of_a_job_has_a_flag_with_its_sentence(form: KeyTable) -> None:
    """A sentence is written once: the help of a flag begins with that of its key."""
    found = {one.place: one for one in keys_of(form)}
    for table in form.keys:
        for one in table.type.table.keys if table.type.table and not table.hidden else ():
            if not one.hidden:
                assert found[table.place + one.place].help.startswith(one.help)


def test_every_model_has_its_flag_wherever_models_can_be_named() -> None:
    """A new model needs no line of the command line."""
    for words in ("anonymize", "check", "sweep"):
        flags = flags_of(words)
        for kind in models().values():
            told = kind.specification
            assert flags[told.flag].metavar == told.usage.partition(" ")[2]
            assert flags[told.flag].panel == "Promise"


def test_a_key_that_is_added_to_the_form_gets_its_flag() -> None:
    """Of a column, of a table, and of words: flag, value and help follow from the type and the description."""
    column = KeyTable.of("Column", "", *COLUMN.keys, key("zeal", whole(0), "How eager."))
    privacy = KeyTable.of("Privacy", "", *PRIVACY.keys, key("zest", SWITCH, "Is it lively?"))
    form = KeyTable.of("Form", "", key("columns", each(table_of(column))), key("privacy", table_of(privacy)))
    found = {one.flag: one for one in keys_of(form)}
    assert (found["zeal"].metavar, found["zeal"].help, found["zeal"].kind) == (
        "COLUMN=N",
        "How eager.",
        list[str] | None,
    )
    assert (found["zest"].place, found["zest"].kind, found["zest"].panel) == (("privacy", "zest"), bool, "Promise")


def test_short_forms() -> None:
    """-h, -k, -o and -q are what scripts and people type most."""
    assert kohort("anonymize", "-h").out == kohort("anonymize", "--help").out
    flags = flags_of("anonymize")
    assert [flags[name].opts for name in ("--k", "--out", "--quiet")] == [
        ["--k", "-k"],
        ["--out", "-o"],
        ["--quiet", "-q"],
    ]
    for words in (one for one in commands() if not isinstance(command(one), click.Group)):
        for flag, option in flags_of(words).items():
            assert {"--out": "-o", "--k": "-k", "--quiet": "-q"}.get(flag, flag) in option.opts, words


def test_a_flag_is_used_where_it_is_typed() -> None:
    """Even with the value that it has by default; and a denied one by the name that denies it."""
    seen: list[Given] = []

    def printed(table: Annotated[Given, Keys(only=("encoding", "header", "trim", "names"))]) -> None:
        seen.append(table)

    made = Command("command", lambda: printed, "")
    for words in ("", "--encoding utf-8 --no-header", "--header --trim --names a"):
        made.main(words.split(), standalone_mode=False)
    assert [given.used() for given in seen] == [
        {},
        {"encoding": "utf-8", "header": False, "no-header": True},
        {"header": True, "trim": True, "names": ["a"]},
    ]
    assert seen[0]["encoding"] == "utf-8"


def test_a_key_knows_its_parameter() -> None:
    """A flag's dashes are underscores in Python."""
    [key] = [one for one in keys_of(TABLE_JOB) if one.flag == "max-suppression"]
    assert isinstance(key, Key)
    assert (key.name, key.is_model, key.of_column, key.panel) == ("max_suppression", False, False, "Method")
