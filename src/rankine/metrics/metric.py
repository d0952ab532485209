"""The names of metrics as objects, in the notation of ir-measures: ``nDCG@10``, ``AP(rel=2)@100``, ``pair_accuracy``.

=====================  ============================================================================  ==============
name                   what it is                                                                    may take
=====================  ============================================================================  ==============
``nDCG``, ``nDCG@k``   gain at each place, discounted, over that of the ideal order                  ``dcg``
``MeanNDCG``           the mean of nDCG@1 … nDCG@n over the n rows of a query (LETOR)                ``dcg``
``AP``, ``AP@k``       the mean over all relevant rows of the precision there, 0 if it is below k    ``rel``
``P@k``                the share of the first k rows that are relevant                               ``rel``
``R@k``                the share of the relevant rows that are among the first k                     ``rel``
``RR``, ``RR@k``       1 / the place of the first relevant row, 0 if it is below k                   ``rel``
``ERR``, ``ERR@k``     expected 1 / place where a reader stops, with chance (2^label − 1) / 2^max    ``max_rel``
``pair_accuracy``      the share of the pairs of all queries that are scored in the right order
``AUC``                the chance that a relevant row is scored above another, a tie counting half   ``rel``
``domination_error``   the share of rows that are not scored above all rows below them, by label
``kendall_tau``        Kendall's τ-b of label and score
``spearman``           Spearman's ρ of label and score, by average ranks
=====================  ============================================================================  ==============

A row is relevant when its label is above 0, or at least ``rel``. ``dcg='log2'`` makes the gain the label,
``dcg='exp-log2'`` 2^label − 1; otherwise the knob ``gain`` decides. ``max_rel`` is the highest label there can be, 4 if
not given. pair_accuracy and domination_error pool all queries; the others are means over queries.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import Any

# What each metric may take, and whether it takes a cutoff: no, if wanted, or always.
_TAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "nDCG": (("dcg",), "may"),
    "MeanNDCG": (("dcg",), "no"),
    "AP": (("rel",), "may"),
    "P": (("rel",), "must"),
    "R": (("rel",), "must"),
    "RR": (("rel",), "may"),
    "ERR": (("max_rel",), "may"),
    "pair_accuracy": ((), "no"),
    "AUC": (("rel",), "no"),
    "domination_error": ((), "no"),
    "kendall_tau": ((), "no"),
    "spearman": ((), "no"),
}
# Other names for them, without case, blanks, hyphens and underscores.
_ALIASES = {
    **{re.sub("_", "", name).lower(): name for name in _TAKES},
    "ndcgcut": "nDCG",
    "map": "AP",
    "mapcut": "AP",
    "averageprecision": "AP",
    "meanaverageprecision": "AP",
    "pre": "P",
    "prec": "P",
    "precision": "P",
    "recall": "R",
    "mrr": "RR",
    "reciprank": "RR",
    "reciprocalrank": "RR",
    "meanreciprocalrank": "RR",
    "expectedreciprocalrank": "ERR",
    "pairwiseaccuracy": "pair_accuracy",
    "pairaccuracy": "pair_accuracy",
    "rocauc": "AUC",
    "kendall": "kendall_tau",
    "kendalltaub": "kendall_tau",
    "tau": "kendall_tau",
    "spearmanr": "spearman",
    "spearmanrho": "spearman",
}


@dataclass(frozen=True)
class Metric:
    """A metric with its cutoff and parameters; `str` gives its canonical name, and equal metrics are equal objects.

    Parameters
    ----------
    name
        A name of the table above.
    cutoff
        How many rows from the top count; None for all.
    rel
        The least label of a relevant row; None for any above 0.
    dcg
        "log2" or "exp-log2", as ir-measures has it; None to leave it to the knob `gain`.
    max_rel
        The highest label there can be, for ERR; None for 4.

    Examples
    --------
    >>> Metric.parse("ndcg_cut.10")
    Metric.parse('nDCG@10')
    >>> str(Metric.parse("map(rel=2)@100"))
    'AP(rel=2)@100'
    >>> Metric("P", 5) == Metric.parse("Precision@5")
    True
    >>> Metric.parse("nDGC@10")
    Traceback (most recent call last):
    ...
    ValueError: no metric is named 'nDGC@10'; did you mean 'nDCG@10'?
    """

    name: str
    cutoff: int | None = None
    rel: float | None = None
    dcg: str | None = None
    max_rel: float | None = None

    def __post_init__(self) -> None:
        if self.name not in _TAKES:
            raise ValueError(f"no metric is named {self.name!r}; {_hint(self.name, '')}")
        takes, cutoff = _TAKES[self.name]
        for key in ("rel", "dcg", "max_rel"):
            if getattr(self, key) is not None and key not in takes:
                raise ValueError(f"{self.name} takes {_listed(takes)}, not {key}=")
        if self.dcg not in (None, "log2", "exp-log2"):
            raise ValueError(f"dcg is {self.dcg!r}; it must be 'log2' (gain = label) or 'exp-log2' (2^label - 1)")
        if self.cutoff is None and cutoff == "must":
            raise ValueError(f"{self.name} needs a cutoff: say {self.name}@10 for the first 10 rows")
        if self.cutoff is not None and cutoff == "no":
            raise ValueError(f"{self.name} takes no cutoff, but it is given @{self.cutoff}: it looks at all rows")
        if self.cutoff is not None and self.cutoff < 1:
            raise ValueError(f"the cutoff of {self.name} is {self.cutoff}; it must be a whole number, 1 or more")

    @classmethod
    def parse(cls, text: str | Metric) -> Metric:
        """Read a name: canonical, or an alias in any case.

        Parameters
        ----------
        text
            Such as "nDCG@10", "map", "P_10", "AP(rel=2)@100".
        """
        if isinstance(text, Metric):
            return text
        if not isinstance(text, str):
            raise ValueError(f"a metric's name is text such as 'nDCG@10', not {text!r}")
        found = re.fullmatch(r"\s*([^(@]+?)\s*(?:\(([^)]*)\))?\s*(@.*?)?\s*", text, re.DOTALL)
        if found is None:
            raise ValueError(f"{text!r} is not a metric's name; one looks like nDCG@10 or AP(rel=2)@100")
        head, inside, cutoff = found[1], found[2], found[3]
        trec = re.fullmatch(r"(.+)[._](\d+)", head)  # as trec_eval writes cutoffs: P_10, ndcg_cut.10
        if cutoff is None and inside is None and trec is not None:
            head, cutoff = trec[1], f"@{trec[2]}"
        name = _ALIASES.get(_folded(head))
        if name is None:
            raise ValueError(f"no metric is named {text!r}; {_hint(head, text.strip()[len(head) :])}")
        return cls(name, None if cutoff is None else _cutoff(name, cutoff[1:]), **_parameters(name, inside))

    @property
    def lower_is_better(self) -> bool:
        """Whether this is an error."""
        return self.name == "domination_error"

    def __str__(self) -> str:
        given = {"rel": self.rel, "dcg": self.dcg, "max_rel": self.max_rel}
        inside = ",".join(f"{key}={_shown(value)}" for key, value in given.items() if value is not None)
        return f"{self.name}{f'({inside})' if inside else ''}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def __repr__(self) -> str:
        return f"Metric.parse({str(self)!r})"


def split_names(text: str) -> list[str]:
    """The names in a text, parted by blanks or commas outside of parentheses.

    >>> split_names("nDCG@10 AP(rel=2), RR")
    ['nDCG@10', 'AP(rel=2)', 'RR']
    """
    return re.findall(r"(?:\([^)]*\)|[^\s,])+", text)


def _folded(head: str) -> str:
    return re.sub(r"[\s_.-]", "", head).lower()


def _hint(head: str, tail: str) -> str:
    near = difflib.get_close_matches(_folded(head), _ALIASES, 1, 0.6)
    if near:
        return f"did you mean {_ALIASES[near[0]] + tail!r}?"
    return f"there are: {', '.join(_TAKES)}"


def _cutoff(name: str, text: str) -> int:
    if not re.fullmatch(r"\d+", text) or int(text) < 1:
        raise ValueError(f"the cutoff of {name} is {text!r}; it must be a whole number, 1 or more, as in {name}@10")
    return int(text)


def _parameters(name: str, inside: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in filter(None, map(str.strip, (inside or "").split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        takes = _TAKES[name][0]
        if not equals or key not in takes:
            raise ValueError(f"{name} takes {_listed(takes)}, not {part!r}")
        given[key] = value.strip("'\"") if key == "dcg" else _number(name, key, value)
    return given


def _number(name: str, key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{key} of {name} is {text!r}; it must be a number")
    return value


def _listed(takes: tuple[str, ...]) -> str:
    return " and ".join(f"{key}=" for key in takes) or "no parameter"


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return repr(value)
    return str(int(value)) if value == int(value) else repr(float(value))
