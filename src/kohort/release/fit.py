"""What of a job does not go together: its schema, models, perturbations and pseudonyms."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from kohort.errors import SchemaError, UsageError, combined
from kohort.models.k_anonymity import k_of
from kohort.schema import Role, Scale
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.release.job import Job
    from kohort.schema import Attribute, Schema


def check_population(job: Job, population: object) -> None:
    """Refuse a population table that no model needs, and a model that needs one where there is none."""
    needing = [model.name for model in job.models if model.declared.population]
    if needing and population is None:
        hint = "give the register that the table is a sample of: population=…, [population] path, --population"
        raise UsageError(f"{' and '.join(needing)} needs a population table", where="population", hint=hint)
    if population is not None and not needing:
        what = "no privacy model needs a population table"
        raise UsageError(what, where="population", hint="leave it out, or add k-map or presence")


def unjudged_sensitive(job: Job) -> tuple[str, ...]:
    """The sensitive columns that no privacy model is about, though nobody said that none should be."""
    about = {model.declared.sensitive for model in job.models} | {*job.no_model}
    return tuple(one.name for one in job.schema.sensitive if one.name not in about)


def unfit(schema: Schema, models: Sequence[PrivacyModel]) -> Iterator[tuple[PrivacyModel, SchemaError]]:
    """Every model that does not go with the columns, in their order, and why."""
    named = {attribute.name: attribute for attribute in schema.attributes}
    k = k_of(models)
    for model in models:
        name = model.declared.sensitive
        if name is None:
            continue
        attribute = named.get(name)
        if (attribute.role if attribute else schema.rest) is not Role.SENSITIVE:
            yield model, _not_sensitive(name, attribute, model, schema)
        elif model.declared.needs_hierarchy and (attribute is None or attribute.hierarchy is None):
            hint = "give the column one, or choose equal or ordered"
            yield model, _unfit(name, "a hierarchical distance needs a hierarchy", hint)
        elif model.declared.of_numbers and attribute is not None and attribute.scale is Scale.CATEGORICAL:
            hint = "make the column numeric, or choose another model"
            yield model, _unfit(name, f"{model.name} is about numbers, and the column is categorical", hint)
        least = model.declared.least_values
        if k is not None and least > k and schema.person is None:  # of one person, several records may differ
            what = f"{model.name} needs classes of {least} records, so k = {k} would say nothing"
            yield model, _unfit(name, what, f"say k = {least}, or leave k out")


def misplaced(schema: Schema, answers: Sequence[str]) -> Iterator[SchemaError]:
    """The fault of each answer that is no insensitive column, or named twice."""
    roles = {one.name: one.role for one in schema.attributes}
    for name, count in Counter(answers).items():
        role = roles.get(name, schema.rest)
        if count > 1:
            yield SchemaError("an answer is named twice", where=f"column {name}", hint="name it once")
        if role is not Role.INSENSITIVE:
            what = "an answer is an insensitive column, and this one " + (f"is {role.said}" if role else "has no role")
            yield SchemaError(what, where=f"column {name}", hint="take it out of answers, or make it insensitive")


def of_no_use(schema: Schema, models: Sequence[PrivacyModel]) -> tuple[Attribute, ...]:
    """The attributes whose hierarchy generalizes and measures nothing, without it: that is noted, and not refused."""
    measured = {model.declared.sensitive for model in models if model.declared.uses_hierarchy}
    return tuple(
        replace(one, hierarchy=None)
        for one in schema.attributes
        if one.hierarchy is not None and one.role is not Role.QUASI and one.name not in measured
    )


def notes(job: Job) -> tuple[str, ...]:
    """What nobody would expect of a job's hierarchies: those of no use, and what was changed to make them nest."""
    unused = [
        f"the hierarchy of {name} is not used: nothing is generalized or measured by it"
        for name in job.unused_hierarchies or ()
    ]
    held = [(one.name, one.hierarchy) for one in job.schema.attributes if isinstance(one.hierarchy, Hierarchy)]
    return (*unused, *(f"hierarchy of {name}: {change}" for name, made in held for change in made.changes))


def refuse_unmodelled(job: Job) -> None:
    """Refuse to release a sensitive column that no privacy model is about, unless `Job.no_model` names it.

    Raises:
        SchemaError: there is such a column, or something is allowed that needs no permission.
        JobError: there are several.
    """
    faults = [
        SchemaError(
            "it is sensitive, and no privacy model protects it",
            where=f"column {name}",
            hint=f"limit what a class may reveal of it, such as --t {name}=0.2 or --l {name}=2 (in a job file t = 0.2);"
            f" to release it without: --no-model {name} (in a job file no-model = true, in Python no_model=['{name}'])",
        )
        for name in unjudged_sensitive(job)
    ]
    modelled = {model.declared.sensitive for model in job.models}
    free = {one.name for one in job.schema.sensitive if one.name not in modelled}
    faults += [
        SchemaError("it needs no permission to go without a model", where=f"column {name}", hint="leave no-model out")
        for name in job.no_model
        if name not in free
    ]
    if faults:
        raise combined("sensitive columns have no privacy model", faults)


def _unfit(name: str, what: str, hint: str) -> SchemaError:
    return SchemaError(what, where=f"column {name}", hint=hint)


def _not_sensitive(name: str, attribute: Attribute | None, model: PrivacyModel, schema: Schema) -> SchemaError:
    sensitive = [one.name for one in schema.sensitive]
    near = " or ".join(get_close_matches(name, sensitive))
    if attribute is None:
        hint = f"did you mean {near}?" if near else "name it as sensitive"
        return _unfit(name, f"{model.name} is about a column that is not in the schema", hint)
    what = f"the column is {attribute.role.said}, but {model.name} is about a sensitive one"
    others = f", or ask it of {' or '.join(sensitive)}" if sensitive else ""
    return _unfit(name, what, f"make the column sensitive{others}")


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
