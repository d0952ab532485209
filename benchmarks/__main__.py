"""`python -m benchmarks [NAME …]` runs some benchmarks, all by default."""

import importlib
import pkgutil
import sys

import benchmarks

names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_"))
for name in sys.argv[1:] or names:
    if name not in names:
        sys.exit(f"no benchmark is named {name!r}; there are: {', '.join(names)}")
    print(f"# {name}", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
