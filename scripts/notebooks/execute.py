"""Executes notebooks without a browser; see scripts/lab --help."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/lab --execute", description="Executes notebooks without a browser.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write copies into this folder, and leave the notebooks as they are")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="default: all in the folder notebooks")
    arguments = parser.parse_args()

    notebooks = arguments.notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    missing = [path for path in notebooks if not path.is_file()]
    if missing or not notebooks:
        parser.error(f"no notebook {missing[0]}" if missing else f"no notebooks in {NOTEBOOKS}")

    failed = 0
    for path in notebooks:
        began = time.monotonic()
        notebook = nbformat.read(path, as_version=4)
        if error := execute(notebook, path.parent):
            failed += 1
            print(f"lab: {os.path.relpath(path)}: {error}", file=sys.stderr, flush=True)
            continue
        write(notebook, (arguments.out or path.parent) / path.name)
        print(f"{os.path.relpath(path)}: {time.monotonic() - began:.1f} s", flush=True)
    return 1 if failed else 0


def execute(notebook: nbformat.NotebookNode, folder: Path) -> str:
    """Runs all cells, as if the notebook were in that folder, and keeps their
    outputs, less what differs from run to run. Returns what went wrong, or ""."""
    client = NotebookClient(
        notebook,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["-raw_error"],  # compile errors as text, not HTML
        record_timing=False,
        coalesce_streams=True,
    )
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            try:
                client.execute_cell(cell, index)
            except (CellExecutionError, DeadKernelError) as error:
                return f"cell {index + 1} of {len(notebook.cells)} failed: {error}"
            cell.metadata.pop("execution", None)  # the times that JupyterLab records
    return ""


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
