"""What of a job does not go together: its schema, models, perturbations and pseudonyms."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from difflib import get_close_matches
from math import inf
from typing import TYPE_CHECKING, NamedTuple, cast

from kohort.algorithms.method import on_cells, on_nodes
from kohort.core.suppression import SuppressionLimit
from kohort.errors import SchemaError, UsageError, combined
from kohort.models.k_anonymity import k_of
from kohort.schema import Label, Role, Scale, Schema
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.release.job import Job
    from kohort.schema import Attribute


def check_population(job: Job, population: object) -> None:
    """Refuse a population table that no model needs, and a model that needs one where there is none."""
    needing = [model.name for model in job.models if model.declared.population]
    if needing and population is None:
        hint = "give the register that the table is a sample of: population=…, [population] path, --population"
        raise UsageError(f"{' and '.join(needing)} needs a population table", where="population", hint=hint)
    if population is not None and not needing:
        what = "no privacy model needs a population table"
        raise UsageError(what, where="population", hint="leave the population out, or add k-map or presence")


def unjudged_sensitive(job: Job) -> tuple[str, ...]:
    """The sensitive columns that no privacy model is about, though nobody said that none should be."""
    about = {model.declared.sensitive for model in job.models} | {*job.no_model}
    return tuple(one.name for one in job.schema.sensitive if one.name not in about)


# --- a job by itself --------------------------------------------------------------------------------------------------


def check(job: Job) -> None:
    """Check that the parts of a job are what they should be and go together.

    Raises:
        UsageError: one is not, or does not go with another.
        JobError: several.
    """
    _check_types(job)
    if not job.models:
        raise UsageError("no privacy model is given", hint="give at least k: KAnonymity(10), or --k 10")
    if job.time_limit is not None and not 0 < job.time_limit < inf:
        raise UsageError("a time limit must be a number of seconds above 0", hint="leave time_limit out for none")
    if isinstance(job.complete, str) and job.complete != "all":
        raise UsageError("complete is not a list of columns", hint='complete=("age", "city"), or "all"')
    limit = cast("object", job.algorithm.limit)  # what a caller without a type checker may have passed
    if not isinstance(limit, SuppressionLimit | None):
        hint = 'SuppressionLimit(20) for records, SuppressionLimit.of("5%") for a share'
        raise UsageError("the suppression limit is not a SuppressionLimit", where=job.algorithm.name, hint=hint)
    faults: list[UsageError] = [one for _, one in unfit(job.schema, job.models)]
    faults += misplaced(job.schema, job.answers or ())
    if faults:
        raise combined("the models do not fit the schema", faults)
    found = [
        *misfits(job.schema, job.models, job.perturbations),
        *seed_misfits(job.perturbations, job.seed, insecure_reproducible=job.insecure_reproducible),
        *key_misfits(pseudonyms=bool(job.schema.pseudonyms), has_key=job.key is not None),
    ]
    if found:
        raise combined("parts of the job contradict each other", [one.told(named) for one in found])


def _check_types(job: Job) -> None:
    """Refuse what a caller without a type checker may have passed, with the line to write."""
    if not isinstance(cast("object", job.schema), Schema):
        what = f"the schema of a job is of class {type(job.schema).__name__}"
        raise UsageError(what, where="Job", hint='write Job.of(Schema.of(quasi=["age"]), KAnonymity(10))')
    models = cast("object", job.models)
    if not isinstance(models, tuple):
        hint = "write Job.of(schema, KAnonymity(10), …), or Job(schema, (KAnonymity(10), …))"
        raise UsageError(f"the models of a job are of class {type(models).__name__}", where="Job", hint=hint)
    for model in cast("tuple[object, ...]", models):
        if isinstance(model, type) or not hasattr(model, "declared"):
            shown = model.__name__ if isinstance(model, type) else f"an object of class {type(model).__name__}"
            k = model if type(model) is int else 10
            raise UsageError(f"{shown} is no privacy model", where="Job", hint=f"write Job.of(schema, KAnonymity({k}))")


def completed(job: Job) -> dict[str, object]:
    """The fields of a job that depend on others: the schema that a release has with these models and this method.

    A hierarchy that generalizes and measures nothing is left out and noted. A method of values or `*` uses none; one on
    levels releases nodes.

    Raises:
        SchemaError: a method on levels does not go with a quasi-identifier.
        JobError: with several.
    """
    schema, unused = job.schema, [*(job.unused_hierarchies or ())]
    measured = {model.declared.sensitive for model in job.models if model.declared.uses_hierarchy}
    useless = [
        one
        for one in schema.attributes
        if one.hierarchy is not None and one.role is not Role.QUASI and one.name not in measured
    ]
    if useless:
        unused = [one.name for one in useless]
        schema = schema.changed(replace(one, hierarchy=None) for one in useless)
    if on_cells(job.algorithm):
        unused += [one.name for one in schema.quasi if one.hierarchy not in {None, "suppress"}]
        schema = schema.changed(replace(one, hierarchy="suppress", max_level=None, order=None) for one in schema.quasi)
    if on_nodes(job.algorithm):
        if faults := without_levels(schema.quasi, job.algorithm):
            raise combined("the schema does not fit the method", faults)
        schema = schema.changed(replace(one, label=Label.ANCESTOR) for one in schema.quasi)
    return {"schema": schema, "answers": job.answers or None, "unused_hierarchies": tuple(unused) or None}


def without_levels(quasi: Iterable[Attribute], algorithm: Algorithm) -> list[SchemaError]:
    """The fault of each quasi-identifier that an algorithm on levels cannot release as nodes of a hierarchy."""
    method, faults = algorithm.name, list[SchemaError]()
    for one in quasi:
        if one.hierarchy is None and not on_cells(algorithm):
            what = f"the column has no hierarchy, and {method} needs one for every quasi-identifier"
            hint = "give it a file, or a builder such as intervals:5,10,20, mask:right or suppress (all or nothing)"
            faults.append(_unfit(one.name, what, hint))
        elif one.grid is not None or one.label not in {None, Label.ANCESTOR}:
            what = f"the method {method} releases nodes of the hierarchy, so grid and label have no effect"
            faults.append(_unfit(one.name, what, "leave grid and label out, or choose mondrian"))
    return faults


# --- what does not go together ----------------------------------------------------------------------------------------


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
            hint = "give the column a hierarchy, or choose equal or ordered"
            yield model, _unfit(name, "a hierarchical distance needs a hierarchy", hint)
        elif model.declared.of_numbers and attribute is not None and attribute.scale is Scale.CATEGORICAL:
            hint = "make the column numeric, or choose another model"
            yield model, _unfit(name, f"{model.name} needs numbers, but the column is categorical", hint)
        least = model.declared.least_values
        if k is not None and least > k and schema.person is None:  # of one person, several records may differ
            what = f"{model.name} needs classes of {least} records, so k = {k} would have no effect"
            yield model, _unfit(name, what, f"set k = {least}, or leave k out")


def misplaced(schema: Schema, answers: Sequence[str]) -> Iterator[SchemaError]:
    """The fault of each answer that is no insensitive column, or named twice."""
    roles = {one.name: one.role for one in schema.attributes}
    for name, count in Counter(answers).items():
        role = roles.get(name, schema.rest)
        if count > 1:
            yield SchemaError("the answer is named twice", where=f"column {name}", hint="name the column once")
        if role is not Role.INSENSITIVE:
            what = "an answer must be insensitive, but this column " + (f"is {role.said}" if role else "has no role")
            yield SchemaError(what, where=f"column {name}", hint="make the column insensitive, or no answer")


def notes(job: Job) -> tuple[str, ...]:
    """What nobody would expect of a job's hierarchies: those of no use, and what was changed to make them nest."""
    unused = [
        f"the hierarchy of {name} is not used to generalize or measure anything"
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
            "the column is sensitive, and no privacy model protects it",
            where=f"column {name}",
            hint=f"limit what a class reveals, such as --t {name}=0.2 or --l {name}=2 (in a job file t = 0.2);"
            f" without a model: --no-model {name} (in a job file no-model = true, in Python no_model=['{name}'])",
        )
        for name in unjudged_sensitive(job)
    ]
    modelled = {model.declared.sensitive for model in job.models}
    free = {one.name for one in job.schema.sensitive if one.name not in modelled}
    faults += [
        SchemaError("no-model has no effect", where=f"column {name}", hint="leave no-model out")
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
    others = f", or name {' or '.join(sensitive)}" if sensitive else ""
    return _unfit(name, what, f"make the column sensitive{others}")


class Misfit(NamedTuple):
    """What does not go with the rest of a job, and the place of the key that says it."""

    place: tuple[str, ...]
    what: str
    hint: str

    def told(self, where: Callable[[tuple[str, ...]], str]) -> UsageError:
        """The fault with the reader's place for the key."""
        return UsageError(self.what, where=where(self.place), hint=self.hint)


def named(place: tuple[str, ...]) -> str:
    """The place of a key for who wrote no job file."""
    return f"column {place[-1]}" if place[:-1] == ("perturb", "columns") else " ".join(place)


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
            yield Misfit(key, "the column is perturbed twice", "give one method")
        if name in judged and name not in fixed:
            hint = "round the column instead, or leave the model out: the model limits the original values"
            yield Misfit(key, f"{judged[name]} limits the column's values, but these are changed", hint)


def seed_misfits(
    perturbations: Sequence[Perturbation], seed: int | None, *, insecure_reproducible: bool
) -> Iterator[Misfit]:
    """What is wrong with a seed: who knows or guesses it takes the noise off again."""
    random = any(one.random for one in perturbations)
    if seed is None:
        if insecure_reproducible:
            yield Misfit(("perturb", "insecure-reproducible"), "no seed is given", "give a seed, or leave the key out")
        return
    if not random:
        yield Misfit(("perturb", "seed"), "seed has no effect", "leave the seed out: no perturbation is random")
    elif not insecure_reproducible:
        hint = "leave the seed out; or, for tests only, add insecure-reproducible (--insecure-reproducible)"
        yield Misfit(("perturb", "seed"), "with a seed the noise is reproducible, and so not private", hint)
    elif seed < 0:
        yield Misfit(("perturb", "seed"), "a seed is a whole number of at least 0", "such as 7")


def key_misfits(*, pseudonyms: bool, has_key: bool) -> Iterator[Misfit]:
    """What is wrong with a key, where some columns get pseudonyms or none does."""
    if pseudonyms and not has_key:
        hint = "make a key with `kohort key FILE`, then name the file: [input] key-file, --key-file"
        yield Misfit(("input", "key-file"), "pseudonyms need a key, or anyone can try all identifiers", hint)
    if has_key and not pseudonyms:
        hint = "leave the key out, or choose the identifying column that gets pseudonyms: pseudonym = true, --pseudonym"
        yield Misfit(("input", "key-file"), "no column gets pseudonyms", hint)
