"""Writes the notebooks as pages that need neither Jupyter nor the network, and their
pictures as a gallery; see scripts/lab --help."""

from __future__ import annotations

import base64
import html
import posixpath
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import nbformat
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
PAGES = ROOT / "docs" / "notebooks"

# The notebooks by what a reader wants, in the order in which one would read them.
NEEDS = {
    "learn": ["getting_started", "when_not_to_trust_it", "stopping_and_resuming", "settings"],
    "the paper": ["fig1_heart", "fig2_assumptions", "fig3_ar7", "fig4_mnist"],
    "recordings": ["real_eeg", "real_ecg", "real_speech", "real_images"],
    "how it works": ["nonlinear", "inside_sica"],
    "speed": ["benchmarks"],
}
ORDER = [name for names in NEEDS.values() for name in names]

# Headings of cells that a reader changes. Their pictures are of a few training steps, which only
# the text beside them says.
UNSHOWN = {"Run it yourself"}

STYLE = """
:root { color-scheme: light dark; --ink: #222; --ground: #fff; --faint: #f5f5f5; --line: #ddd; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --ground: #181818; --faint: #242424; --line: #444; --link: #7db8f5; }
}
body { max-width: 920px; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
a { color: var(--link); }
pre { overflow-x: auto; padding: .6em .8em; background: var(--faint); font-size: 13px; line-height: 1.4; }
.output pre { background: none; border-left: 3px solid var(--line); }
@media (min-width: 700px) { .output pre { white-space: pre-wrap; } } /* tables of text stay as they are on a phone */
.prompt, .anchor-link { display: none; }
.highlight .err { border: 0; background: none; color: inherit; }
img { max-width: 100%; background: #fff; }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; font-size: 14px; }
th, td { border: 1px solid var(--line); padding: .2em .6em; }
math { max-width: 100%; }
math[display=block] { margin: 1em 0; overflow-x: auto; max-width: 100%; }
nav { font-size: 14px; line-height: 1.7; border-bottom: 1px solid var(--line); padding-bottom: .5em; }
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<nav>{links}</nav>
{body}
</body>
</html>
"""

# What latex2mathml doesn't know, or takes for something else.
UNKNOWN = {r"\Vert": r"\|", r"\arg": r"\mathrm{arg}"}
# It writes a norm's bars of a given size, as of \big\|, as they are in TeX.
BARS = re.compile(r">\\\|<")

# Browsers know no mathvariant but normal, so that these become letters of Unicode.
VARIANT = re.compile(r'<mi mathvariant="([a-z-]+)">(?:&#x([0-9A-F]+);|(\w))</mi>')
ALPHABETS = {
    "bold": "MATHEMATICAL BOLD",
    "bold-italic": "MATHEMATICAL BOLD ITALIC",
    "script": "MATHEMATICAL SCRIPT",
    "double-struck": "MATHEMATICAL DOUBLE-STRUCK",
}

# A picture that isn't a slider's.
ALONE = re.compile(r'(?<!</label>)(<img [^>]*src="(pictures/[^"]+)"[^>]*>)')

# A heading, without its number.
HEADING = re.compile(r"(?m)^#+ (?:\d+\. )?(.+)$")

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)", re.S)
CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.S)


def main() -> int:
    PAGES.mkdir(parents=True, exist_ok=True)
    found = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    if found != set(ORDER):
        print(f"lab: ORDER in scripts/notebooks/export.py has not the same notebooks as the folder: {found ^ set(ORDER)}", file=sys.stderr)
        return 1
    gallery = [
        "# Gallery",
        "",
        "The pictures of the notebooks, as their last runs drew them. Each leads to its notebook, which says how to read it "
        "and which GitHub shows, with sliders that stand still and without sounds. In a checkout the same is in `docs/notebooks/NAME.html`, to be opened in a browser. "
        "Numbers are mean correlations (MCC) of one run, with the seed that the notebook shows. Those of the paper's figures, whose labels have n, "
        "are [here](../../laboratory/experiment/results/statements.md#mean-mcc-steps-of-01). "
        "Written by `scripts/lab --html`.",
    ]
    for name in ORDER:
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        files = pictures(name, notebook)
        shown = captions(notebook, files)
        scores = numbers(notebook, files)
        write(name, notebook, files)  # which changes the notebook
        gallery += ["", f"## [{title(notebook)}](../../notebooks/{name}.ipynb)", ""]
        if not shown:
            gallery.append("It has tables and no pictures.")
        before = ""
        for file, caption in shown.items():
            if caption != before:
                gallery += [*[""] * bool(before), f"{caption}{scores.get(file, '')}:", ""]
            before = caption
            gallery.append(f"[![{caption}](../notebooks/{file})](../../notebooks/{name}.ipynb)")
    (ROOT / "docs" / "tutorial" / "gallery.md").write_text("\n".join(gallery) + "\n", encoding="utf-8")
    size = sum(file.stat().st_size for file in PAGES.rglob("*.*"))
    print(f"docs/notebooks: {len(ORDER)} pages with their pictures, {size / 1e6:.1f} MB")
    return 0


def title(notebook: nbformat.NotebookNode) -> str:
    return notebook.cells[0].source.splitlines()[0].lstrip("# ")


def captions(notebook: nbformat.NotebookNode, files: dict[str, str]) -> dict[str, str]:
    """The captions of the pictures, but of those under the headings in UNSHOWN."""
    found: dict[str, str] = {}
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (re.findall(HEADING, CODE.sub("", cell.source)) or [heading])[-1]
        for output, caption in captioned(heading, cell):
            if heading not in UNSHOWN and (picture := output.get("data", {}).get("image/png")):
                found.setdefault(files[address(picture)], caption)
    return found


def numbers(notebook: nbformat.NotebookNode, files: dict[str, str]) -> dict[str, str]:
    """The MCCs that a cell prints with a picture: before it, else after it."""
    found: dict[str, str] = {}
    for cell in notebook.cells:
        texts, waiting = [], None
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if picture := data.get("image/png"):
                waiting = files[address(picture)]
                if scores := list_of_scores(texts):
                    found.setdefault(waiting, scores)
                    waiting = None
                texts = []
                continue
            texts.append(output.get("text") or data.get("text/markdown") or data.get("text/plain") or "")
        if waiting and (scores := list_of_scores(texts)):
            found.setdefault(waiting, scores)
    return found


# "ZCA      MCC 1.000" in a line of text.
SCORE = re.compile(r"(?m)^([\w-]+) +MCC (\d\.\d{3})")


def list_of_scores(texts: list[str]) -> str:
    """The MCCs of one run in texts and tables, such as "; MCC: mixed 0.894, ZCA 1.000", or ""."""
    pairs = [pair for text in texts for pair in SCORE.findall(text)]
    for text in texts:
        rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]
        if rows and "MCC" in rows[0] and "runs" not in rows[0]:
            column = rows[0].index("MCC")
            pairs += [(row[0], row[column]) for row in rows[2:]]
    return "; MCC: " + ", ".join(f"{name} {score}" for name, score in pairs) if pairs else ""


def captioned(heading: str, cell: nbformat.NotebookNode) -> Iterator[tuple[nbformat.NotebookNode, str]]:
    """The outputs of a cell with their captions: the heading above, which may be followed by what
    the cell has shown in bold, as "Figure 3b: linear mixing" and "**Figure 3b, steps of 1**"."""
    caption = heading
    for output in cell.get("outputs", []):
        if bold := re.fullmatch(r"\*\*(.+)\*\*\s*", output.get("data", {}).get("text/markdown", "")):
            more = bold[1].removeprefix(heading.split(":")[0]).lstrip(", ")
            caption = f"{heading}, {more}" if more else heading
        yield output, caption


def write(name: str, notebook: nbformat.NotebookNode, files: dict[str, str]) -> None:
    """Writes a notebook's page, whose pictures are in files."""
    formulas: list[str] = []
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (re.findall(HEADING, CODE.sub("", cell.source)) or [heading])[-1]
            cell.source = without_formulas(cell.source, formulas)
        for output, caption in captioned(heading, cell):
            data = output.get("data", {})
            if "text/html" in data:  # the picture is for readers without HTML
                data.pop("image/png", None)
                data["text/html"] = data["text/html"].replace("<img ", f'<img alt="picture: {html.escape(caption)}" ')
            elif "image/png" in data:
                output.metadata["alt"] = f"picture: {caption}"
                data["image/png"] = "".join(data["image/png"].split())
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    body = re.sub(r"FORMULA(\d+)X", lambda match: formulas[int(match[1])], body)
    body = re.sub(r'href="([^":#][^":]*)"', lambda match: f'href="{moved(match[1])}"', body)
    for picture, file in files.items():
        body = body.replace(picture, file)
    body = ALONE.sub(r'<a href="\2">\1</a>', body)  # on a phone, to enlarge it
    dark = "@media (prefers-color-scheme: dark) {\n%s\n}" % HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    style = HtmlFormatter(style="default").get_style_defs(".highlight") + dark + STYLE
    page = PAGE.format(title=html.escape(title(notebook)), style=style, links=links(name), body=body)
    (PAGES / f"{name}.html").write_text(page, encoding="utf-8")


def links(name: str) -> str:
    """A page's links to the others, a line for each need."""
    lines = [
        f"{need}: " + " · ".join(f"<b>{other}</b>" if other == name else f'<a href="{other}.html">{other}</a>' for other in names)
        for need, names in NEEDS.items()
    ]
    return "<br>".join(lines)


def moved(link: str) -> str:
    """A notebook's link to another file, as seen from its page; that to another notebook
    leads to that one's page."""
    path, hash, heading = link.partition("#")
    path = posixpath.normpath(posixpath.join("notebooks", path))
    if path.startswith("notebooks/") and path.endswith(".ipynb"):
        path = "docs/" + path.removesuffix(".ipynb") + ".html"
    return posixpath.relpath(path, "docs/notebooks") + hash + heading


def without_formulas(source: str, formulas: list[str]) -> str:
    """The text with a word in place of each formula, which is kept as MathML."""

    def keep(match: re.Match[str]) -> str:
        formula = (match[1] or match[2]).strip()
        for ours, theirs in UNKNOWN.items():
            formula = formula.replace(ours, theirs)
        mathml = convert(formula, display="block" if match[1] else "inline")
        formulas.append(VARIANT.sub(letter, BARS.sub(">\u2016<", mathml)))
        return f"FORMULA{len(formulas) - 1}X"

    parts = CODE.split(source)  # code at the odd places
    return "".join(part if k % 2 else FORMULA.sub(keep, part) for k, part in enumerate(parts))


def letter(match: re.Match[str]) -> str:
    """A letter of Unicode in place of one with a mathvariant; others stay as they are."""
    plain = chr(int(match[2], 16)) if match[2] else match[3]
    name = unicodedata.name(plain).replace("LATIN ", "").replace("GREEK ", "").replace("LETTER ", "")
    for alphabet in [ALPHABETS.get(match[1], ""), ALPHABETS.get(match[1], "").removeprefix("MATHEMATICAL ")]:
        try:
            return f"<mi>{unicodedata.lookup(f'{alphabet} {name}')}</mi>"
        except KeyError:
            pass  # an older letter of Unicode has the name without "MATHEMATICAL"
    return match[0]


def pictures(name: str, notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Writes a notebook's pictures as files, for its page and the gallery. Returns their
    names by their addresses in the notebook."""
    folder = PAGES / "pictures"
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"{name}-*.png"):
        old.unlink()
    files: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if picture := output.get("data", {}).get("image/png"):
                where = address(picture)
                if where not in files:  # the last of a slider is also shown alone
                    files[where] = f"pictures/{name}-{len(files) + 1}.png"
                    (PAGES / files[where]).write_bytes(base64.b64decode(picture))
    return files


def address(picture: str) -> str:
    """A picture's address in its notebook."""
    return "data:image/png;base64," + "".join(picture.split())


if __name__ == "__main__":
    sys.exit(main())
