"""Privacy models: one file each, every one a vectorised predicate over class profiles.

What each of them asks of every equivalence class, unless another whole is named:

- `k_anonymity`: at least k people.
- `distinct_l_diversity`: at least l different sensitive values.
- `entropy_l_diversity`: sensitive values as uncertain as l equally frequent ones.
- `recursive_l_diversity`: the most frequent value not too frequent, even for who can rule out l - 2 others.
- `t_closeness`: sensitive values distributed nearly as in the whole table, by the earth mover's distance.
- `alpha_k_anonymity`: at least k people, and no value more than a share alpha of them.
- `delta_disclosure`: every value of the table, each about as frequent as in it.
- `basic_beta_likeness`: no value much more frequent than in the table.
- `enhanced_beta_likeness`: the same, and no value of the table becomes certain.
- `k_map`: fits at least k people of a population.
- `delta_presence`: of the people of a population whom it fits, a share is in the table, so that presence is uncertain.
- `maximum_risk`: nobody is linked with more than some certainty.
- `average_risk`: of the whole release, no more than some share of people is found by linking.

A model of a sensitive attribute judges the people of a class who have a value; a class in which nobody has one fails.
A table satisfies several models when it satisfies each. The page of each model in the documentation says what it does
not protect from.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every model by its key in a job; `kohort.models.base` finds them, and those of other packages.
MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "k": "kohort.models.k_anonymity:KAnonymity",
        "k-map": "kohort.models.k_map:KMap",
        "presence": "kohort.models.delta_presence:DeltaPresence",
        "max-risk": "kohort.models.maximum_risk:MaximumRisk",
        "average-risk": "kohort.models.average_risk:AverageRisk",
        "l": "kohort.models.distinct_l_diversity:DistinctLDiversity",
        "entropy-l": "kohort.models.entropy_l_diversity:EntropyLDiversity",
        "recursive": "kohort.models.recursive_l_diversity:RecursiveLDiversity",
        "t": "kohort.models.t_closeness:TCloseness",
        "alpha": "kohort.models.alpha_k_anonymity:AlphaKAnonymity",
        "delta": "kohort.models.delta_disclosure:DeltaDisclosure",
        "beta": "kohort.models.basic_beta_likeness:BasicBetaLikeness",
        "enhanced-beta": "kohort.models.enhanced_beta_likeness:EnhancedBetaLikeness",
        "k-e": "kohort.models.k_e_anonymity:KEAnonymity",
    }
)
