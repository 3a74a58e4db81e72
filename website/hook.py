"""Hooks that MkDocs calls while it builds the site: they make pages, order them and fix links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from command_pages import command_page
from environment_pages import INDEX as ENVIRONMENTS
from environment_pages import environment_index, environment_nav, environment_pages
from facts import FILE, best_plans
from game_pages import INDEX as GAMES
from game_pages import game_index, game_nav, game_pages
from names import link_names
from nav import site_nav
from pages import Pictures
from player_pages import player_page
from reference_pages import INDEX as REFERENCE
from reference_pages import reference_index, reference_nav, reference_pages
from repository import Repository, repository_address
from template_pages import INDEX as TEMPLATES
from template_pages import template_index, template_nav, template_pages
from topple.iphyre.analysis.store import read_json

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "site-pictures"
ICON = ROOT / "src" / "topple" / "player" / "static" / "icon.svg"
MARK = "<!-- pages -->"  # place of an index in a page that is written by hand
FACTS: dict[str, Any] = read_json(FILE)
INDEXES = {
    ENVIRONMENTS: environment_index,
    TEMPLATES: template_index,
    GAMES: lambda: game_index(FACTS),
    REFERENCE: reference_index,
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation."""
    puzzles = [
        {"PHYRE templates": [TEMPLATES, *template_nav()]},
        {"I-PHYRE games": [GAMES, *game_nav()]},
    ]
    environments = [ENVIRONMENTS, *environment_nav()]
    config.nav = site_nav(Path(config.docs_dir), environments, puzzles, reference_nav())
    config.repo_url = repository_address(ROOT)
    config.repo_name = "Repository"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that are made from the package."""
    pictures = Pictures(CACHE)
    best = best_plans(FACTS)
    made = [
        *environment_pages(FACTS, best, pictures),
        *template_pages(FACTS, pictures),
        *game_pages(FACTS, best, pictures),
        *reference_pages(),
        command_page(),
        player_page(),
    ]
    for page in made:
        files.append(File.generated(config, page.uri, content=page.text))
    for uri, path in pictures.files.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    files.append(File.generated(config, "assets/icon.svg", abs_src_path=str(ICON)))
    repository = Repository(ROOT, Path(config.docs_dir))
    for file in files.documentation_pages():
        repository.rewrite(file.src_uri, file.content_string)
    for page in repository.pages():
        outside = File.generated(config, page.uri, content=page.text)
        outside.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(outside)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Insert the indexes, and point links out of docs/ to pages of the site."""
    uri = page.file.src_uri
    if uri in INDEXES:
        markdown = markdown.replace(MARK, INDEXES[uri]())
    if page.file.generated_by:
        return markdown
    return link_names(Repository(ROOT, Path(config.docs_dir)).rewrite(uri, markdown))
