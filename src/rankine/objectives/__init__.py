"""Objectives: what solvers minimise, made of rows × loss × penalty."""

from rankine.objectives.box import Box
from rankine.objectives.objective import Curve, Matrix, Objective, Point, Restriction
from rankine.objectives.pairwise import LOSSES, Pairwise
from rankine.objectives.penalty import L2
from rankine.objectives.preferred import preferred
from rankine.objectives.rescaled import Rescaled
from rankine.objectives.sample import sampled
from rankine.objectives.sum import Sum

__all__ = [
    "L2",
    "LOSSES",
    "Box",
    "Curve",
    "Matrix",
    "Objective",
    "Pairwise",
    "Point",
    "Rescaled",
    "Restriction",
    "Sum",
    "preferred",
    "sampled",
]
