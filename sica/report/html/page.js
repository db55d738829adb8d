// What a person sees and does on a page.

const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
};

const rhythm = ({rhythm, period}) => {
  const strength = ` (${rhythm.toFixed(2)})`,
    seconds = (period * page.step) / page.rate,
    digits = v => Number(v.toPrecision(3));
  if (!(page.rate > 0)) return `every ${period.toFixed(1)}${strength}`;
  return (seconds > 1 ? `every ${digits(seconds)} s` : `${digits(1 / seconds)} Hz`) + strength;
};

// facts returns names and values of what is known of a component; wide ones have a line.
const facts = (component, i) => {
  const all = [],
    d = component.described;
  if (d?.label) all.push(["because", d.label.evidence, true]);
  if (component.repeats && !component.facts)
    all.push(["repeats", (Math.floor(100 * component.repeats) / 100).toFixed(2)]);
  if (d) {
    if (!component.facts) all.push(["share", percent(d.share)]);
    all.push(["kurtosis", fixed(d.excess_kurtosis, 1)]);
    if (d.rhythm !== 0) all.push(["rhythm", rhythm(d), true]);
    if (d.correlation || d.coherence) {
      const both = `correlation ${fixed(d.correlation, 2)}, coherence ${d.coherence.toFixed(2)}`;
      all.push(["with the reference", both, true]);
    }
    const shares = channels.map((c, k) =>
      c.sd > 0 ? ((d.pattern[k] * component.sd) / c.sd) ** 2 : 0,
    );
    all.push(["most in", largest(shares, 3), true]);
  }
  for (const [name, value] of component.facts ?? []) {
    if (name === "share") all.unshift([name, value]);
    else if (value !== "–") all.push([name, value, name.length + value.length > 16]);
  }
  return all;
};

const cards = components.map((component, i) => {
  const number = i + 1,
    card = make("article", {className: "card"});
  card.setAttribute("aria-label", `Component ${number}`);
  const head = make("div", {className: "head"}, make("h3", {textContent: number}));
  const label = component.described?.label?.name;
  if (label) head.append(make("span", {className: "what", textContent: label}));
  if (component.grade)
    head.append(make("span", {className: "grade", textContent: component.grade}));
  if (component.described?.proposed)
    head.append(make("span", {className: "grade", textContent: "proposed"}));
  const tick = make("input", {type: "checkbox", id: `remove-${number}`});
  tick.setAttribute("aria-label", `Remove component ${number}`);
  tick.addEventListener("change", () => choose(i, tick.checked));
  if (removable) head.append(make("label", {}, tick, "Remove"));
  card.append(head);
  const pictures = {};
  const picture = (name, label) => {
    pictures[name] = make("canvas", {className: name});
    pictures[name].setAttribute("role", "img");
    pictures[name].setAttribute("aria-label", label);
    return pictures[name];
  };
  if (component.described) {
    const peak = spoken(component.described.channel);
    const what = component.map ? "Map of the head" : "Pattern in the channels";
    card.append(
      make(
        "div",
        {className: "pictures"},
        picture("pattern", `${what}, most in ${peak}`),
        picture("spectrum", "Spectrum"),
      ),
    );
  }
  card.append(picture("trace", shape ? "Image" : "Trace of the stretch that is shown"));
  const list = make("dl");
  for (const [name, value, isWide] of facts(component, i)) {
    list.append(
      make(
        "div",
        {className: isWide ? "wide" : ""},
        make("dt", {textContent: name}),
        make("dd", {textContent: value}),
      ),
    );
  }
  card.append(list);
  return {card, tick, pictures, drawn: false};
});

const isVisible = element => {
  const {top, bottom} = element.getBoundingClientRect();
  return bottom > -200 && top < window.innerHeight + 200;
};

// drawCards draws the cards on the screen: their traces, and the rest once.
const drawCards = () =>
  cards.forEach((c, i) => {
    if (!isVisible(c.card)) return;
    const {trace, pattern, spectrum} = c.pictures,
      component = components[i];
    if (shape) {
      if (!c.drawn) drawImage(trace, source(i));
    } else {
      const width = trace.clientWidth,
        height = trace.clientHeight,
        context = prepare(trace, width, height);
      context.strokeStyle = removed.has(i) ? colours.removed : colours.trace;
      const [low, high] = extremesOf(source(i)),
        shown = Math.max(deviations * (component.sd || 1), 1.05 * (high - low));
      drawLine(context, source(i), 0, width, height / 2, height / shown, (low + high) / 2);
    }
    if (!c.drawn && pattern) {
      const context = prepare(pattern, pattern.clientWidth, pattern.clientHeight);
      if (component.map) drawHead(context, pattern.clientWidth, pattern.clientHeight, component);
      else
        drawBars(context, pattern.clientWidth, pattern.clientHeight, component.described.pattern);
      drawSpectrum(
        prepare(spectrum, spectrum.clientWidth, spectrum.clientHeight),
        spectrum.clientWidth,
        spectrum.clientHeight,
        component.described.spectrum,
      );
    }
    c.drawn = true;
  });

// orders are names with the value of a component by which the largest is first.
const orders = [
  ["proposed first", c => c.described?.proposed],
  ["number", (_, i) => -1 - i],
  ["share", c => c.described?.share],
  ["kurtosis", c => c.described?.excess_kurtosis],
  ["coherence", c => c.described?.coherence],
  ["repeats", c => c.repeats],
].filter(([, value]) => components.some(value));

const putInOrder = () => {
  const [, value] = orders[get("order").selectedIndex],
    key = i => Number(value(components[i], i) ?? 0);
  get("cards").replaceChildren(
    ...cards
      .map((_, i) => i)
      .sort((a, b) => key(b) - key(a)) // or else by number
      .map(i => cards[i].card),
  );
  schedule();
};

const choose = (i, isRemoved) => {
  if (isRemoved) removed.add(i);
  else removed.delete(i);
  patterns.forget();
  cleaned.forget();
  cards[i].card.classList.toggle("removed", isRemoved);
  showChoice();
  if (isRemoved && view.shown === "channels" && !shape) showMostChanged();
  schedule();
};

// showMostChanged scrolls to the channel that changes most, unless it can be seen.
const showMostChanged = () => {
  const shares = takenOut(),
    stage = get("stage"),
    height = rowHeight();
  const top = shares.indexOf(Math.max(...shares)) * height;
  if (top < stage.scrollTop || top + height > stage.scrollTop + stage.clientHeight) {
    stage.scrollTop = top - stage.clientHeight / 2;
  }
};

const showChoice = () => {
  const numbers = chosen().map(i => i + 1);
  get("count").textContent = numbers.length;
  get("commands").hidden = !page.command || numbers.length === 0;
  const command = `${page.command} --components ${numbers.join(",")}`; // breaks between words only
  get("command").replaceChildren(
    ...command.split(" ").flatMap((word, k) => [k ? " " : "", make("span", {textContent: word})]),
  );
  let words = "Tick a component to see the channels without it.";
  if (numbers.length > 0) {
    const most = largest(takenOut(), 5) || "less than 0.05 %";
    words = `Without ${numbers.join(", ")}. Taken out, as shares of the channels' variance: ${most}.`;
  }
  if (!page.command)
    words += " To remove components, separate with --save, and make this page with --model.";
  get("chosen").textContent = words;
  showLegend();
};

const showLegend = () => {
  const swatch = colour =>
    make("span", {className: "swatch", style: `border-color: var(--${colour})`});
  const legend = get("legend");
  legend.replaceChildren();
  if (shape) {
    legend.append(
      view.shown === "channels" && removed.size > 0
        ? "Left: recorded; right: without the ticked components."
        : "",
    );
    return;
  }
  if (view.shown === "channels" && removed.size > 0)
    legend.append(swatch("before"), "recorded", swatch("trace"), "without the ticked components");
  else if (view.shown === "channels") legend.append(swatch("trace"), "recorded");
  else if (removable) legend.append(swatch("trace"), "kept", swatch("removed"), "ticked");
  const height = deviations / view.gain,
    digits = v => Number(v.toPrecision(2));
  let scale = `A row is ${digits(height)} standard deviations high`;
  if (view.shown === "channels" && commonScale) {
    const name = (channels[0].unit || "units").replace(/^uV$/, "µV");
    scale = `A row is ${digits(height * commonScale)} ${name} high`;
  }
  legend.append(`${legend.hasChildNodes() ? ". " : ""}${scale}.`);
};

const copy = async () => {
  const text = get("command").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(get("command"));
    document.execCommand("copy");
  }
  get("copy").textContent = "Copied";
  setTimeout(() => {
    get("copy").textContent = "Copy";
  }, 1500);
};

const keep = () => {
  const text = JSON.stringify({signals: chosen(), ...page.selection}, null, 2) + "\n";
  const address = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  make("a", {href: address, download: "selection.json"}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};

let isScheduled = false;
const schedule = () => {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    if (shape) drawImages();
    else drawStage();
    drawCards();
    const where = get("where");
    where.max = points - view.span;
    where.value = view.begin;
    const last = Math.min(points - 1, view.begin + view.span);
    where.setAttribute(
      "aria-valuetext",
      `${timeOf(view.begin).toFixed(1)} to ${timeOf(last).toFixed(1)} ${unit}`,
    );
  });
};

const show = what => {
  view.shown = what;
  get("channels").setAttribute("aria-pressed", what === "channels");
  get("sources").setAttribute("aria-pressed", what === "sources");
  get("stage").scrollTop = 0;
  showLegend();
  schedule();
};

const amplify = factor => {
  view.gain = clamp(view.gain * factor, 1 / 64, 64);
  showLegend();
  schedule();
};

const keys = {
  ArrowLeft: () => pan(-0.25),
  ArrowRight: () => pan(0.25),
  "+": () => zoom(0.5),
  "=": () => zoom(0.5),
  "-": () => zoom(2),
  Home: () => setView(0, view.span),
  End: () => setView(points, view.span),
};

// listen lets the stage be dragged, pinched and turned by a wheel.
const listen = stage => {
  const fingers = new Map(); // where each is
  const share = x =>
    clamp(
      (x - stage.getBoundingClientRect().left - gutter()) / (stage.clientWidth - gutter()),
      0,
      1,
    );
  stage.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  });
  stage.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, event.clientX);
    stage.setPointerCapture(event.pointerId);
  });
  for (const end of ["pointerup", "pointercancel"])
    stage.addEventListener(end, event => fingers.delete(event.pointerId));
  stage.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, event.clientX);
    const after = [...fingers.values()];
    if (after.length === 2) {
      zoom(
        Math.max(20, Math.abs(before[0] - before[1])) / Math.max(20, Math.abs(after[0] - after[1])),
        share((after[0] + after[1]) / 2),
      );
    } else if (after.length === 1) {
      pan((before[0] - after[0]) / (stage.clientWidth - gutter()));
    }
  });
  stage.addEventListener(
    "wheel",
    event => {
      if (event.ctrlKey || event.altKey) zoom(2 ** (event.deltaY / 200), share(event.clientX));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan((event.deltaX || event.deltaY) / stage.clientWidth);
      else return;
      event.preventDefault();
    },
    {passive: false},
  );
  stage.addEventListener("scroll", schedule);
};

const about = () => {
  const words = [`${channels.length} channels`, `${components.length} components`];
  const length = (page.total * page.step) / page.rate;
  words.push(
    page.rate > 0
      ? `${Number(length.toPrecision(4))} s at ${Number((page.rate / page.step).toPrecision(6))} Hz`
      : `${page.total} positions`,
  );
  if (page.pieces.length > 1) words.push("dashed lines: something is left out there");
  if (every > 1)
    words.push(
      shape
        ? `means of squares of ${every} pixels`
        : `each point is the mean of ${every} positions, so faster waves are smaller or missing`,
    );
  return [words.join(" · "), ...(page.notes ?? [])];
};

const showReport = report => {
  const verdict = get("verdict");
  verdict.hidden = false;
  verdict.className = report.tone;
  const line = (text, className = "") => make("p", {textContent: text, className});
  verdict.append(
    ...report.uses.map(use => line(use)), // what can be done comes first
    make("h2", {textContent: `Verdict: ${report.verdict}`}),
    ...(report.reasons ?? []).map(reason => line(reason)),
  );
  if (report.next?.length > 0) verdict.append(line("Next: " + report.next.join(" ")));
  get("report").hidden = false;
  get("report").querySelector("pre").textContent = report.text;
};

const begin = () => {
  if (shape) document.body.classList.add("images");
  if (!page.sensors) document.body.classList.add("bars");
  const [first, ...notes] = about();
  get("about").append(first);
  get("notes").append(
    ...notes.map(note => make("p", {textContent: `Note: ${note}`, className: "faint"})),
  );
  get("what").textContent =
    shape || !components[0].described
      ? ""
      : "Each with its pattern in the channels, its spectrum " +
        `(${decibels} dB high), and the trace of the stretch that is shown.`;
  if (page.report) showReport(page.report);
  if (!removable) get("removal").hidden = get("to-removal").hidden = true;
  get("order").append(...orders.map(([name]) => make("option", {textContent: name})));
  get("order").addEventListener("change", putInOrder);
  const press = {
    channels: () => show("channels"),
    sources: () => show("sources"),
    earlier: () => pan(-0.5),
    later: () => pan(0.5),
    longer: () => zoom(2),
    shorter: () => zoom(0.5),
    all: () => setView(0, points),
    lower: () => amplify(1 / 1.5),
    higher: () => amplify(1.5),
    copy,
    keep,
  };
  for (const [id, act] of Object.entries(press)) get(id).addEventListener("click", act);
  get("where").addEventListener("input", event => setView(Number(event.target.value), view.span));
  listen(get("stage"));
  const redraw = () => {
    readColours();
    for (const c of cards) c.drawn = false;
    schedule();
  };
  window.addEventListener("resize", redraw);
  window.addEventListener("scroll", schedule, {passive: true});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  readColours();
  const seconds = window.innerWidth < 600 ? 4 : 10;
  setView(0, page.rate > 0 ? seconds / perPoint : 1000);
  putInOrder();
  showChoice();
};

begin();
window.shown = {view, mixed, cleaned}; // for tests
