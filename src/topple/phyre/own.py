"""Templates of your own: a Python file anywhere, with one function in it."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from topple.phyre.authoring import Template, only_template
from topple.phyre.draft import TemplateError
from topple.phyre.templates import MODULES


def load_template(path: str | Path) -> Template:
    """Read the template that a Python file defines with ``@template``.

    The file is run, so load only files you trust.

    Raises:
        FileNotFoundError: There is no such file.
        TemplateError: The file defines no template, several, or one that takes
            the id of a published template.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no template file at {path}")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TemplateError(f"{path}: a template is a Python file, with a name that ends in .py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    template = only_template(vars(module), str(path))
    if template.id in MODULES:
        raise TemplateError(f"{path}: template {template.id} is published, choose another id")
    return template
