"""A pipe whose reader has left: what was to be told is cut short, and that is no finding."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [["rules", "show", "floor"], ["rules", "list"], ["--help"]])
def test_reader_who_leaves_ends_a_command_before_its_end(words: list[str]):
    """As behind `head`: exit status 130, which is never taken for something found, and nothing on standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "feltlog", *words]
        ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)

    assert (ended.returncode, ended.stderr) == (130, "")
