"""The verifiers' page as a stranger opens it: from a folder or from any web server, in a real browser, and nothing leaves it."""

import functools
import http.server
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.house.tree import ROOT

FOLDER = ROOT / "docs" / "verifiers"
EXAMPLE = FOLDER / "example.json"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = os.environ.get("FELTLOG_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
WORKS_IT_OUT_MS = 20_000

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser: install the package chromium, or name one in FELTLOG_BROWSER")


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Yield where the page is while a server on the loopback serves it."""
    handler = functools.partial(Silent, directory=str(FOLDER))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Opened:
    """The page in a browser, and all that it asked anybody for."""

    page: Page
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def verdict(self) -> tuple[str, str]:
        """Return the page's word and its sentence, as soon as it has made up its mind."""
        panel = self.page.locator("#verdict")
        self.page.wait_for_selector("#verdict[data-holds='yes'], #verdict[data-holds='no']", timeout=WORKS_IT_OUT_MS)
        return panel.get_attribute("data-holds") or "", self.page.locator("#said").inner_text()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that the machine has, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Opened]:
    """Yield the page, fresh."""
    context = browser.new_context(**options)
    page = context.new_page()
    found = Opened(page)
    page.on("request", lambda request: found.asked.append(request.url))
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("console", lambda message: found.errors.append(message.text) if message.type == "error" else None)
    page.goto(url)
    try:
        yield found
    finally:
        context.close()


@pytest.fixture(params=["folder", "server"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """The page, from a folder and from a web server."""
    if request.param == "folder":
        with opened(browser, (FOLDER / "index.html").as_uri()) as found:
            yield found
    else:
        with served() as url, opened(browser, url) as found:
            yield found


@pytest.fixture
def local(browser: Browser) -> Iterator[Opened]:
    """The page from its folder."""
    with opened(browser, (FOLDER / "index.html").as_uri()) as found:
        yield found


def bent(tmp_path: Path, **changed: Any) -> Path:
    """Return a copy of the example that says something else."""
    file = tmp_path / "bent.json"
    file.write_text(json.dumps(json.loads(EXAMPLE.read_text()) | changed))
    return file


def test_page_says_that_the_example_holds(page: Opened):
    """docs/shuffle.md: the same for a browser, which sends nothing anywhere."""
    page.page.set_input_files("#file", EXAMPLE)
    holds, said = page.verdict()
    asked = {url.rpartition("/")[2] for url in page.asked} - {"favicon.ico"}

    assert (holds, said.startswith("T1-S2 holds: 52 cards committed, cut by 2 players, "), page.errors) == ("yes", True, [])
    assert asked == {"index.html", "verify_shoe.js"}


def test_page_refuses_what_was_tampered_with(page: Opened, tmp_path: Path):
    """A card that lay elsewhere is named, in red and in words."""
    shoe = json.loads(EXAMPLE.read_text())
    one, other = [card for card in shoe["drawn"] if "card" in card][:2]
    one["card"], other["card"] = other["card"], one["card"]
    page.page.set_input_files("#file", bent(tmp_path, drawn=shoe["drawn"]))
    holds, said = page.verdict()

    assert (holds, f"Card {one['index']} was dealt as {one['card']}" in said, page.page.locator("#heading").inner_text()) == (
        "no",
        True,
        "✗ It does not hold",
    )


def test_page_takes_a_file_that_is_dropped(local: Opened):
    """A person drags the file onto the page."""
    data = local.page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'shoe.json')); return data; }", EXAMPLE.read_text()
    )
    local.page.dispatch_event("#drop", "drop", {"dataTransfer": data})

    assert local.verdict()[0] == "yes"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"#root": "ab" * 32}, "and you saw abab"),
        ({"#player": "ann", "#secret": "ff" * 32}, "was not cut by the secret that you name"),
    ],
)
def test_page_compares_with_what_somebody_wrote_down(local: Opened, typed: dict[str, str], said: str):
    """ADR 0018: whoever noted the root, or gave a secret, needs nobody's word for it."""
    local.page.set_input_files("#file", EXAMPLE)
    assert local.verdict()[0] == "yes"
    for place, text in typed.items():
        local.page.fill(place, text)
    local.page.locator("#root").focus()
    local.page.keyboard.press("Tab")
    local.page.wait_for_selector("#verdict[data-holds='no']", timeout=WORKS_IT_OUT_MS)

    assert said in local.verdict()[1]


def test_page_knows_the_secret_that_a_player_gave(local: Opened):
    """ADR 0018: one's own contribution is in the cut."""
    given = next(each for each in json.loads(EXAMPLE.read_text())["contributions"] if each["secret"])
    local.page.fill("#player", given["player"])
    local.page.fill("#secret", given["secret"])
    local.page.set_input_files("#file", EXAMPLE)

    assert local.verdict()[0] == "yes"


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"format": "feltlog shoe 1"}', "null"])
def test_page_says_what_is_no_shoe(local: Opened, text: str, tmp_path: Path):
    """Whatever is chosen: a sentence, and no error of the page's own."""
    file = tmp_path / "other.json"
    file.write_text(text)
    local.page.set_input_files("#file", file)
    holds, said = local.verdict()

    assert (holds, said.endswith("."), local.errors) == ("no", True, [])


def test_page_has_no_way_to_send_anything(local: Opened):
    """Its policy forbids it: neither the file nor a secret can leave, whatever a script wants."""
    sent = local.page.evaluate("() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")

    assert (sent, any("Content Security Policy" in error for error in local.errors)) == ("refused", True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_page_fits_every_screen(browser: Browser, scheme: str, width: int):
    """Nothing stands over the edge, by day and by night."""
    with opened(browser, (FOLDER / "index.html").as_uri(), color_scheme=scheme, viewport={"width": width, "height": 900}) as found:
        found.page.set_input_files("#file", EXAMPLE)
        found.verdict()
        wide = found.page.evaluate("() => document.documentElement.scrollWidth")
        bright = found.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        if folder := os.environ.get("FELTLOG_SCREENSHOTS"):
            found.page.screenshot(path=Path(folder) / f"verifier-{scheme}-{width}.png", full_page=True)

    assert (wide <= width, bright) == (True, {"light": "rgb(251, 250, 246)", "dark": "rgb(20, 26, 23)"}[scheme])
