"""Dialects: what other tools mean by nDCG and the rest, so that their numbers can be reproduced.

Tools disagree on the gain of a label, on the discount, on queries without a relevant row, on rows with equal scores,
and on queries with fewer than k rows. A dialect sets all of these; the knobs `gain`, `empty` and `ties` override it.

==============  ======  ==============  =====================  =======  =============================  ========
dialect         gain    discount        without relevant row   ties     fewer than k rows              relevant
==============  ======  ==============  =====================  =======  =============================  ========
(none)          exp2    log2(i+1)       skip                   average                                 > 0
``letor3``      exp2    log2(max(2,i))  zero                   input    nDCG@k and P@k are 0           > 0
``letor4``      exp2    log2(max(2,i))  zero                   input    nDCG@k is 0                    > 0
``mslr``        exp2    log2(max(2,i))  zero                   input    nDCG@k is 0                    ≥ 2
``yahoo``       exp2    log2(i+1)       nDCG half, else zero   input                                   > 0
``trec_eval``   linear  log2(i+1)       zero                   reverse                                 > 0
``sklearn``     linear  log2(i+1)       zero                   average                                 > 0
``lightgbm``    exp2    log2(i+1)       one                    input                                   > 0
``xgboost``     exp2    log2(i+1)       one; P zero            input    P@k divides by the rows        > 0
``catboost``    linear  log2(i+1)       nDCG, R one; else zero  worst    P@k divides by the rows        > 0
==============  ======  ==============  =====================  =======  =============================  ========

**gain**: ``exp2`` is 2^label − 1, ``linear`` the label. **Without a relevant row** (for nDCG and ERR: without a label
above 0) a query counts ``zero``, ``half`` or ``one``, or is left out (``skip``); when all are left out the mean is NaN.
This concerns nDCG, MeanNDCG, AP, P, R, RR and ERR. AUC, kendall_tau and spearman always leave out a query where they
are not defined; pair_accuracy and domination_error pool what there is. **ties**: rows with equal scores stand in the
order given (``input``), in its reverse, lowest label first (``worst``), or the value is the exact expected one over all
their orders (``average``), which alone with ``worst`` does not depend on the order of rows. An empty cell for **fewer
than k rows** means that missing rows count as irrelevant.

What each tool does beyond the table, and how it was found out:

letor3, letor4
    The evaluation scripts of LETOR 3.0 and 4.0. The first two rows count in full. A query
    with fewer than k rows adds nothing to the average of NDCG@k, but is counted in it; in 3.0 the same holds for P@k.
    AP is over all rows. MeanNDCG is that of 4.0; 3.0 has none, and it means the same here.
mslr
    The script of 2010 for MSLR-WEB10K and 30K: that of LETOR 4.0 with gains up to 2^4 − 1, where relevant means label 2
    or more.
yahoo
    The Yahoo! Learning to Rank Challenge: nDCG@10 and ERR with labels up to 4. The challenge's script is no longer
    public, and its descendants disagree about nDCG of a query without a relevant row: most say 1/2, some say 1. Here it
    is 1/2; ``empty="one"`` gives the other. Submissions were ranks, so ties are broken by input order.
trec_eval
    Also pytrec_eval and ir-measures. Scores are rounded to float32. Ties go to the highest document number: ``reverse``
    is that for documents numbered in row order (sort rows by document number first to get it exactly for others).
    Negative labels are not relevant. AP@k is map_cut, which divides by all relevant rows. ERR is that of gdeval.pl,
    which breaks ties alike, but does not round to float32 and prints five digits. RR@k is no part of trec_eval.
sklearn
    ``ndcg_score`` of each query. It refuses a query of one row, which counts here as any other. Its other ranking
    functions are no means over queries.
lightgbm
    ndcg and map. AP@k divides by the relevant rows that fit above the cutoff. (XGBoost and CatBoost do, too.)
xgboost
    ndcg, map and pre, and with ``gain="linear"`` its ``ndcg_exp_gain=False``; ``empty="zero"`` is a name with a minus,
    such as ``ndcg@10-``. Its ndcg and map without a cutoff are nDCG@32 and AP@32. Scores are rounded to float32. Its
    auc is another one.
catboost
    NDCG as it is by default, which is type=Base; ``gain="exp2"`` is type=Exp. MAP, PrecisionAt, RecallAt, MRR,
    PairAccuracy. Its ERR takes the label itself as the chance to stop, which is not reproduced.

Where a tool does not have a metric, the table applies to it all the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

GAINS = ("exp2", "linear")
EMPTY: Mapping[str, float] = MappingProxyType({"skip": float("nan"), "zero": 0.0, "half": 0.5, "one": 1.0})
TIES = ("input", "reverse", "worst", "average", "half")


@dataclass(frozen=True)
class Dialect:
    """The conventions of one tool.

    Parameters
    ----------
    gain
        "exp2" or "linear".
    flat_start
        Whether the discount is 1 / log2(max(2, i)) instead of 1 / log2(i + 1).
    empty
        What a query without a relevant row counts: "skip", "zero", "half" or "one".
    empty_of
        The same for metrics that differ, by name.
    ties
        How rows with equal scores stand: "input", "reverse", "worst" or "average".
    short_ndcg, short_precision
        nDCG@k and P@k of a query with fewer than k rows: missing rows are irrelevant ("count"), k becomes the number of
        rows ("cut"), or it is 0 ("zero").
    reachable
        Whether AP@k divides by the relevant rows that fit above the cutoff instead of all.
    relevant
        The least label of a relevant row; None for any above 0.
    single
        Whether scores are rounded to float32.
    negative
        Whether labels below 0 are irrelevant; nDCG and ERR refuse them otherwise.
    tied_pair
        What pair_accuracy counts for a pair whose scores are tied.
    """

    gain: str = "exp2"
    flat_start: bool = False
    empty: str = "skip"
    empty_of: Mapping[str, str] = field(default_factory=dict)
    ties: str = "average"
    short_ndcg: str = "count"
    short_precision: str = "count"
    reachable: bool = False
    relevant: float | None = None
    single: bool = False
    negative: bool = False
    tied_pair: float = 0.0

    def with_knobs(self, gain: str | None, empty: str | None, ties: str | None) -> Dialect:
        """These conventions with some knobs turned; None leaves a knob as it is."""
        turned = self
        if gain is not None:
            turned = replace(turned, gain=choice("gain", gain, GAINS))
        if empty is not None:
            turned = replace(turned, empty=choice("empty", empty, EMPTY), empty_of={})
        if ties is not None:
            half = choice("ties", ties, TIES) == "half"
            turned = replace(turned, ties="average" if half else ties, tied_pair=0.5 if half else 0.0)
        return turned


_LETOR = Dialect(flat_start=True, empty="zero", ties="input", short_ndcg="zero")

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "letor3": replace(_LETOR, short_precision="zero"),
        "letor4": _LETOR,
        "mslr": replace(_LETOR, relevant=2.0),
        "yahoo": Dialect(empty="zero", empty_of={"nDCG": "half", "MeanNDCG": "half"}, ties="input"),
        "trec_eval": Dialect("linear", empty="zero", ties="reverse", single=True, negative=True),
        "sklearn": Dialect("linear", empty="zero"),
        "lightgbm": Dialect(empty="one", ties="input", reachable=True),
        "xgboost": Dialect(
            empty="one", empty_of={"P": "zero"}, ties="input", short_precision="cut", reachable=True, single=True
        ),
        "catboost": Dialect(
            "linear",
            empty="zero",
            empty_of={"nDCG": "one", "MeanNDCG": "one", "R": "one"},
            ties="worst",
            short_precision="cut",
            reachable=True,
        ),
    }
)
"""The conventions of each tool, by its name."""


def dialect_named(name: str | None) -> Dialect:
    """The conventions of a tool, or Rankine's own.

    >>> dialect_named("trec_eval").gain
    'linear'
    """
    return Dialect() if name is None else DIALECTS[choice("dialect", name, DIALECTS)]


def choice(knob: str, value: str, options: Iterable[str]) -> str:
    """The value, if it is one of the options; otherwise a sentence."""
    options = list(options)
    if value in options:
        return value
    near = difflib.get_close_matches(str(value).lower(), options, 1, 0.5)
    hint = f"did you mean {near[0]!r}? It" if near else "it"
    raise ValueError(f"{knob} is {value!r}; {hint} must be one of: {', '.join(options)}")
