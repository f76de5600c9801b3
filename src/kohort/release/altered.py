"""What of a job's perturbations and pseudonyms does not go with the rest of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from kohort.schema import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.schema import Schema


class Misfit(NamedTuple):
    """What does not go together."""

    key: tuple[str, ...]
    what: str
    hint: str

    @property
    def where(self) -> str:
        """Its place for who wrote no job file."""
        return f"column {self.key[-1]}" if self.key[:-1] == ("perturb", "columns") else " ".join(self.key)


def misfits(schema: Schema, models: Sequence[PrivacyModel], perturbations: Sequence[Perturbation]) -> Iterator[Misfit]:
    """What is wrong with perturbations of these columns, as far as the schema names them."""
    roles = {attribute.name: attribute.role for attribute in schema.attributes}
    judged = {model.declared.sensitive: model.name for model in models}
    fixed = {name for one in perturbations if one.valuewise for name in one.columns}
    times = Counter(name for one in perturbations for name in one.columns)
    for name, count in times.items():
        key = ("perturb", "columns", name)
        role = roles.get(name, Role.SENSITIVE)  # one that only the rest names is looked at with the table
        if role is Role.QUASI or not role.released:
            hint = "only sensitive and insensitive columns are perturbed: they are released unchanged otherwise"
            yield Misfit(key, f"the column is {role.said}", hint)
        if count > 1:
            yield Misfit(key, "the column is perturbed twice", "say one method for it")
        if name in judged and name not in fixed:
            hint = "round it instead, or leave the model out: nobody would see the values that it is about"
            yield Misfit(key, f"{judged[name]} is asked of the column's values, and they are changed", hint)


def seed_misfits(
    perturbations: Sequence[Perturbation], seed: int | None, *, insecure_reproducible: bool
) -> Iterator[Misfit]:
    """What is wrong with a seed: who knows or guesses it takes the noise off again."""
    random = any(one.random for one in perturbations)
    if seed is None:
        if insecure_reproducible:
            yield Misfit(("perturb", "insecure-reproducible"), "no seed is given", "leave it out, or give a seed")
        return
    if not random:
        yield Misfit(("perturb", "seed"), "nothing is drawn with it", "leave it out: no perturbation is random")
    elif not insecure_reproducible:
        hint = "leave it out; or, for what nobody will be given, add insecure-reproducible (--insecure-reproducible)"
        yield Misfit(("perturb", "seed"), "with a seed the noise is reproducible, and so not private", hint)
    elif seed < 0:
        yield Misfit(("perturb", "seed"), "a seed is a whole number of at least 0", "such as 7")


def key_misfits(*, pseudonyms: bool, has_key: bool) -> Iterator[Misfit]:
    """What is wrong with a key, where some columns get pseudonyms or none does."""
    if pseudonyms and not has_key:
        hint = "make one with `kohort key FILE` and give it: [input] key-file, --key-file"
        yield Misfit(("input", "key-file"), "pseudonyms need a key: without one all identifiers can be tried", hint)
    if has_key and not pseudonyms:
        hint = "leave it out, or say which identifying column gets pseudonyms: pseudonym = true, --pseudonym"
        yield Misfit(("input", "key-file"), "no column gets pseudonyms", hint)
