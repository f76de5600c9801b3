"""The certificate of transactions, checked again: it names no item, so coherence is judged where the items are brought.

What the job, the counts and each other tell of the figures is found anew. What was there before, only verification saw.
"""

from __future__ import annotations

import re
from copy import deepcopy
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from kohort.certificate.again import (
    Again,
    CheckedPart,
    compared,
    judged,
    keyed,
    limits,
    of_bytes,
    unchecked,
    unseen,
)
from kohort.certificate.form import FORM
from kohort.certificate.form_9 import exact, keys_of
from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.job.certified import as_told, dotted, refuse_other_words, refusing
from kohort.native.library import DESCENTS
from kohort.schema.numbers import said
from kohort.transactions import request
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.certificate import not_promised
from kohort.transactions.check import check_transactions
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import in_item_order
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.verify import CoherenceCheck, comparisons, in_order_of, plain_digest
from kohort.transactions.verify.cohorts import count_cohorts

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from kohort.job.certified import Tables
    from kohort.transactions.certificate import CoherenceCertificate
    from kohort.transactions.database import Transactions
    from kohort.transactions.release import TransactionJob
    from kohort.transactions.roles import RoleChoice

#: What only somebody with the input can see, or who knows what was asked for.
_UNSEEN: Final = "only verification saw this, with the input"

#: A fraction of two counts.
_fraction: Final = re.compile(r"([0-9]{1,1000})/([0-9]{1,1000})").fullmatch

#: The check that counts the cells of items that are not public.
_PRIVATE: Final = CoherenceCheck.PRIVATE.value

#: What would have to be brought to count cohorts.
_ITEMS: Final = "the certificate names no item: give the private ones with --private"


#: Stand for items, of whose names there is the number.
_ITEM_NAMES: Final[Mapping[str, Any]] = {"private": ["a"], "public": ["b"], "weight": {"a": 1}}


def transaction_job(known: CoherenceCertificate) -> TransactionJob:
    """The job on transactions that a certificate holds; a name stands for all items that have a role.

    Raises:
        InputError: kohort would not accept the job, or not describe it so.
    """
    with refusing():
        told, older = cast("Tables", deepcopy(known.job)), known.form < FORM
        tables = _older_tables(told) if older else told
        items: Tables = tables["items"]
        counted = [key for key in _ITEM_NAMES if key in items]
        if any(type(items[key]) is not int or items[key] < (key != "public") for key in counted):
            raise UsageError("the number of items is not a count")
        items |= dict.fromkeys(counted, 1)
        named = dict.fromkeys(f"{key}-file" for key in _ITEM_NAMES) | {key: _ITEM_NAMES[key] for key in counted}
        output = tables["output"] | {"path": "release", "sign-key": None}
        raw = tables | {"transactions": {}, "input": {"path": "-"}, "output": output, "items": items | named}
        job = request.request(raw, where=dotted).job
        if older:
            refuse_other_words(*map(_judged, (as_told(job), told)))
        else:
            refuse_other_words(request.description(job), tables)
        return job


def _older_tables(job: Tables) -> Tables:
    """The tables of a job on transactions that a certificate in form 9 has; see `kohort.certificate.form_9`."""
    roles, algorithm, writing = job["roles"], job["algorithm"], keys_of(job["writing"], "form")
    items = keys_of(roles, "absent") | {"min-support": said(exact(job["min_support"])), "weight": job["weights"]}
    if roles["kind"] == "Listed":
        items |= {"allow-absent": roles["absent"], "no-private": roles["private"] == 0}
        counts = [job["weights"], roles["private"], 0 if roles["public"] is None else roles["public"]]
    else:
        items["delta"], counts = said(exact(roles["delta"])), [job["weights"]]
    if any(type(count) is not int for count in counts):
        raise TypeError(counts)
    more: dict[str, Tables] = {"LocalSuppression": {"suppress": "cells"}, "Optimum": {"optimal": True}}
    return {
        "output": writing | ({"format": job["writing"]["form"]} if "form" in job["writing"] else {}),
        "privacy": keys_of(job["coherence"], "h") | {"h": said(exact(job["coherence"]["h"]))},
        "items": {key: one for key, one in items.items() if one is not None and (key == "public" or one != 0)},
        "method": keys_of(algorithm) | more.get(algorithm["kind"], {}) | {"max-sets": job["most"]},
        "purpose": keys_of(job.get("purpose", {})),
    }


def _judged(job: Tables) -> Tables:
    """What form 9 tells of a job on transactions, but for numbers of items, names of items, and how they are read."""
    roles = {key: one for key, one in job["roles"].items() if key not in {"private", "public"}}
    untold = {"reading", "weights", *(() if job.get("labels") else ("labels",))}
    return {key: one for key, one in job.items() if key not in untold} | {"roles": roles}


def written_as(known: CoherenceCertificate) -> BasketOptions:
    """The form in which the certificate's job wrote the release; baskets where it says none."""
    writing = known.asked().writing
    return BasketOptions(form=writing.form or Form.BASKET, separator=writing.separator)


def check_transactions_again(
    path: str | os.PathLike[str], known: CoherenceCertificate, options: BasketOptions, roles: RoleChoice | None = None
) -> Again:
    """What of the certificate is true of the transactions at `path`.

    Args:
        path: The release.
        known: Its certificate.
        options: The form that it lies in.
        roles: Which items are public and which private; without them coherence is not judged.

    Raises:
        UsageError: the file has not the form, or a name is of no item.
        InputError: the certificate's model is none, or its job is none that kohort accepts.
        LimitError: too many sets of items would have to be held.
        FileError: the system failed to read.
    """
    job = known.asked()
    parts = [*of_bytes(path, known)]
    try:
        database = read_transactions(path, options).database
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, judged("transactions", f"the file cannot be read: {fault.what}", met=False)))
    due = comparisons(
        known.transactions, len(database.names), known.cells, size=known.size, private=0, cohorts=known.cohorts
    )
    parts += [
        compared("transactions", known.transactions, len(database)),
        compared("items", known.items, int(np.count_nonzero(database.supports))),
        compared("cells", known.cells, database.cells.size),
        _order(database),
        _plain(database, options, known.sha256),
        *_model(known, job),
        *_coherence(known, database, roles),
        *keyed("checks", {key: count for key, count in known.checks.items() if key != _PRIVATE}, due),
        _confidence(known),
    ]
    return Again((*parts, unseen(known, parts, _UNSEEN)))


def _order(database: Transactions) -> CheckedPart:
    met = any(not DESCENTS(one.starts, one.cells) for one in _in_item_order(database))
    told = "transactions are sorted by their own content" if met else "transactions are out of order"
    return judged("order", told, met=met)


def _plain(database: Transactions, options: BasketOptions, sha256: str) -> CheckedPart:
    """Whether basket lines hold nothing but their items, in item order: then they are the same, written again."""
    if options.form is not Form.BASKET:
        return unchecked("plain bytes", "only basket lines can be checked for content beyond their items")
    same = any(plain_digest(one, options) == sha256 for one in _in_item_order(database))
    more = "the bytes hold more than the items: other blanks or line ends, or items in another order"
    return judged("plain bytes", "nothing but the items" if same else more, met=same)


def _in_item_order(database: Transactions) -> Iterator[Transactions]:
    """The transactions with their items in the order that these have here, or that they had among others."""
    for order in {in_item_order(database.names), tuple(sorted(database.names))}:
        yield in_order_of(database, order)


def _model(known: CoherenceCertificate, job: TransactionJob) -> Iterator[CheckedPart]:
    try:
        model = Coherence(exact(known.h), known.k, known.p)
    except (ArithmeticError, UsageError, ValueError):
        raise InputError("the certificate's model is not valid") from None
    yield compared("model", known.model, model.name, "model", "h", "k", "p")
    yield judged("model of the job", model.name, "model", met=(known.h, model) == (str(model.h), job.coherence))
    yield compared("suppressed", known.suppressed, "cells" if isinstance(job.algorithm, LocalSuppression) else "items")
    yield limits(not_promised(cells=known.suppressed == "cells", engine=known.engine), known.not_promised)


def _coherence(known: CoherenceCertificate, database: Transactions, roles: RoleChoice | None) -> Iterator[CheckedPart]:
    counted = ("cohorts", "smallest", "confidence", "confidence_exact")
    if roles is None:
        yield unchecked(known.model, _ITEMS, f"checks.{_PRIVATE}", *counted)
        return
    model = Coherence(exact(known.h), known.k, known.p)
    items = roles.over(database, model.h)
    met = check_transactions(database, items, model).met
    yield judged(known.model, "met" if met else "NOT met", "model", met=met)
    found = count_cohorts(database, items.public, items.private, p=model.p, least=model.k)
    yield compared("cohorts", known.cohorts, found.sets)
    yield compared("smallest", known.smallest, found.smallest)
    share = Fraction(found.together, found.support)
    yield compared("confidence", _share(known.confidence_exact), share, "confidence", "confidence_exact")
    private = int(database.supports[~items.public].sum())
    yield compared("private cells", known.checks.get(_PRIVATE, 0), private, f"checks.{_PRIVATE}")


def _confidence(known: CoherenceCertificate) -> CheckedPart:
    share = _share(known.confidence_exact)
    told = "the share equals its fraction" if share is not None else "the share is not a fraction"
    met = share is not None and float(share) == known.confidence
    return judged("confidence as a fraction", told, "confidence", met=met)


def _share(text: str) -> Fraction | None:
    """The share that a fraction tells, of 1 at most; nothing is 0 of 0."""
    found = _fraction(text)
    above, below = (int(found[1]), int(found[2])) if found else (1, 0)
    return Fraction(above, below or 1) if above <= below else None
