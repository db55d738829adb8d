"""Tests a notebook in JupyterLab in a headless Chromium; see scripts/lab --help.

It works on a copy of the notebook's folder, from which all outputs are removed:
what the browser shows in the end was computed by this run.
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
from playwright.sync_api import Page, sync_playwright

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

TO_TOP = "() => jupyterapp.shell.currentWidget.content.widgets[0].node.scrollIntoView()"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/lab --browser", description="Tests a notebook in JupyterLab in a headless Chromium.")
    parser.add_argument("notebook", nargs="?", type=Path, default=ROOT / "notebooks" / "fig1_heart.ipynb", metavar="NOTEBOOK")
    notebook = parser.parse_args().notebook
    if not notebook.is_file():
        parser.error(f"no notebook {notebook}")
    screenshot = ROOT / "out" / "browser" / f"{notebook.stem}.png"
    screenshot.parent.mkdir(parents=True, exist_ok=True)

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="browser.", dir=ROOT / ".setup") as work, sync_playwright() as playwright:
        folder = Path(work, "notebooks")
        shutil.copytree(notebook.parent, folder)
        for beside in ("bin", "scripts"):  # which notebooks call
            Path(work, beside).symlink_to(ROOT / beside)
        remove_outputs(folder / notebook.name)
        with jupyterlab(folder, Path(work, "settings")) as (url, token):
            chromium = playwright.chromium.launch(
                executable_path=next(filter(None, map(shutil.which, BROWSERS))),
                args=["--disable-gpu"],
                env={**os.environ, "HOME": work},
            )
            page = chromium.new_page(viewport={"width": 1400, "height": 1000})
            page.goto(f"{url}/lab/tree/{notebook.name}?token={token}")
            try:
                run_all(page)
                problems = check(page)
            finally:
                page.set_viewport_size({"width": 1400, "height": min(page.evaluate(HEIGHT) + 200, 10000)})
                page.evaluate(TO_TOP)
                page.screenshot(path=screenshot)
            chromium.close()

    for problem in problems:
        print(f"lab: {notebook}: {problem}", file=sys.stderr)
    print(f"{notebook}: {time.monotonic() - began:.1f} s in JupyterLab, screenshot in {os.path.relpath(screenshot)}")
    return 1 if problems else 0


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
