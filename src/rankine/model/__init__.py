"""What a fit leaves: weights with names, scaling and provenance; saved as JSON or safetensors, never as a pickle."""

from rankine.model.file import ModelError, load, load_all, save_all
from rankine.model.model import DataSummary, Model, Outcome, Scaling

__all__ = ["DataSummary", "Model", "ModelError", "Outcome", "Scaling", "load", "load_all", "save_all"]
