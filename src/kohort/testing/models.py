"""`check_model`: whether what a privacy model declares of itself is true, as far as random toy tables tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.models.base import satisfied_jointly
from kohort.testing.toys import bare_of, draw, reverse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.core.frequency import ClassProfile
    from kohort.models.base import PrivacyModel
    from kohort.testing.toys import Toy


class CounterExampleError(AssertionError):
    """A model is not what it declares; the classes that show it are made up and may be printed.

    Attributes:
        law: What does not hold.
        classes: The classes that show it.
        merged: The same classes, some of them merged.
    """

    def __init__(self, name: str, law: str, classes: ClassProfile, merged: ClassProfile, shown: str) -> None:
        """Keep the parts, and tell them."""
        self.law, self.classes, self.merged = law, classes, merged
        super().__init__(f"{name}: {law}\n{shown}")


def check_model(model: PrivacyModel, *, tables: int = 1000, seed: int = 0) -> None:
    """Look for a counter-example to what `model` declares, on random toy tables of up to four classes and values.

    Tried are: the shape of the answer; that each class is judged as if it were released alone, whatever the order of
    classes, and values from left to right or from right to left; `smallest_class`, `smallest_population` and
    `least_values`; `size_only`; `class_only`; `some_values`; `monotone_generalization`, on classes that have no people
    in common; `monotone_suppression`. The reference distribution is that of the whole toy, and a population is drawn
    for models that need one. Silence is no proof.

    Args:
        model: Any model, with parameters; try several.
        tables: How many toys to draw.
        seed: What to draw them by: equal seeds draw equal toys.

    Raises:
        CounterExampleError: Something declared is not so; with the smallest classes found that show it.

    >>> from kohort.models.k_anonymity import KAnonymity
    >>> check_model(KAnonymity(3))
    """
    random = np.random.default_rng(seed)
    least = max(model.declared.smallest_class, 2)
    for _ in range(tables):
        toy = draw(random, least)
        for law, breaks in _LAWS.items():
            if breaks(model, toy):
                toy = _smallest(model, toy, breaks)
                fine, coarse = toy.fine(model), toy.coarse(model)
                raise CounterExampleError(model.name, law, fine, coarse, "\n".join(_told(model, toy)))


def _smallest(model: PrivacyModel, toy: Toy, breaks: Callable[[PrivacyModel, Toy], bool]) -> Toy:
    """A toy that breaks the law still, and none that lacks a little more does."""
    while (less := next((one for one in toy.smaller() if breaks(model, one)), None)) is not None:
        toy = less
    return toy


def _no_mask(model: PrivacyModel, toy: Toy) -> bool:
    classes = toy.fine(model)
    mask = model.satisfied(classes)
    none = model.satisfied(classes.take(np.zeros(classes.sizes.size, np.bool_)))
    return mask.dtype != np.bool_ or mask.shape != classes.sizes.shape or none.shape != (0,)


def _depends_on_others(model: PrivacyModel, toy: Toy) -> bool:
    classes = toy.fine(model)
    together = model.satisfied(classes).tolist()
    alone = [model.satisfied(classes.take(one)).tolist() for one in np.eye(len(together), dtype=np.bool_)]
    return [[passes] for passes in together] != alone


def _depends_on_order(model: PrivacyModel, toy: Toy) -> bool:
    classes = toy.fine(model)
    backwards = reverse(classes)
    if model.satisfied(classes).tolist() != model.satisfied(backwards)[::-1].tolist():
        return True
    return satisfied_jointly(model, classes) != satisfied_jointly(model, backwards)


def _passes_smaller(model: PrivacyModel, toy: Toy) -> bool:
    classes = toy.fine(model)
    return bool((model.satisfied(classes) & (classes.sizes < model.declared.smallest_class)).any())


def _fits_fewer(model: PrivacyModel, toy: Toy) -> bool:
    classes, least = toy.fine(model), model.declared.smallest_population
    return classes.population is not None and bool((model.satisfied(classes) & (classes.population < least)).any())


def _has_fewer_values(model: PrivacyModel, toy: Toy) -> bool:
    classes, least = toy.fine(model), model.declared.least_values
    values = [np.count_nonzero(one.counts, axis=1) for one in classes.histograms]
    return any(bool((model.satisfied(classes) & (found < least)).any()) for found in values)


def _counts_more(model: PrivacyModel, toy: Toy) -> bool:
    classes = toy.fine(model)
    least = model.declared.smallest_class
    return model.declared.size_only and bool((~model.satisfied(classes) & (classes.sizes >= least)).any())


def _looks_elsewhere(model: PrivacyModel, toy: Toy) -> bool:
    if not model.declared.class_only:
        return False
    classes = toy.fine(model)
    every = np.eye(classes.sizes.size, dtype=np.bool_)
    bare = [bare_of(classes.take(one)) for one in every]
    return bool((model.satisfied(classes) != [model.satisfied(one)[0] for one in bare]).any())


def _needs_others(model: PrivacyModel, toy: Toy) -> bool:
    if not model.declared.some_values:
        return False
    classes = toy.fine(model)
    fewer = replace(classes, histograms=tuple(held.few() for held in classes.histograms))
    return bool((model.satisfied(classes) != model.satisfied(fewer)).any())


def _union_fails(model: PrivacyModel, toy: Toy) -> bool:
    """A union of classes that all satisfy, but does not itself; of a joint model, also a whole release."""
    if not model.declared.monotone_generalization or toy.shared:
        return False
    fine, coarse = toy.fine(model), toy.coarse(model)
    good, above = model.satisfied(fine), model.satisfied(coarse)
    merged = np.array(toy.merged)
    if any(good[merged == class_].all() and not above[class_] for class_ in range(above.size)):
        return True
    return satisfied_jointly(model, fine) and model.declared.joint is not None and not satisfied_jointly(model, coarse)


def _more_fail(model: PrivacyModel, toy: Toy) -> bool:
    if not model.declared.monotone_suppression:
        return False
    good, above = model.satisfied(toy.fine(model)), model.satisfied(toy.coarse(model))
    records = np.array([toy.records(class_) for class_ in range(good.size)], np.int64)
    return bool(records[~above[np.array(toy.merged, np.int64)]].sum() > records[~good].sum())


#: What must hold of every model, as a sentence that tells that it does not, and whether a toy shows so.
_LAWS: dict[str, Callable[[PrivacyModel, Toy], bool]] = {
    "satisfied() is no mask of one bool per class": _no_mask,
    "satisfied() judges a class otherwise when others stand beside it": _depends_on_others,
    "the order of classes or values matters": _depends_on_order,
    "a class of fewer people than smallest_class satisfies": _passes_smaller,
    "a class that fits fewer people than smallest_population satisfies": _fits_fewer,
    "a class of fewer values than least_values satisfies": _has_fewer_values,
    "size_only is declared, but a class of at least smallest_class people fails": _counts_more,
    "class_only is declared, but values absent from the class matter": _looks_elsewhere,
    "some_values is declared, but values absent from the classes matter": _needs_others,
    "monotone_generalization is declared, but a union of satisfying classes fails": _union_fails,
    "monotone_suppression is declared, but merging classes makes more records fail": _more_fail,
}


def _told(model: PrivacyModel, toy: Toy) -> Iterator[str]:
    """The classes before and after merging, a line each."""
    for title, classes in (("classes", toy.fine(model)), ("merged", toy.coarse(model))):
        yield f"  {title}:"
        answers = model.satisfied(classes).tolist()
        for place, people in enumerate(classes.sizes.tolist()):
            parts = [f"{people} people", *(f"by value {one.counts[place].tolist()}" for one in classes.histograms)]
            if classes.population is not None:
                parts.append(f"of {classes.population[place]} in the population")
            judged = ("satisfies" if answers[place] else "fails") if place < len(answers) else "is not judged"
            into = f", part of {toy.merged[place] + 1}" if title == "classes" else ""
            yield f"    {place + 1}: {', '.join(parts)}: {judged}{into}"
