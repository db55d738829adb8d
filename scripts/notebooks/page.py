"""Tests a page of sica inspect --html in a headless Chromium; see scripts/lab --help.

It separates the shipped ECG, opens its page, ticks components, moves in time, and
removes what was ticked by the file that the page saves: the channels must be those
that the page showed.
"""

from __future__ import annotations

import csv
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import BROWSERS, listen
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
OPEN_SECONDS = 10  # two on an idle core, even of 64 channels at 100,000 positions
TICKED = (2, 5)

DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
PICTURE = "id => document.getElementById(id).toDataURL()"
VIEW = "() => [shown.view.begin, shown.view.span]"
CLEANED = "channels => channels.map((_, c) => [...shown.cleaned(c)])"
CUT = """() => [...document.querySelectorAll("canvas.trace")].flatMap((trace, k) => {
  const {width, height} = trace, context = trace.getContext("2d");
  const row = y => context.getImageData(0, y, width, 1).data;
  return [row(0), row(height - 1)].some(pixels => pixels.some(v => v > 0)) ? [k + 1] : [];
})"""
OVERFLOW = "() => document.documentElement.scrollWidth - window.innerWidth"


def main() -> int:
    screenshots = ROOT / "out" / "browser"
    screenshots.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="page.", dir=ROOT / ".setup") as work, sync_playwright() as playwright:
        folder = Path(work)
        (folder / "ecg.csv").write_bytes(gzip.decompress((ROOT / "datasets/recordings/ecg.csv.gz").read_bytes()))
        sica(folder, "separate", "--in", "ecg.csv", "--out", "components.csv", "--save", "model")
        sica(folder, "inspect", "--in", "ecg.csv", "--model", "model", "--html", "ecg.html", "--reference", "1")
        chromium = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS))),
            args=["--disable-gpu"],
            env={**os.environ, "HOME": work},
        )
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        problems = listen(page, folder.as_uri())
        opened = time.monotonic()
        page.goto((folder / "ecg.html").as_uri())
        page.evaluate(DRAWN)
        seconds = time.monotonic() - opened
        if seconds > OPEN_SECONDS:
            problems.append(f"it opens in {seconds:.1f} s, want less than {OPEN_SECONDS}")
        try:
            if page.evaluate("() => window.shown === undefined"):
                problems.append("its script doesn't end")
            else:
                problems += look(page) + tick(page) + move(page) + remove(page, folder)
        finally:
            problems += photograph(page, screenshots)
        chromium.close()
    for problem in problems:
        print(f"lab: a page of components: {problem}", file=sys.stderr)
    tested = time.monotonic() - began
    print(f"a page of components: opened in {seconds:.1f} s, tested in {tested:.1f} s, screenshots in {os.path.relpath(screenshots)}")
    return 1 if problems else 0


def sica(folder: Path, *arguments: str) -> str:
    return subprocess.run([ROOT / "bin" / "sica", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def look(page: Page) -> list[str]:
    """Proposed components come first, each part by number; no trace is cut off."""
    problems = []
    cards = [card.inner_text().split() for card in page.locator(".card").all()]
    order = [("proposed" not in words, int(words[0])) for words in cards]
    if order != sorted(order) or all(others for others, _ in order) or not order[-1][0]:
        problems.append(f"the components are in the order {order}, want some that are proposed, then the others")
    cut = page.evaluate(CUT)
    if cut:
        problems.append(f"traces {cut} are cut off")
    return problems


def tick(page: Page) -> list[str]:
    """The traces change with what is ticked, and come back; the command has it."""
    problems = []
    before = page.evaluate(PICTURE, "traces")
    if page.locator("#command").is_visible():
        problems.append("there is a command before a component is ticked")
    for number in TICKED:
        page.get_by_label(f"Remove component {number}", exact=True).check()
    page.evaluate(DRAWN)
    if page.evaluate(PICTURE, "traces") == before:
        problems.append("ticked components don't change the traces")
    want = "sica remove --model model --in ecg.csv --out ecg-clean.csv --components " + ",".join(map(str, TICKED))
    if page.locator("#command").inner_text() != want:
        problems.append(f"the command is {page.locator('#command').inner_text()!r}, want {want!r}")
    for number in TICKED:
        page.get_by_label(f"Remove component {number}", exact=True).uncheck()
    page.evaluate(DRAWN)
    if page.evaluate(PICTURE, "traces").split(",")[1] != before.split(",")[1]:
        problems.append("the traces don't come back")
    for number in TICKED:
        page.get_by_label(f"Remove component {number}", exact=True).check()
    return problems


def move(page: Page) -> list[str]:
    """Keys, buttons, the wheel, dragging and the slider change the stretch and the axis."""
    problems = []
    page.evaluate(DRAWN)
    stage = page.locator("#stage")
    box = stage.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def drag() -> None:
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] - 100, middle[1])
        page.mouse.up()

    def wheel(key: str, by: float) -> None:
        page.mouse.move(*middle)
        page.keyboard.down(key)
        page.mouse.wheel(0, by)
        page.keyboard.up(key)
        page.wait_for_timeout(100)

    for name, act in (
        ("the key +", lambda: stage.press("+")),
        ("the key →", lambda: stage.press("ArrowRight")),
        ("Earlier", lambda: page.get_by_label("Earlier").click()),
        ("Shorter stretch", lambda: page.get_by_label("Shorter stretch").click()),
        ("dragging", drag),
        ("the wheel with Shift", lambda: wheel("Shift", 100)),
        ("the wheel with Control", lambda: wheel("Control", -100)),
        ("the slider", lambda: page.locator("#where").fill("3000")),
        ("All", lambda: page.get_by_role("button", name="All").click()),
    ):
        before = page.evaluate(VIEW), page.evaluate(PICTURE, "axis"), page.locator("#where").get_attribute("aria-valuetext")
        act()
        page.evaluate(DRAWN)
        after = page.evaluate(VIEW), page.evaluate(PICTURE, "axis"), page.locator("#where").get_attribute("aria-valuetext")
        if any(a == b for a, b in zip(before, after)):
            problems.append(f"{name} doesn't change time: {before[0]}, {before[2]}, then {after[0]}, {after[2]}")
    if page.evaluate(VIEW) != [0, 10000]:
        problems.append(f"All shows {page.evaluate(VIEW)}, want all 10000 positions")
    before = page.evaluate(PICTURE, "traces")
    page.get_by_role("button", name="Components").click()
    page.evaluate(DRAWN)
    if page.evaluate(PICTURE, "traces") == before:
        problems.append("the traces of components are those of channels")
    page.get_by_role("button", name="Channels").click()
    return problems


def remove(page: Page, folder: Path) -> list[str]:
    """The file that the page saves removes what the page shows."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Download selection").click()
    download.value.save_as(folder / "selection.json")
    said = sica(folder, "remove", "--in", "ecg.csv", "--model", "model", "--out", "clean.csv", "--selection", "selection.json")
    problems = []
    if "as ticked for ecg.csv" not in said:
        problems.append(f"sica remove says {said!r}")
    with open(folder / "clean.csv", newline="") as file:
        names, *rows = csv.reader(file)
    columns = [[float(v) for v in column] for column in zip(*rows)][1:]  # without the times
    for name, column, shown in zip(names[1:], columns, page.evaluate(CLEANED, names[1:])):
        mean, mean_shown = sum(column) / len(column), sum(shown) / len(shown)
        worst = max(abs(a - mean - b + mean_shown) for a, b in zip(column, shown))
        if worst > 1e-3 * (max(column) - min(column)):
            problems.append(f"channel {name} differs by {worst:.2g} from what the page shows")
    return problems


def photograph(page: Page, folder: Path) -> list[str]:
    """The page in both themes, on a wide screen and on a phone, where nothing is wider than that."""
    problems = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width in (1400, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(DRAWN)
            page.screenshot(path=folder / f"components-{theme}-{width}.png")
            if page.evaluate(OVERFLOW) > 0:
                problems.append(f"it is {page.evaluate(OVERFLOW)} pixels wider than a screen of {width}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
