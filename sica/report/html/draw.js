// The pictures of a page.

let colours = {};
const readColours = () => {
  const style = getComputedStyle(document.documentElement);
  for (const name of [
    "text",
    "faint",
    "line",
    "page",
    "card",
    "trace",
    "before",
    "removed",
    "positive",
    "negative",
    "zero",
  ]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
};

// prepare returns the context of a canvas of so many CSS pixels, empty.
const prepare = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio),
    h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, 'Liberation Sans', Arial, sans-serif";
  return context;
};

// drawLine draws the values in the view, by their extremes where many are in a pixel of the screen.
const drawLine = (context, values, left, width, y, scale, middle) => {
  const {begin, span} = view,
    perPixel = span / width,
    pixel = 1 / (window.devicePixelRatio || 1);
  context.beginPath();
  if (perPixel * pixel < 4) {
    const last = Math.min(points - 1, Math.ceil(begin + span));
    for (let t = Math.floor(begin); t <= last; t++) {
      context.lineTo(left + (t - begin) / perPixel, y - (values[t] - middle) * scale);
    }
  } else {
    for (let x = 0; x < width; x += pixel) {
      let t = Math.floor(begin + x * perPixel),
        low = values[t],
        high = low;
      const end = Math.min(points, Math.ceil(begin + (x + pixel) * perPixel));
      for (t++; t < end; t++) {
        const v = values[t];
        if (v < low) low = v;
        if (v > high) high = v;
      }
      context.lineTo(left + x, y - (low - middle) * scale);
      context.lineTo(left + x, y - (high - middle) * scale);
    }
  }
  context.stroke();
};

// middleOf returns about the median of the values in the view.
const middleOf = values => {
  const step = Math.max(1, Math.floor(view.span / 301)),
    some = [];
  for (let t = Math.floor(view.begin); t < view.begin + view.span && t < points; t += step)
    some.push(values[t]);
  some.sort((a, b) => a - b);
  return some[some.length >> 1];
};

// extremesOf returns the smallest and the largest of the values in the view.
const extremesOf = values => {
  const last = Math.min(points - 1, Math.ceil(view.begin + view.span));
  let low = Infinity,
    high = -Infinity;
  for (let t = Math.floor(view.begin); t <= last; t++) {
    if (values[t] < low) low = values[t];
    if (values[t] > high) high = values[t];
  }
  return [low, high];
};

// commonScale is the standard deviation that the rows of channels share; 0 if each has its own.
const commonScale = (() => {
  const sds = channels
    .map(c => c.sd)
    .filter(sd => sd > 0)
    .sort((a, b) => a - b);
  const same = channels.every(c => c.unit === channels[0].unit);
  return same && sds.length > 0 && sds.at(-1) < 20 * sds[0] ? sds[sds.length >> 1] : 0;
})();
const deviations = 8; // in the height of a row
const decibels = 40; // in the height of a spectrum

const rowHeight = () =>
  (view.shown === "channels" && channels.length > 24) || components.length > 24 ? 34 : 48;
const rowCount = () => (view.shown === "channels" ? channels.length : components.length);

// fitted returns a text, cut to a width.
const fitted = (context, text, width) => {
  if (context.measureText(text).width <= width) return text;
  while (text.length > 1 && context.measureText(text + "…").width > width) text = text.slice(0, -1);
  return text + "…";
};

const gutter = () => (get("stage").clientWidth < 500 ? 46 : 72);

// drawRow draws a channel before and after, or a component.
const drawRow = (context, row, y, left, width, height) => {
  const isChannel = view.shown === "channels",
    isRemoved = !isChannel && removed.has(row);
  const sd = isChannel ? commonScale || channels[row].sd : components[row].sd;
  const scale = (view.gain * height) / (deviations * (sd || 1));
  context.fillStyle = isRemoved ? colours.removed : colours.text;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const name = isChannel ? channels[row].name : String(row + 1);
  context.fillText(fitted(context, name, left - 10), left - 6, y);
  context.save();
  context.beginPath();
  context.rect(left, y - height, width, 2 * height);
  context.clip();
  context.lineWidth = 1;
  context.lineJoin = "round";
  const draw = (values, colour) => {
    context.strokeStyle = colour;
    drawLine(context, values, left, width, y, scale, middleOf(values));
  };
  if (!isChannel) {
    draw(source(row), isRemoved ? colours.removed : colours.trace);
  } else if (removed.size === 0) {
    draw(mixed(row), colours.trace);
  } else {
    draw(mixed(row), colours.before);
    context.lineWidth = 1.2;
    draw(cleaned(row), colours.trace);
  }
  context.restore();
};

// drawGrid draws the lines of round times, and dashed ones where something was left out.
const drawGrid = (context, left, width, height) => {
  const {all, joints} = ticks(width),
    x = point => left + ((point - view.begin) * width) / view.span;
  context.lineWidth = 1;
  for (const [points, dashes, colour] of [
    [all.map(t => t.point), [], colours.line],
    [joints, [4, 4], colours.faint],
  ]) {
    context.strokeStyle = colour;
    context.setLineDash(dashes);
    context.beginPath();
    for (const point of points) {
      context.moveTo(Math.round(x(point)) + 0.5, 0);
      context.lineTo(Math.round(x(point)) + 0.5, height);
    }
    context.stroke();
  }
  context.setLineDash([]);
};

const drawStage = () => {
  const stage = get("stage"),
    height = rowHeight(),
    left = gutter();
  get("tall").style.height = `${rowCount() * height}px`;
  const canvas = get("traces"),
    shown = Math.min(stage.clientHeight, rowCount() * height);
  const width = stage.clientWidth;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${shown}px`;
  const context = prepare(canvas, width, shown);
  drawGrid(context, left, width - left, shown);
  const first = Math.floor(stage.scrollTop / height);
  for (let row = first; row < rowCount() && row * height < stage.scrollTop + shown; row++) {
    drawRow(context, row, (row + 0.5) * height - stage.scrollTop, left, width - left, height);
  }
  drawAxis(left, width - left);
};

const drawAxis = (left, width) => {
  const canvas = get("axis"),
    context = prepare(canvas, canvas.clientWidth, 20);
  context.fillStyle = colours.faint;
  context.textBaseline = "top";
  context.textAlign = "right";
  context.fillText(unit === "s" ? "time, s" : "position", left - 6, 4);
  for (const {point, label} of ticks(width).all) {
    const x = left + ((point - view.begin) * width) / view.span,
      half = context.measureText(label).width / 2;
    context.textAlign = "center";
    if (x - half > left - 4 && x + half < left + width) context.fillText(label, x, 4);
  }
};

// drawHead draws the map of a component, seen from above with the nose at the top.
const drawHead = (context, width, height, component) => {
  const radius = Math.min(width, height) / 2 / 1.17,
    x = width / 2,
    y = height / 2 + radius * 0.05;
  const bytes = atob(component.map),
    size = Math.sqrt(bytes.length);
  const small = document.createElement("canvas");
  small.width = small.height = size;
  const inner = small.getContext("2d"),
    image = inner.createImageData(size, size);
  for (let k = 0; k < bytes.length; k++) {
    image.data.set([...mixColour((bytes.charCodeAt(k) << 24) >> 24), 255], 4 * k);
  }
  inner.putImageData(image, 0, 0);
  context.save();
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.clip();
  context.imageSmoothingQuality = "high";
  context.drawImage(small, x - radius, y - radius, 2 * radius, 2 * radius);
  context.restore();
  context.strokeStyle = context.fillStyle = colours.text;
  context.lineWidth = 1.2;
  const line = places => {
    context.beginPath();
    for (const [px, py] of places) context.lineTo(x + radius * px, y - radius * py);
    context.stroke();
  };
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.stroke();
  line([
    [-0.12, 0.993],
    [0, 1.13],
    [0.12, 0.993],
  ]);
  for (const side of [-1, 1]) {
    line(
      [
        [0.985, 0.17],
        [1.06, 0.19],
        [1.09, 0],
        [1.06, -0.19],
        [0.985, -0.17],
      ].map(([px, py]) => [side * px, py]),
    );
  }
  for (const sensor of page.sensors) {
    context.beginPath();
    context.arc(x + radius * sensor.x, y - radius * sensor.y, 1.2, 0, 7);
    context.fill();
  }
};

const parseColour = text =>
  [1, 2, 3].map(k =>
    text.length === 4 ? 17 * parseInt(text[k], 16) : parseInt(text.slice(2 * k - 1, 2 * k + 1), 16),
  );
// mixColour returns the colour of a value from −127 to 127.
const mixColour = v => {
  const zero = parseColour(colours.zero),
    full = parseColour(v < 0 ? colours.negative : colours.positive);
  return zero.map((c, k) => c + (full[k] - c) * Math.min(1, Math.abs(v) / 127));
};

// drawBars draws a bar for each channel, with the names that there is room for.
const drawBars = (context, width, height, values) => {
  const most = Math.max(...values.map(Math.abs)) || 1,
    bar = width / values.length;
  const names = bar >= 8.5,
    below = names ? 34 : 14;
  const middle = (height - below) / 2,
    peak = values.findIndex(v => Math.abs(v) === most);
  context.fillStyle = colours.line;
  context.fillRect(0, middle, width, 1);
  values.forEach((v, c) => {
    context.fillStyle = v < 0 ? colours.negative : colours.positive;
    const long = (v / most) * (middle - 1);
    context.fillRect(c * bar + 0.1 * bar, middle - Math.max(0, long), 0.8 * bar, Math.abs(long));
  });
  context.fillStyle = colours.faint;
  context.textBaseline = "middle";
  if (!names) {
    context.textAlign =
      peak < values.length / 3 ? "left" : peak > (values.length * 2) / 3 ? "right" : "center";
    context.fillText(channels[peak].name, (peak + 0.5) * bar, height - 7);
    return;
  }
  context.font = "9.5px system-ui, 'Liberation Sans', Arial, sans-serif";
  context.textAlign = "right";
  channels.forEach((channel, c) => {
    context.save();
    context.translate((c + 0.5) * bar, height - below + 4);
    context.rotate(-Math.PI / 2);
    context.fillText(fitted(context, channel.name, below - 4), 0, 0);
    context.restore();
  });
};

// shownBands is up to which band of the spectra 99 % of each component's power lie.
const shownBands = (() => {
  let shown = 16;
  for (const {described} of components) {
    const bands = described?.spectrum ?? [],
      all = bands.reduce((sum, v) => sum + v, 0);
    let sum = 0;
    const enough = bands.findIndex(v => (sum += v) >= 0.99 * all) + 1;
    shown = Math.max(shown, enough);
  }
  return shown;
})();

// drawSpectrum draws power in dB, with the largest at the top.
const drawSpectrum = (context, width, height, spectrum) => {
  const bands = spectrum.slice(0, shownBands),
    most = Math.max(...bands),
    below = 16;
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(0.5, 0.5, width - 1, height - below);
  context.strokeStyle = colours.text;
  context.lineWidth = 1.3;
  context.beginPath();
  bands.forEach((v, k) => {
    const level = v > 0 ? Math.max(-decibels, 10 * Math.log10(v / most)) : -decibels;
    context.lineTo(
      1 + (k / (bands.length - 1)) * (width - 2),
      3 - (level / decibels) * (height - below - 5),
    );
  });
  context.stroke();
  const end = (((bands.length - 1) / (2 * (spectrum.length - 1))) * (page.rate || 1)) / page.step;
  context.fillStyle = colours.faint;
  context.textBaseline = "bottom";
  context.textAlign = "left";
  context.fillText("0", 0, height);
  const alpha = 10 / end; // where 10 Hz is: no label where the others are
  if (page.rate > 0 && alpha > 0.12 && alpha < 0.6) {
    context.textAlign = "center";
    context.fillText("10", alpha * width, height);
    context.fillRect(alpha * width, height - below - 3, 1, 4);
  }
  context.textAlign = "right";
  context.fillText(
    page.rate > 0 ? `${Number(end.toPrecision(3))} Hz` : `${Number(end.toPrecision(2))} a position`,
    width,
    height,
  );
};

// drawImage draws values as an image, from black for the smallest to white.
const drawImage = (canvas, values) => {
  [canvas.height, canvas.width] = shape;
  const context = canvas.getContext("2d"),
    image = context.createImageData(shape[1], shape[0]);
  let low = Infinity,
    high = -Infinity;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  values.forEach((v, k) => {
    const grey = (255 * (v - low)) / (high - low || 1);
    image.data.set([grey, grey, grey, 255], 4 * k);
  });
  context.putImageData(image, 0, 0);
};

const drawImages = () => {
  const tall = get("tall");
  tall.className = "grid";
  tall.replaceChildren(
    ...Array.from({length: rowCount()}, (_, i) => {
      const isChannel = view.shown === "channels";
      const shown = isChannel ? [mixed(i), ...(removed.size ? [cleaned(i)] : [])] : [source(i)];
      const pictures = shown.map(values => {
        const canvas = make("canvas");
        drawImage(canvas, values);
        return canvas;
      });
      return make(
        "figure",
        {},
        make("figcaption", {textContent: isChannel ? channels[i].name : String(i + 1)}),
        make("div", {}, ...pictures),
      );
    }),
  );
};
