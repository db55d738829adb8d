"""Tests a notebook in JupyterLab in a headless Chromium; see scripts/lab --help.

It works on a copy of the notebook's folder, from which all outputs are removed:
what the browser shows in the end was computed by this run. A second notebook, made
here, has what needs somebody at the screen: a slider that is moved, a fit that is
watched and one that is interrupted, and a path that is wrong.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import ConsoleMessage, Page, Request, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
START_SECONDS = 120
RUN_SECONDS = 600

SETTINGS = {
    # All cells are in the page, however far from the visible ones.
    "notebook-extension/tracker": '{"windowingMode": "none"}',
    # No question whether to fetch news.
    "apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
}

KERNEL_CONNECTED = """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session
    ?.kernel?.connectionStatus === 'connected'"""

# Run-all before the kernel is connected would open a dialog and wait for it.
RUN_ALL = """() => {
    window.ended = false;
    jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.ended = true; });
}"""

CODE_CELLS = """() => jupyterapp.shell.currentWidget.content.widgets
    .map(cell => cell.model)
    .map((model, index) => ({model, index}))
    .filter(({model}) => model.type === 'code' && model.sharedModel.source.trim() !== '')
    .map(({model, index}) => ({index, count: model.executionCount, outputs: model.outputs.toJSON()}))"""

PICTURES = """() => [...document.querySelectorAll('.jp-OutputArea-output img')]
    .filter(picture => picture.complete && picture.naturalWidth > 100).length"""

HEIGHT = """() => {
    const cells = jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.node.getBoundingClientRect());
    return Math.ceil(cells.at(-1).bottom - cells[0].top);
}"""

# The pictures of the slider and its caption before and after it is moved to its first
# picture, as by the key Home.
MOVE_SLIDERS = """() => [...document.querySelectorAll('.jp-OutputArea-output figure input[type=range]')].map(slider => {
    const figure = slider.closest('figure');
    const state = () => [figure.querySelector('img').src, figure.querySelector('output').textContent];
    const before = state();
    slider.value = slider.min;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    const after = state();
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    return [before, after, state()];
})"""

RUN_CELL = """async index => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = index;
    notebook.scrollToCell?.(notebook.widgets[index]);
    await notebook.widgets[index].ready;
    notebook.deselectAll();
    window.ended = false;
    jupyterapp.commands.execute('notebook:run-cell').finally(() => { window.ended = true; });
}"""

INTERRUPT = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"

# The pictures below a cell, as addresses; the text; and the outputs.
BELOW = """async index => {
    const cell = jupyterapp.shell.currentWidget.content.widgets[index];
    await cell.ready;
    const area = cell.outputArea.node;
    return {
        pictures: [...area.querySelectorAll('img')].map(picture => picture.src),
        text: area.textContent,
        red: [...area.querySelectorAll('div[style*=color]')].map(line => [line.textContent, getComputedStyle(line).color]),
        outputs: cell.model.outputs.toJSON(),
    };
}"""

THEME = "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})"

IMPORTS = """import (
	"fmt"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/laboratory/notebook"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// fit separates the heart by a flow, in so many iterations, and shows it.
func fit(iterations int) {
	_, mixed, err := experiment.Problem{Data: experiment.Heart, Mixing: experiment.MatrixMixing, Seed: 1}.Draw()
	notebook.Check(err)
	draw := func(z *mat.Dense) (*plot.Picture, error) {
		return plot.Scatter(0, 1, plot.Group{Method: plot.Default, Signals: z})
	}
	cfg := sica.FastWGF()
	cfg.Backend = notebook.Must(backend.Open(backend.Auto))
	cfg.Flow.Iterations = iterations
	live := notebook.NewLive(cfg.Flow.Iterations, draw)
	var slider notebook.Slider
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
		live.Iteration(it.J, it.Divergence, it.Z)
		if it.J <= 4 {
			p, err := draw(it.Z)
			slider.Add(fmt.Sprint("iteration ", it.J), p, err)
		}
	}
	result := notebook.Kept(sica.Fit(notebook.Context(), mixed.X(), cfg))
	fmt.Println("ended:", result.Stopped, "with signals:", result.Z != nil, "after all:", result.Iterations == iterations)
	slider.Show()
}"""
WRONG = "no such folder/mixed.csv"
INTERACTION = [IMPORTS, "%%\nfit(60)", "%%\nfit(100000)", f'%%\nnotebook.Must(os.ReadFile("{WRONG}"))', '%%\nfmt.Println("goes on")']

TO_TOP = "() => jupyterapp.shell.currentWidget.content.widgets[0].node.scrollIntoView()"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/lab --browser", description="Tests a notebook in JupyterLab in a headless Chromium.")
    parser.add_argument("notebook", nargs="?", type=Path, default=ROOT / "notebooks" / "real_images.ipynb", metavar="NOTEBOOK")
    notebook = parser.parse_args().notebook
    if not notebook.is_file():
        parser.error(f"no notebook {notebook}")
    screenshots = ROOT / "out" / "browser"
    screenshots.mkdir(parents=True, exist_ok=True)

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="browser.", dir=ROOT / ".setup") as work, sync_playwright() as playwright:
        folder = Path(work, "notebooks")
        shutil.copytree(notebook.parent, folder, ignore=shutil.ignore_patterns("out"))
        remove_outputs(folder / notebook.name)
        with jupyterlab(folder, Path(work, "settings")) as (url, token):
            chromium = playwright.chromium.launch(
                executable_path=next(filter(None, map(shutil.which, BROWSERS))),
                args=["--disable-gpu"],
                env={**os.environ, "HOME": work},
            )
            page = chromium.new_page(viewport={"width": 1400, "height": 1000})
            said = listen(page, url)
            page.goto(f"{url}/lab/tree/{notebook.name}?token={token}")
            try:
                run_all(page)
                problems = check(page) + check_sliders(page)
            finally:
                photograph(page, screenshots, notebook.stem)

            cells = [nbformat.v4.new_code_cell(source) for source in INTERACTION]
            kernel = nbformat.read(notebook, as_version=4).metadata.kernelspec
            nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "interaction.ipynb")
            page.close()
            page = chromium.new_page(viewport={"width": 1400, "height": 1000})
            said += listen(page, url)
            page.goto(f"{url}/lab/tree/interaction.ipynb?token={token}&reset")  # without the first one
            try:
                problems += interact(page)
            finally:
                photograph(page, screenshots, "interaction")
            problems += said
            chromium.close()

    for problem in problems:
        print(f"lab: {notebook}: {problem}", file=sys.stderr)
    print(f"{notebook}: {time.monotonic() - began:.1f} s in JupyterLab, screenshots in {os.path.relpath(screenshots)}")
    return 1 if problems else 0


def listen(page: Page, url: str) -> list[str]:
    """What the page will say in its console as an error, and fetch from elsewhere."""
    said: list[str] = []

    def console(message: ConsoleMessage) -> None:
        if message.type == "error":
            said.append(f"an error in the console: {message.text}")

    def request(request: Request) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            said.append(f"the page asks for {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: said.append(f"an error on the page: {error}"))
    page.on("request", request)
    return said


def photograph(page: Page, folder: Path, name: str) -> None:
    """The whole page in the light theme on a wide screen, and in the dark one on a narrow."""
    for theme, width in (("Light", 1400), ("Dark", 900)):
        page.evaluate(THEME, f"JupyterLab {theme}")
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_timeout(1000)
        page.set_viewport_size({"width": width, "height": min(page.evaluate(HEIGHT) + 200, 16000)})
        page.evaluate(TO_TOP)
        page.wait_for_timeout(500)
        page.screenshot(path=folder / f"{name}-{theme.lower()}-{width}.png")


def check_sliders(page: Page) -> list[str]:
    """Each slider changes picture and caption, and changes them back."""
    problems = []
    for n, (before, after, again) in enumerate(page.evaluate(MOVE_SLIDERS)):
        if before[0] == after[0] or before[1] == after[1]:
            problems.append(f"slider {n + 1} changes nothing")
        if again != before:
            problems.append(f"slider {n + 1} doesn't come back to its last picture")
    return problems


def interact(page: Page) -> list[str]:
    """What is wrong with what the notebook INTERACTION does under somebody's hands."""
    problems = []
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.path === 'interaction.ipynb'", timeout=START_SECONDS * 1000)
    page.wait_for_function(KERNEL_CONNECTED, timeout=START_SECONDS * 1000)

    def run(index: int) -> None:
        page.evaluate(RUN_CELL, index)

    def ended() -> dict[str, Any]:
        page.wait_for_function("() => window.ended", timeout=RUN_SECONDS * 1000)
        page.wait_for_timeout(1000)  # Markdown is drawn a little later
        return page.evaluate(BELOW, index)

    index = 0
    run(index)
    ended()

    index = 1
    run(index)
    pictures: set[str] = set()
    while not page.evaluate("() => window.ended"):
        pictures.update(page.evaluate(BELOW, index)["pictures"][:1])
        page.wait_for_timeout(50)
    if len(pictures) < 3:
        problems.append(f"a fit of 60 iterations showed {len(pictures)} pictures while it ran, want 3 or more")
    if "ended: iterations with signals: true after all: true" not in ended()["text"]:
        problems.append("a fit of 60 iterations didn't end")
    if len(page.evaluate(MOVE_SLIDERS)) != 1:
        problems.append("it has no slider")
    problems += check_sliders(page)

    index = 2
    run(index)
    deadline = time.monotonic() + RUN_SECONDS
    while not page.evaluate(BELOW, index)["pictures"] and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    page.evaluate(INTERRUPT)
    below = ended()
    if "Interrupted" not in below["text"] or "ended: cancelled with signals: true after all: false" not in below["text"]:
        problems.append(f"an interrupted fit doesn't keep its result: {below['text']}")
    if any(output["output_type"] == "error" for output in below["outputs"]):
        problems.append("an interrupted fit ends with an error")

    index = 3
    run(index)
    below = ended()
    lines = [text for text, color in below["red"] if WRONG in text and "\n" not in text and color not in ("rgb(0, 0, 0)", "rgb(255, 255, 255)")]
    if len(lines) != 1 or below["text"].count(WRONG) != 1 or "goroutine" in below["text"]:
        problems.append(f"a wrong path isn't one red line: {below['red']}, {below['text']}")
    if not any(output["output_type"] == "error" for output in below["outputs"]):
        problems.append("a wrong path isn't an error, so that running the notebook without a person would go on")

    index = 4
    run(index)
    if "goes on" not in ended()["text"]:
        problems.append("the kernel doesn't go on after an error")
    return problems


def remove_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, path)


@contextmanager
def jupyterlab(folder: Path, settings: Path) -> Iterator[tuple[str, str]]:
    """A JupyterLab on folder, its address and its token."""
    for name, text in SETTINGS.items():
        file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex()
    log = tempfile.TemporaryFile("w+")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--expose-app-in-browser"),
            *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", f"--notebook-dir={folder}"),
        ],
        env={**os.environ, "JUPYTER_TOKEN": token, "JUPYTERLAB_SETTINGS_DIR": str(settings), "JUPYTERLAB_WORKSPACES_DIR": str(settings)},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/api?token={token}", server)
        yield url, token
    except BaseException:
        log.seek(0)
        print(log.read(), file=sys.stderr)
        raise
    finally:
        server.terminate()  # which stops its kernels
        server.wait()


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(url).close()
            return
        except urllib.error.URLError:
            if server.poll() is not None:
                raise RuntimeError("JupyterLab ended")
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def run_all(page: Page) -> None:
    page.wait_for_function(KERNEL_CONNECTED, timeout=START_SECONDS * 1000)
    page.evaluate(RUN_ALL)
    page.wait_for_function("() => window.ended", timeout=RUN_SECONDS * 1000)


def check(page: Page) -> list[str]:
    """What is wrong with the notebook that has run."""
    problems = []
    cells: list[dict[str, Any]] = page.evaluate(CODE_CELLS)
    for cell in cells:
        if cell["count"] is None:
            problems.append(f"cell {cell['index'] + 1} did not run")
        problems += [
            f"cell {cell['index'] + 1} failed: {output['evalue']}" for output in cell["outputs"] if output["output_type"] == "error"
        ]
    if not page.evaluate(PICTURES):
        problems.append("no picture is shown")
    return problems


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stops JupyterLab too
    sys.exit(main())
