"""Blocks: the runner of documents notices when a document is wrong."""

import pytest

from tests.house.documents import Block, blocks, run


def _block(language: str, code: str) -> Block:
    return Block("here", language, code, "here")


@pytest.mark.parametrize(
    "block",
    [
        _block("python", ">>> 1 + 1\n2\n"),
        _block("python", "assert 1 + 1 == 2\n"),
        _block("console", "$ echo one two\none ...\n$ echo three\nthree\n"),
    ],
)
def test_block_that_tells_the_truth_differs_in_nothing(block):
    """Prompts, plain code and commands are all understood; dots stand for anything."""
    assert run(block) == []


@pytest.mark.parametrize(
    "block",
    [
        _block("python", ">>> 1 + 1\n3\n"),
        _block("python", "assert 1 + 1 == 3\n"),
        _block("console", "$ echo one\ntwo\n"),
        _block("console", "$ exit 3\n"),
    ],
)
def test_block_that_does_not_tell_the_truth_is_reported_once(block):
    """A wrong value, a broken assertion, another output and a failing command are all seen."""
    assert len(run(block)) == 1


def test_block_stands_where_its_comment_says(tmp_path, monkeypatch):
    """A block without a comment is run here, one with a comment where the comment says."""
    monkeypatch.setattr("tests.house.documents.name_of", lambda path: path.name)
    document = tmp_path / "page.md"
    document.write_text("```python\n1\n```\n\n<!-- run: ci -->\n```console\n$ make demo\n```\n\n```text\nno\n```\n")

    assert [(block.name, block.where) for where in ("here", "ci") for block in blocks(document, where)] == [
        ("page.md:1", "here"),
        ("page.md:6", "ci"),
    ]
