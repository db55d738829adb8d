"""Executes notebooks without a browser; see scripts/lab --help."""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import os
import re
import resource
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/lab --execute", description="Executes notebooks without a browser.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write copies into this folder, and leave the notebooks as they are")
    parser.add_argument("--quick", action="store_true", help="give cells the flags that their metadata name quick, for smaller problems, and join cells to one program; needs --out")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="execute so many notebooks at a time, each in a process of its own")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="default: all in the folder notebooks")
    arguments = parser.parse_args()

    if arguments.quick and not arguments.out:
        parser.error("--quick needs --out: the notebooks have the outputs of the whole problems")
    notebooks = arguments.notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    missing = [path for path in notebooks if not path.is_file()]
    if missing or not notebooks:
        parser.error(f"{missing[0]}: no such file; must be a path, such as notebooks/nonlinear.ipynb" if missing else f"no notebooks in {NOTEBOOKS}")

    if arguments.jobs > 1 and len(notebooks) > 1:
        return side_by_side(notebooks, arguments)
    return 0 if all([one(path, arguments) for path in notebooks]) else 1


def one(path: Path, arguments: argparse.Namespace) -> bool:
    """Executes a notebook and writes it. Says whether all its cells ran."""
    began = time.monotonic()
    notebook = nbformat.read(path, as_version=4)
    if arguments.quick:
        quicken(notebook)
        join(notebook)
    cells: list[Seconds] = []
    processor = processor_seconds()
    if error := execute(notebook, path.parent, cells):
        print(f"lab: {os.path.relpath(path)}: {error}", file=sys.stderr, flush=True)
        return False
    target = (arguments.out or path.parent) / path.name
    write(notebook, target)
    print(f"{os.path.relpath(path)}: wrote {os.path.relpath(target)}; {time.monotonic() - began:.1f} s, {processor_seconds() - processor:.0f} s of a processor; {in_words(cells)}", flush=True)
    return True


def length_of_code(path: Path) -> int:
    return sum(len(cell.source) for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def side_by_side(notebooks: list[Path], arguments: argparse.Namespace) -> int:
    """Executes each notebook in a process of its own, so many at a time, those with most code
    first. If it is interrupted it stops them."""
    context = multiprocessing.get_context("fork")  # Jupyter's modules take a second to import
    waiting = sorted(notebooks, key=length_of_code)
    running: list[multiprocessing.process.BaseProcess] = []
    failed = 0
    try:
        while waiting or running:
            while waiting and len(running) < arguments.jobs:
                running.append(context.Process(target=lambda path=waiting.pop(): sys.exit(not one(path, arguments))))
                running[-1].start()
            multiprocessing.connection.wait([process.sentinel for process in running])  # until one has ended
            codes = [process.exitcode for process in running]  # read once, as it can change
            failed += sum(bool(code) for code in codes)
            running = [process for process, code in zip(running, codes) if code is None]
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.join()
    return 1 if failed else 0


# What a cell declares, and the line before its main program, with the program's flags.
DECLARED = re.compile(r"^(?:func|type|var|const) (\w+)", re.MULTILINE)
MAIN = re.compile(r"^%%(.*)\n", re.MULTILINE)


def quicken(notebook: nbformat.NotebookNode) -> None:
    """Gives each cell the flags that its metadata name quick, if any, in place of its own. If
    quick is a list, it has pairs of a text and what takes its place."""
    for cell in notebook.cells:
        quick = cell.metadata.get("quick")
        if not quick:
            continue
        if isinstance(quick, str):
            main = MAIN.search(cell.source)
            quick = [(main[0] if main else "%%", f"%% {quick}\n")]
        for text, other in quick:
            if (found := cell.source.count(text)) != 1:
                raise ValueError(f"a cell with quick, {quick}, has {text!r} {found} times; want it once")
            cell.source = cell.source.replace(text, other)


def join(notebook: nbformat.NotebookNode) -> None:
    """Joins successive cells to one program, in the last of them, where that is the same:
    each is linked for a second, and compiles anew for XLA. Each keeps a scope of its own. Cells
    with flags, with commands of a shell and with imports stay as they are, as do those that
    declare what an earlier one of the program does."""
    group: list[nbformat.NotebookNode] = []
    names: set[str] = set()

    def end() -> None:
        if len(group) > 1:
            declarations, bodies = [], []
            for cell in group:
                before, *main = MAIN.split(cell.source, maxsplit=1)
                declarations.append(before)
                bodies += ["func() {\n" + text + "\n}()" for text in main[1:]]
                cell.source = ""
            group[-1].source = "\n".join([*declarations, "%%", *bodies])
        group.clear()
        names.clear()

    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        main = MAIN.search(cell.source)
        declared = set(DECLARED.findall(cell.source[: main.start()] if main else cell.source))
        alone = re.search(r"^(!|%(?!%)|import\b)", cell.source, re.MULTILINE) or main and main[1].strip()
        if alone or declared & names:
            end()
        if not alone:
            group.append(cell)
            names |= declared
    end()


def processor_seconds() -> float:
    """What the kernels that have ended, and what they ran, took of the processors. It
    depends little on what else runs on the machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Seconds:
    """How long a cell of code took to its first output, if it has any, and in all."""

    first: float | None
    all: float


def in_words(cells: list[Seconds]) -> str:
    """How long the cells took. The first one that has an output is cold: it compiles
    what was not compiled yet."""
    shown = [cell.first for cell in cells if cell.first is not None]
    longest = max(range(len(cells)), key=lambda index: cells[index].all)
    words = f"the longest cell (the {longest + 1}. of code) {cells[longest].all:.1f} s"
    if len(shown) > 1:
        words = f"first output after {shown[0]:.1f} s, of the later cells after {statistics.median(shown[1:]):.1f} s in the median; " + words
    return words


class Client(NotebookClient):
    """A client that says when the cell that is running had its first output."""

    first: float | None = None

    def process_message(self, msg: dict[str, Any], cell: nbformat.NotebookNode, cell_index: int) -> nbformat.NotebookNode | None:
        if self.first is None and msg["msg_type"] in ("stream", "display_data"):
            self.first = time.monotonic()
        return super().process_message(msg, cell, cell_index)


def execute(notebook: nbformat.NotebookNode, folder: Path, seconds: list[Seconds]) -> str:
    """Runs all cells, as if the notebook were in that folder, and keeps their
    outputs, less what differs from run to run. Appends how long each cell of code
    took. Returns what went wrong, or ""."""
    client = Client(
        notebook,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["-raw_error"],  # compile errors as text, not HTML
        record_timing=False,
        coalesce_streams=True,
    )
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            began, client.first = time.monotonic(), None
            try:
                client.execute_cell(cell, index)
            except (CellExecutionError, DeadKernelError) as error:
                return f"cell {index + 1} of {len(notebook.cells)} failed: {error}{red_lines(cell)}"
            if cell.cell_type == "code":
                first = client.first and client.first - began
                seconds.append(Seconds(first, time.monotonic() - began))
            cell.metadata.pop("execution", None)  # the times that JupyterLab records
    return ""


def red_lines(cell: nbformat.NotebookNode) -> str:
    """What the cell said as HTML, in plain text: among it the error of package notebook."""
    return "\n".join(o.data["text/plain"] for o in cell.outputs if "text/plain" in o.get("data", {}))


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Writes the whole notebook to path or, if that fails, nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".", suffix=".ipynb", delete=False) as file:
        try:
            nbformat.write(notebook, file)
            file.close()
            os.chmod(file.name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stops the kernel too
    sys.exit(main())
