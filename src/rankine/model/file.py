"""The model file: JSON that people can read and compare, or safetensors for more than 100,000 weights.

    {"format": "rankine-model", "version": 1, "recipe": …, "parameters": {…}, "scaling": …, "data": {…}, "outcome": {…},
     "versions": {…}, "missing": {"value": 0, "indicators": ["bm25"]}, "named": true,
     "weights": {"bm25": 1.25, …, "bm25 (missing)": -0.5}}

Numbers are written so that they read back to the last bit. Features without names are numbered from 1. A large model
is one safetensors file, whose tensors hold weights and factors and whose metadata hold the rest of the JSON under
"rankine". Several models, such as those of a path over C, are a list of such objects:

    {"format": "rankine-models", "version": 1, "models": [{"format": "rankine-model", …}, …]}

Nothing in a file is ever executed, and files are replaced whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from rankine.data import Vector
from rankine.data.atomic import open_atomically
from rankine.data.gaps import Filling, indicator_name
from rankine.model.model import DataSummary, Model, Outcome, Scaling

FORMAT, LIST_FORMAT = "rankine-model", "rankine-models"
VERSION = 1
# Above this many weights a file is read by machines alone.
MOST_IN_JSON = 100_000


class ModelError(ValueError):
    """The file is not a model that this version can read; the message says why."""


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model atomically."""
    if len(model.weights) > MOST_IN_JSON:
        _save_tensors(model, path)
    else:
        _save_json(_full_card(model), path)


def save_all(models: Iterable[Model], path: str | os.PathLike[str]) -> None:
    """Write several models, such as those of a path, to one file of JSON, atomically.

    Parameters
    ----------
    models
        The models, in the order in which they are to be found.
    path
        The file.
    """
    _save_json({"format": LIST_FORMAT, "version": VERSION, "models": [_full_card(model) for model in models]}, path)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model. Loading executes nothing that the file contains.

    Parameters
    ----------
    path
        A file that `Model.save` wrote, in this version or an earlier one.
    """
    models = load_all(path)
    if len(models) != 1:
        raise ModelError(f"{path} holds {len(models)} models; read them with rankine.model.load_all, and take one")
    return models[0]


def load_all(path: str | os.PathLike[str]) -> list[Model]:
    """Read all models of a file; a file of one model is a list of one.

    Parameters
    ----------
    path
        A file that `save_all` or `Model.save` wrote, in this version or an earlier one.
    """
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a model file")
    content = Path(path).read_bytes()
    try:
        if content[:1] == b"{":
            return _from_json(content)
        return [_from_tensors(content)]
    except ModelError as error:
        raise ModelError(f"{path} is not a model that this version can read: {error}") from None


def _save_json(content: dict[str, Any], path: str | os.PathLike[str]) -> None:
    with open_atomically(path) as stream:
        json.dump(content, stream, indent=1, allow_nan=False, ensure_ascii=False)
        stream.write("\n")


def _card(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "recipe": model.recipe,
        "parameters": dict(model.parameters),
        "scaling": None if model.scaling is None else {"kind": model.scaling.kind},
        "data": None if model.data is None else asdict(model.data),
        "outcome": None if model.outcome is None else asdict(model.outcome),
        "versions": dict(model.versions),
        "missing": model.missing,
        "named": model.feature_names is not None,
    }


def _full_card(model: Model) -> dict[str, Any]:
    """The card with all numbers."""
    card = _card(model)
    if model.scaling is not None:
        card["scaling"]["factors"] = model.scaling.factor.tolist()
    names = [model.name_of(j) for j in range(len(model.weights))]
    card["weights"] = dict(zip(names, model.weights.tolist(), strict=True))
    return card


def _save_tensors(model: Model, path: str | os.PathLike[str]) -> None:
    from safetensors.numpy import save as to_bytes

    tensors = {"weights": model.weights}
    if model.scaling is not None:
        tensors["factors"] = model.scaling.factor
    card = _card(model)
    card["names"] = model.feature_names
    content = to_bytes(
        {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()},
        metadata={"rankine": json.dumps(card, allow_nan=False)},
    )
    with open_atomically(path, binary=True) as stream:
        stream.write(content)


def _from_json(content: bytes) -> list[Model]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ModelError("a name stands twice in it")
        return found

    def refuse(text: str) -> float:
        raise ModelError(f"it holds {text}, which is not a finite number")

    try:
        card = json.loads(content.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"it is damaged or not JSON ({error})") from None
    if card.get("format") != LIST_FORMAT:
        return [_from_card(card)]
    _check_version(card)
    cards = card.get("models")
    if not isinstance(cards, list) or not cards:
        raise ModelError("it has no 'models'")
    return [_from_card(one) for one in cards]


def _from_card(card: Any) -> Model:
    _check_card(card)
    weights = card.get("weights")
    if not isinstance(weights, dict):
        raise ModelError("it has no 'weights'")
    factors = None
    if card["scaling"] is not None:
        factors = _vector(card["scaling"].get("factors"), "the scaling's factors")
    indicators = [indicator_name(name) for name in _indicators(card)]
    features = [name for name in weights if name not in set(indicators)]
    names = tuple(features) if card["named"] else None
    if names is None:  # in the order of the features' numbers, whatever tool has put them in another
        features = [str(j + 1) for j in range(len(features))]
    try:
        values = [weights[name] for name in features + indicators]
    except KeyError as error:
        raise ModelError(f"its weight of {error} is missing") from None
    return _model(card, _vector(values, "weights"), names, factors)


def _from_tensors(content: bytes) -> Model:
    # The header is read here because safetensors gives the metadata of files on disk alone, and bytes leave no gap
    # between what was checked and what is read.
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    try:
        tensors = from_bytes(content)
        size = int.from_bytes(content[:8], "little")
        card = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["rankine"])
    except (SafetensorError, KeyError, TypeError, ValueError):
        raise ModelError("it is neither a model in JSON nor one in safetensors, or it is damaged") from None
    _check_card(card)
    if "weights" not in tensors:
        raise ModelError("it has no 'weights'")
    names = card.get("names")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ModelError("its feature names are not strings")
    factors = tensors.get("factors")
    return _model(
        card,
        _vector(tensors["weights"], "weights"),
        None if names is None else tuple(names),
        None if factors is None else _vector(factors, "the scaling's factors"),
    )


def _check_card(card: Any) -> None:
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ModelError(f'it does not say "format": "{FORMAT}"')
    _check_version(card)
    for name, kind in (("recipe", str), ("parameters", dict), ("versions", dict), ("named", bool)):
        if not isinstance(card.get(name), kind):
            raise ModelError(f"its {name!r} is missing or of another type")
    for name in ("scaling", "data", "outcome", "missing"):
        if not isinstance(card.get(name), dict | None):
            raise ModelError(f"its {name!r} is of another type")
    card.setdefault("scaling", None)


def _check_version(card: Mapping[str, Any]) -> None:
    version = card.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelError("its version is not a positive whole number")
    if version > VERSION:
        raise ModelError(f"it has version {version}, from a newer Rankine; this one reads up to {VERSION}: upgrade")


def _indicators(card: Mapping[str, Any]) -> list[str]:
    """The features that have an indicator, by name."""
    found = (card.get("missing") or {}).get("indicators", [])
    if not (isinstance(found, list) and all(isinstance(name, str) for name in found)):
        raise ModelError("the 'indicators' of its 'missing' are not names of features")
    return found


def _filling(card: Mapping[str, Any], names: tuple[str, ...] | None, n_weights: int) -> Filling | None:
    missing = card.get("missing")
    if missing is None:
        return None
    value = _vector([missing.get("value")], "the value of its 'missing'")[0]
    if "indicators" not in missing:
        return Filling(float(value))
    indicators = _indicators(card)
    known = names or tuple(str(j + 1) for j in range(n_weights - len(indicators)))
    at = {name: j for j, name in enumerate(known)}
    if any(name not in at for name in indicators):
        raise ModelError("its 'missing' names features that have no weight")
    return Filling(float(value), np.array([at[name] for name in indicators], np.int64))


def _vector(values: Any, name: str) -> Vector:
    numeric = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    if not numeric and not (
        isinstance(values, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    ):
        raise ModelError(f"{name} are not numbers")
    try:
        vector = np.array(values, np.float64)
    except (OverflowError, ValueError):
        raise ModelError(f"{name} are not numbers of double precision") from None
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise ModelError(f"{name} are not all finite numbers")
    return vector


# What the fields of `DataSummary` and `Outcome` may hold.
_TYPES: dict[str, Any] = {"int": int, "float": int | float, "bool": bool, "str": str, "tuple[float, float]": tuple}


def _part(kind: Any, values: Mapping[str, Any] | None, name: str) -> Any:
    if values is None:
        return None
    try:
        part = kind(**values)
    except TypeError:
        raise ModelError(f"its {name!r} has missing or unknown entries") from None
    for entry in fields(kind):
        value, right = getattr(part, entry.name), _TYPES[str(entry.type)]
        if not isinstance(value, right) or (isinstance(value, bool) and right is not bool):
            raise ModelError(f"{entry.name!r} of its {name!r} is of another type")
    return part


def _model(card: Mapping[str, Any], weights: Vector, names: tuple[str, ...] | None, factors: Vector | None) -> Model:
    filling = _filling(card, names, len(weights))
    n_indicators = 0 if filling is None else filling.n_indicators
    if names is not None and len(names) + n_indicators != len(weights):
        raise ModelError(f"it has {len(weights)} weights but {len(names)} feature names")
    scaling = None
    if card["scaling"] is not None:
        if factors is None or len(factors) != len(weights) or not isinstance(card["scaling"].get("kind"), str):
            raise ModelError("its 'scaling' is incomplete")
        scaling = Scaling(card["scaling"]["kind"], factors)
    data = card.get("data")
    if data is not None and isinstance(data.get("labels"), list):
        data = {**data, "labels": tuple(_vector(data["labels"], "the labels of its 'data'").tolist())}
    return Model(
        weights,
        names,
        card["recipe"],
        card["parameters"],
        scaling,
        _part(DataSummary, data, "data"),
        _part(Outcome, card.get("outcome"), "outcome"),
        card["versions"],
        filling,
    )
