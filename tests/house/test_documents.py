"""Documents: what they point to exists, what they quote runs, and none says where it was written."""

import re
from pathlib import Path

import pytest

from tests.house import tree
from tests.house.documents import Block, blocks, run

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
ELSEWHERE = re.compile(r"[a-z]+:")
RUN = tuple(tree.ROOT / name for name in ("README.md", "ARCHITECTURE.md", "docs/scenarios.md"))
# Taken apart, so that this file does not contain what it looks for.
HOSTS = tuple(name + end for name, end in [("pypi", ".org"), ("pythonhosted", ".org"), ("npmjs", ".org"), ("deb.debian", ".org")])
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.$}/])/(?:home|Users|wor" + r"k)/\w+")


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def _leads_nowhere(document: Path, target: str) -> bool:
    file, _, anchor = target.partition("#")
    path = document.parent / file if file else document
    return not path.exists() or (path.suffix == ".md" and bool(anchor) and anchor not in _anchors(path))


def _matches(path: Path) -> list[str]:
    text = path.read_text(errors="replace")
    return [host for host in HOSTS if host in text] + SOMEBODYS_FOLDER.findall(text)


@pytest.mark.parametrize("document", tree.documents(), ids=tree.name_of)
def test_relative_links_resolve(document):
    """A link inside the project leads to a file, and to a heading if it names one."""
    targets = [match["target"] for match in LINK.finditer(FENCE.sub("", document.read_text()))]

    assert [target for target in targets if not ELSEWHERE.match(target) and _leads_nowhere(document, target)] == []


@pytest.mark.parametrize("block", [block for path in RUN for block in blocks(path)], ids=lambda block: block.name)
def test_code_block_does_what_the_document_says(block: Block):
    """Whoever types what the document shows sees what it shows."""
    assert run(block) == []


@pytest.mark.parametrize("block", [block for path in RUN for block in blocks(path, "ci")], ids=lambda block: block.name)
def test_long_command_of_a_document_is_a_step_of_the_integration_run(block: Block):
    """A command that takes minutes is not run here, but it is run before anything lands."""
    steps = re.findall(r"^step (.+)$", (tree.ROOT / ".ci" / "run").read_text(), re.MULTILINE)

    assert [command for command, _ in block.commands if command not in steps] == []


def test_nothing_committed_names_a_package_index_or_a_folder_of_one_machine():
    """The project is the same wherever it is cloned, and installs from whatever index its user trusts."""
    found = {tree.name_of(path): matches for path in tree.kept_files() if (matches := _matches(path))}

    assert found == {}
