
"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const get = id => document.getElementById(id);
  const {channels, components, every, shape} = page;
  const points = shape ? shape[0] * shape[1] : Math.ceil(page.total / every);
  const removable = page.a !== null;
  const removed = new Set();

  // The numbers ------------------------------------------------------------------------------

  // cached returns f, which is called once for each index until forget.
  const cached = f => {
    const kept = new Map();
    const g = i => kept.get(i) ?? (kept.set(i, f(i)), kept.get(i));
    g.forget = () => kept.clear();
    return g;
  };

  // decode returns the values of a series: 16-bit numbers, low byte first, in base64.
  const decode = ({samples, scale, offset}) => {
    const bytes = atob(samples), values = new Float32Array(bytes.length / 2);
    for (let t = 0; t < values.length; t++) {
      const number = (bytes.charCodeAt(2 * t + 1) << 24 >> 16) | bytes.charCodeAt(2 * t);
      values[t] = offset + scale * number;
    }
    return values;
  };

  // addScaled adds factor times the values to the sum.
  const addScaled = (sum, factor, values) => {
    if (factor === 0) return;
    for (let t = 0; t < sum.length; t++) sum[t] += factor * values[t];
  };

  const source = cached(i => decode(components[i]));
  const mixed = cached(c => {
    const values = page.rest ? decode(page.rest[c]) : new Float32Array(points);
    if (removable) components.forEach((_, i) => addScaled(values, page.a[c][i], source(i)));
    return values;
  });

  // solve returns x of m·x = b, by Gaussian elimination; it changes both.
  const solve = (m, b) => {
    const n = b.length;
    for (let k = 0; k < n; k++) {
      let pivot = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(m[i][k]) > Math.abs(m[pivot][k])) pivot = i;
      [m[k], m[pivot], b[k], b[pivot]] = [m[pivot], m[k], b[pivot], b[k]];
      for (let i = k + 1; i < n; i++) {
        const factor = m[i][k] / m[k][k];
        for (let j = k; j < n; j++) m[i][j] -= factor * m[k][j];
        b[i] -= factor * b[k];
      }
    }
    for (let k = n - 1; k >= 0; k--) {
      for (let j = k + 1; j < n; j++) b[k] -= m[k][j] * b[j];
      b[k] /= m[k][k];
    }
    return b;
  };

  // strengths are, for each component, the share of a channel's variance that follows from it
  // alone, of the channel for which that is most: as in Go's Result.Patterns.
  const strengths = cached(() => {
    const c = page.moments.covariance, all = components.map(() => 0);
    for (const row of page.a) {
      const cross = all.map((_, i) => row.reduce((sum, v, j) => sum + v * c[j][i], 0));
      const variance = cross.reduce((sum, v, i) => sum + v * row[i], 0);
      if (variance > 0) cross.forEach((v, i) => { all[i] = Math.max(all[i], v * v / (variance * c[i][i])); });
    }
    return all;
  });

  // regression returns what a value of 1 of component i is in all, in the regression on those in
  // "on" or, by cubes, with its cube in place of itself.
  const regression = (on, i, byCubes) => {
    const {covariance, cubes} = page.moments;
    const products = covariance.map((row, j) => on.map(o => byCubes && o === i ? cubes[j] : row[o]));
    const solved = solve(on.map(o => [...products[o]]), on.map(o => o === i ? 1 : 0));
    return products.map(row => row.reduce((sum, v, place) => sum + v * solved[place], 0));
  };

  // pattern returns what a value of 1 of component i takes out of each channel if those of the rows
  // are removed: as Go's Result.Remove.
  const pattern = (i, rows) => {
    if (!page.moments) return page.a.map(row => row[i]);
    const all = strengths(0);
    const on = all.map((_, j) => j).filter(j => j === i || rows.includes(j) || all[j] > all[i]);
    let inAll = regression(on, i, false);
    const weight = page.moments.by_cubes;
    if (i === page.moments.heavy && weight > 0) {
      const cubic = regression(rows.includes(i) ? rows : [i, ...rows], i, true);
      inAll = inAll.map((v, j) => v + weight * (cubic[j] - v));
    }
    return page.a.map(row => row.reduce((sum, v, j) => sum + v * inAll[j], 0));
  };

  const chosen = () => [...removed].sort((a, b) => a - b);
  const patterns = cached(() => chosen().map(i => pattern(i, chosen())));
  const cleaned = cached(c => {
    const values = Float32Array.from(mixed(c));
    chosen().forEach((i, place) => addScaled(values, -patterns(0)[place][c], source(i)));
    return values;
  });

  // covariance returns that of the points of two components.
  const covariance = (i, j) => {
    const a = source(i), b = source(j);
    let sum = 0, sumA = 0, sumB = 0;
    for (let t = 0; t < points; t++) { sum += a[t] * b[t]; sumA += a[t]; sumB += b[t]; }
    return (sum - sumA * sumB / points) / points;
  };

  // takenOut returns the share of each channel's variance that removing takes out. Points that are
  // means have less variance than the positions, so that only their correlations count.
  const takenOut = () => {
    const rows = chosen(), variances = rows.map(i => covariance(i, i));
    const products = rows.map((i, p) => rows.map((j, q) => components[i].sd * components[j].sd *
      (i === j ? 1 : covariance(i, j) / Math.sqrt(variances[p] * variances[q] || 1))));
    return channels.map((channel, c) => {
      let sum = 0;
      rows.forEach((_, p) => rows.forEach((_, q) => {
        sum += patterns(0)[p][c] * products[p][q] * patterns(0)[q][c];
      }));
      return sum / channel.sd ** 2;
    });
  };

  // largest names the channels with the largest shares.
  const largest = (shares, count) => shares.map((share, c) => [share, spoken(c)])
    .sort((a, b) => b[0] - a[0]).slice(0, count).filter(([share]) => share >= 0.0005)
    .map(([share, name]) => `${name}\u00a0${percent(share)}`).join(", ");

  // spoken is the name of a channel in a sentence.
  const spoken = c => channels[c].name === String(c + 1) ? `channel\u00a0${c + 1}` : channels[c].name;
  // fixed is v with so many decimals, and a minus sign as long as a plus.
  const fixed = (v, decimals) => v.toFixed(decimals).replace(/^-(0\.0*$)?/, (_, zero) => zero ?? "−");
  const percent = share => `${share >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toFixed(1)}\u00a0%`;

  // Time ---------------------------------------------------------------------------------------

  // pieceOf returns the index of the piece that position t of the mixed signals is in.
  const pieceOf = t => {
    let low = 0, high = page.pieces.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (page.pieces[middle][0] <= t) low = middle; else high = middle;
    }
    return low;
  };
  const inTime = recorded => page.rate > 0 ? page.start + recorded / page.rate : recorded;
  // timeOf returns the time of a point, in seconds or, without a rate, positions.
  const timeOf = point => {
    const [first, recorded] = page.pieces[pieceOf(point * every)];
    return inTime(recorded + (point * every - first) * page.step);
  };
  const unit = page.rate > 0 ? "s" : "positions";
  const perPoint = every * page.step / (page.rate || 1);

  const view = {begin: 0, span: points, gain: 1, shown: "channels"};
  const clamp = (v, low, high) => Math.max(low, Math.min(v, high));
  const setView = (begin, span) => {
    view.span = clamp(span, Math.min(points, 16), points);
    view.begin = clamp(begin, 0, points - view.span);
    schedule();
  };
  const pan = share => setView(view.begin + share * view.span, view.span);
  const zoom = (factor, at = 0.5) => {
    const span = clamp(view.span * factor, Math.min(points, 16), points);
    setView(view.begin + at * (view.span - span), span);
  };

  // niceStep returns 1, 2 or 5 times a power of 10, at least v.
  const niceStep = v => {
    const power = 10 ** Math.floor(Math.log10(v));
    return [1, 2, 5, 10].map(f => f * power).find(step => step >= v * 0.999);
  };

  // ticks returns the points and labels of round times in the view, and where pieces begin.
  const ticks = width => {
    const step = niceStep(80 * view.span / width * perPoint);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const all = [], joints = [], end = view.begin + view.span;
    for (let k = pieceOf(view.begin * every); k < page.pieces.length; k++) {
      const first = page.pieces[k][0] / every, next = (page.pieces[k + 1]?.[0] ?? page.total) / every;
      if (first > end) break;
      if (first > view.begin) joints.push(first);
      const begin = Math.max(first, view.begin), from = inTime(page.pieces[k][1]);
      const until = Math.min(next, end);
      for (let n = Math.ceil((from + (begin - first) * perPoint) / step - 1e-6); ; n++) {
        const point = first + (n * step - from) / perPoint;
        if (point > until) break;
        const far = all.length === 0 || (point - all.at(-1).point) * width / view.span >= 50;
        if (far) all.push({point, label: (n * step).toFixed(decimals)});
      }
    }
    return {all, joints};
  };

  // Drawing ------------------------------------------------------------------------------------

  let colours = {};
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["text", "faint", "line", "page", "card", "trace", "before", "removed", "positive", "negative", "zero"]) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    }
  };

  // prepare returns the context of a canvas of so many CSS pixels, empty.
  const prepare = (canvas, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, 'Liberation Sans', Arial, sans-serif";
    return context;
  };

  // drawLine draws the values in the view, by their extremes where several are in a pixel.
  const drawLine = (context, values, left, width, y, scale, middle) => {
    const {begin, span} = view, perPixel = span / width;
    context.beginPath();
    if (perPixel < 2) {
      const last = Math.min(points - 1, Math.ceil(begin + span));
      for (let t = Math.floor(begin); t <= last; t++) {
        context.lineTo(left + (t - begin) / perPixel, y - (values[t] - middle) * scale);
      }
    } else {
      for (let x = 0; x < width; x++) {
        let t = Math.floor(begin + x * perPixel), low = values[t], high = low;
        const end = Math.min(points, Math.ceil(begin + (x + 1) * perPixel));
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
    const step = Math.max(1, Math.floor(view.span / 301)), some = [];
    for (let t = Math.floor(view.begin); t < view.begin + view.span && t < points; t += step) some.push(values[t]);
    some.sort((a, b) => a - b);
    return some[some.length >> 1];
  };

  // commonScale is the standard deviation that the rows of channels share; 0 if each has its own.
  const commonScale = (() => {
    const sds = channels.map(c => c.sd).filter(sd => sd > 0).sort((a, b) => a - b);
    const same = channels.every(c => c.unit === channels[0].unit);
    return same && sds.length > 0 && sds.at(-1) < 20 * sds[0] ? sds[sds.length >> 1] : 0;
  })();
  const deviations = 8; // in the height of a row
  const decibels = 40; // in the height of a spectrum

  const rowHeight = () => view.shown === "channels" && channels.length > 24 || components.length > 24 ? 34 : 48;
  const rowCount = () => view.shown === "channels" ? channels.length : components.length;

  // fitted returns a text, cut to a width.
  const fitted = (context, text, width) => {
    if (context.measureText(text).width <= width) return text;
    while (text.length > 1 && context.measureText(text + "…").width > width) text = text.slice(0, -1);
    return text + "…";
  };

  const gutter = () => get("stage").clientWidth < 500 ? 46 : 72;

  // drawRow draws a channel before and after, or a component.
  const drawRow = (context, row, y, left, width, height) => {
    const isChannel = view.shown === "channels", isRemoved = !isChannel && removed.has(row);
    const sd = isChannel ? commonScale || channels[row].sd : components[row].sd;
    const scale = view.gain * height / (deviations * (sd || 1));
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
    const {all, joints} = ticks(width), x = point => left + (point - view.begin) * width / view.span;
    context.lineWidth = 1;
    for (const [points, dashes, colour] of [[all.map(t => t.point), [], colours.line], [joints, [4, 4], colours.faint]]) {
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
    const stage = get("stage"), height = rowHeight(), left = gutter();
    get("tall").style.height = `${rowCount() * height}px`;
    const canvas = get("traces"), shown = Math.min(stage.clientHeight, rowCount() * height);
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
    const canvas = get("axis"), context = prepare(canvas, canvas.clientWidth, 20);
    context.fillStyle = colours.faint;
    context.textBaseline = "top";
    context.textAlign = "right";
    context.fillText(unit === "s" ? "time, s" : "position", left - 6, 4);
    for (const {point, label} of ticks(width).all) {
      const x = left + (point - view.begin) * width / view.span, half = context.measureText(label).width / 2;
      context.textAlign = "center";
      if (x - half > left - 4 && x + half < left + width) context.fillText(label, x, 4);
    }
  };

  // drawHead draws the map of a component, seen from above with the nose at the top.
  const drawHead = (context, width, height, component) => {
    const radius = Math.min(width, height) / 2 / 1.17, x = width / 2, y = height / 2 + radius * 0.05;
    const bytes = atob(component.map), size = Math.sqrt(bytes.length);
    const small = document.createElement("canvas");
    small.width = small.height = size;
    const inner = small.getContext("2d"), image = inner.createImageData(size, size);
    for (let k = 0; k < bytes.length; k++) {
      image.data.set([...mixColour(bytes.charCodeAt(k) << 24 >> 24), 255], 4 * k);
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
    line([[-0.12, 0.993], [0, 1.13], [0.12, 0.993]]);
    for (const side of [-1, 1]) {
      line([[0.985, 0.17], [1.06, 0.19], [1.09, 0], [1.06, -0.19], [0.985, -0.17]].map(([px, py]) => [side * px, py]));
    }
    for (const sensor of page.sensors) {
      context.beginPath();
      context.arc(x + radius * sensor.x, y - radius * sensor.y, 1.2, 0, 7);
      context.fill();
    }
  };

  const parseColour = text => [1, 2, 3].map(k => text.length === 4 ? 17 * parseInt(text[k], 16) : parseInt(text.slice(2 * k - 1, 2 * k + 1), 16));
  // mixColour returns the colour of a value from −127 to 127.
  const mixColour = v => {
    const zero = parseColour(colours.zero), full = parseColour(v < 0 ? colours.negative : colours.positive);
    return zero.map((c, k) => c + (full[k] - c) * Math.min(1, Math.abs(v) / 127));
  };

  // drawBars draws a bar for each channel, with the names that there is room for.
  const drawBars = (context, width, height, values) => {
    const most = Math.max(...values.map(Math.abs)) || 1, bar = width / values.length;
    const names = bar >= 8.5, below = names ? 34 : 14;
    const middle = (height - below) / 2, peak = values.findIndex(v => Math.abs(v) === most);
    context.fillStyle = colours.line;
    context.fillRect(0, middle, width, 1);
    values.forEach((v, c) => {
      context.fillStyle = v < 0 ? colours.negative : colours.positive;
      const long = v / most * (middle - 1);
      context.fillRect(c * bar + 0.1 * bar, middle - Math.max(0, long), 0.8 * bar, Math.abs(long));
    });
    context.fillStyle = colours.faint;
    context.textBaseline = "middle";
    if (!names) {
      context.textAlign = peak < values.length / 3 ? "left" : peak > values.length * 2 / 3 ? "right" : "center";
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
      const bands = described?.spectrum ?? [], all = bands.reduce((sum, v) => sum + v, 0);
      let sum = 0;
      const enough = bands.findIndex(v => (sum += v) >= 0.99 * all) + 1;
      shown = Math.max(shown, enough);
    }
    return shown;
  })();

  // drawSpectrum draws power in dB, with the largest at the top.
  const drawSpectrum = (context, width, height, spectrum) => {
    const bands = spectrum.slice(0, shownBands), most = Math.max(...bands), below = 16;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.strokeRect(0.5, 0.5, width - 1, height - below);
    context.strokeStyle = colours.text;
    context.lineWidth = 1.3;
    context.beginPath();
    bands.forEach((v, k) => {
      const level = v > 0 ? Math.max(-decibels, 10 * Math.log10(v / most)) : -decibels;
      context.lineTo(1 + k / (bands.length - 1) * (width - 2), 3 - level / decibels * (height - below - 5));
    });
    context.stroke();
    const end = (bands.length - 1) / (2 * (spectrum.length - 1)) * (page.rate || 1) / page.step;
    context.fillStyle = colours.faint;
    context.textBaseline = "bottom";
    context.textAlign = "left";
    context.fillText("0", 0, height);
    context.textAlign = "right";
    context.fillText(page.rate > 0 ? `${Number(end.toPrecision(3))} Hz` : `${Number(end.toPrecision(2))} a position`, width, height);
  };

  // drawImage draws values as an image, from black for the smallest to white.
  const drawImage = (canvas, values) => {
    [canvas.height, canvas.width] = shape;
    const context = canvas.getContext("2d"), image = context.createImageData(shape[1], shape[0]);
    let low = Infinity, high = -Infinity;
    for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
    values.forEach((v, k) => {
      const grey = 255 * (v - low) / (high - low || 1);
      image.data.set([grey, grey, grey, 255], 4 * k);
    });
    context.putImageData(image, 0, 0);
  };

  const drawImages = () => {
    const tall = get("tall");
    tall.className = "grid";
    tall.replaceChildren(...Array.from({length: rowCount()}, (_, i) => {
      const isChannel = view.shown === "channels";
      const shown = isChannel ? [mixed(i), ...(removed.size ? [cleaned(i)] : [])] : [source(i)];
      const pictures = shown.map(values => {
        const canvas = make("canvas");
        drawImage(canvas, values);
        return canvas;
      });
      return make("figure", {}, make("figcaption", {textContent: isChannel ? channels[i].name : String(i + 1)}),
        make("div", {}, ...pictures));
    }));
  };

  // The cards ----------------------------------------------------------------------------------

  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    Object.assign(element, properties);
    element.append(...children);
    return element;
  };

  const rhythm = ({rhythm, period}) => {
    const strength = ` (${rhythm.toFixed(2)})`;
    return (page.rate > 0 ? `${Number((page.rate / page.step / period).toPrecision(3))} Hz` : `every ${period.toFixed(1)}`) + strength;
  };

  // facts returns names and values of what is known of a component; wide ones have a line.
  const facts = (component, i) => {
    const all = [], d = component.described;
    if (component.evidence) all.push(["because", component.evidence, true]);
    if (component.repeats && !component.facts) all.push(["repeats", (Math.floor(100 * component.repeats) / 100).toFixed(2)]);
    if (d) {
      if (!component.facts) all.push(["share", percent(d.share)]);
      all.push(["kurtosis", fixed(d.excess_kurtosis, 1)]);
      if (d.rhythm !== 0) all.push(["rhythm", rhythm(d), true]);
      if (d.correlation || d.coherence) {
        all.push(["correlation", fixed(d.correlation, 2)], ["coherence", d.coherence.toFixed(2)]);
      }
      const shares = channels.map((c, k) => (d.pattern[k] * component.sd / c.sd) ** 2);
      all.push(["most in", largest(shares, 3), true]);
    }
    for (const [name, value] of component.facts ?? []) {
      if (name === "share") all.unshift([name, value]);
      else if (value !== "–") all.push([name, value, name.length + value.length > 16]);
    }
    return all;
  };

  const cards = components.map((component, i) => {
    const number = i + 1, card = make("article", {className: "card"});
    card.setAttribute("aria-label", `Component ${number}`);
    const head = make("div", {className: "head"}, make("h3", {textContent: number}));
    if (component.label) head.append(make("span", {className: "what", textContent: component.label}));
    if (component.grade) head.append(make("span", {className: "grade", textContent: component.grade}));
    if (component.described?.proposed) head.append(make("span", {className: "grade", textContent: "proposed"}));
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
      card.append(make("div", {className: "pictures"}, picture("pattern", `${what}, most in ${peak}`), picture("spectrum", "Spectrum")));
    }
    card.append(picture("trace", shape ? "Image" : "Trace of the stretch that is shown"));
    const list = make("dl");
    for (const [name, value, isWide] of facts(component, i)) {
      list.append(make("div", {className: isWide ? "wide" : ""}, make("dt", {textContent: name}), make("dd", {textContent: value})));
    }
    card.append(list);
    return {card, tick, pictures, drawn: false};
  });

  const isVisible = element => {
    const {top, bottom} = element.getBoundingClientRect();
    return bottom > -200 && top < window.innerHeight + 200;
  };

  // drawCards draws the cards on the screen: their traces, and the rest once.
  const drawCards = () => cards.forEach((c, i) => {
    if (!isVisible(c.card)) return;
    const {trace, pattern, spectrum} = c.pictures, component = components[i];
    if (shape) {
      if (!c.drawn) drawImage(trace, source(i));
    } else {
      const width = trace.clientWidth, height = trace.clientHeight, context = prepare(trace, width, height);
      context.strokeStyle = removed.has(i) ? colours.removed : colours.trace;
      drawLine(context, source(i), 0, width, height / 2, height / (deviations * (component.sd || 1)), middleOf(source(i)));
    }
    if (!c.drawn && pattern) {
      const context = prepare(pattern, pattern.clientWidth, pattern.clientHeight);
      if (component.map) drawHead(context, pattern.clientWidth, pattern.clientHeight, component);
      else drawBars(context, pattern.clientWidth, pattern.clientHeight, component.described.pattern);
      drawSpectrum(prepare(spectrum, spectrum.clientWidth, spectrum.clientHeight), spectrum.clientWidth,
        spectrum.clientHeight, component.described.spectrum);
    }
    c.drawn = true;
  });

  const orders = [
    ["number", (a, b) => a - b],
    ["share", (a, b) => components[b].described.share - components[a].described.share],
    ["kurtosis", (a, b) => components[b].described.excess_kurtosis - components[a].described.excess_kurtosis],
    ["coherence", (a, b) => components[b].described.coherence - components[a].described.coherence],
    ["repeats", (a, b) => components[b].repeats - components[a].repeats],
  ].filter(([name]) => name === "number" || components.some(c => name === "repeats" ? c.repeats : c.described?.[name === "kurtosis" ? "excess_kurtosis" : name]));

  const putInOrder = () => {
    const compare = orders[get("order").selectedIndex][1];
    get("cards").replaceChildren(...cards.map((_, i) => i).sort(compare).map(i => cards[i].card));
    schedule();
  };

  // What is chosen -----------------------------------------------------------------------------

  const choose = (i, isRemoved) => {
    if (isRemoved) removed.add(i); else removed.delete(i);
    patterns.forget();
    cleaned.forget();
    cards[i].card.classList.toggle("removed", isRemoved);
    showChoice();
    if (isRemoved && view.shown === "channels" && !shape) showMostChanged();
    schedule();
  };

  // showMostChanged scrolls to the channel that changes most, unless it can be seen.
  const showMostChanged = () => {
    const shares = takenOut(), stage = get("stage"), height = rowHeight();
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
    get("command").replaceChildren(...command.split(" ").flatMap((word, k) => [k ? " " : "", make("span", {textContent: word})]));
    let words = "Tick a component to see the channels without it.";
    if (numbers.length > 0) {
      words = `Without ${numbers.join(", ")}. Taken out, as shares of the channels' variance: ${largest(takenOut(), 5) || "less than 0.05 %"}.`;
    }
    if (!page.command) words += " To remove components, separate with --save, and make this page with --model.";
    get("chosen").textContent = words;
    showLegend();
  };

  const showLegend = () => {
    const swatch = colour => make("span", {className: "swatch", style: `border-color: var(--${colour})`});
    const legend = get("legend");
    legend.replaceChildren();
    if (shape) {
      legend.append(view.shown === "channels" && removed.size > 0 ? "Left: recorded; right: without the ticked components." : "");
      return;
    }
    if (view.shown === "channels" && removed.size > 0) legend.append(swatch("before"), "recorded", swatch("trace"), "without the ticked components");
    else if (view.shown === "channels") legend.append(swatch("trace"), "recorded");
    else if (removable) legend.append(swatch("trace"), "kept", swatch("removed"), "ticked");
    const height = deviations / view.gain, digits = v => Number(v.toPrecision(2));
    let scale = `A row is ${digits(height)} standard deviations high`;
    if (view.shown === "channels" && commonScale) scale = `A row is ${digits(height * commonScale)} ${(channels[0].unit || "units").replace(/^uV$/, "µV")} high`;
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
    setTimeout(() => { get("copy").textContent = "Copy"; }, 1500);
  };

  const keep = () => {
    const text = JSON.stringify({signals: chosen(), ...page.selection}, null, 2) + "\n";
    const address = URL.createObjectURL(new Blob([text], {type: "application/json"}));
    make("a", {href: address, download: "selection.json"}).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  // All together -------------------------------------------------------------------------------

  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      if (shape) drawImages(); else drawStage();
      drawCards();
      const where = get("where");
      where.max = points - view.span;
      where.value = view.begin;
      const last = Math.min(points - 1, view.begin + view.span);
      where.setAttribute("aria-valuetext", `${timeOf(view.begin).toFixed(1)} to ${timeOf(last).toFixed(1)} ${unit}`);
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
    ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
    Home: () => setView(0, view.span), End: () => setView(points, view.span),
  };

  // listen lets the stage be dragged, pinched and turned by a wheel.
  const listen = stage => {
    const fingers = new Map(); // where each is
    const share = x => clamp((x - stage.getBoundingClientRect().left - gutter()) / (stage.clientWidth - gutter()), 0, 1);
    stage.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      keys[event.key]();
      event.preventDefault();
    });
    stage.addEventListener("pointerdown", event => {
      fingers.set(event.pointerId, event.clientX);
      stage.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, event => fingers.delete(event.pointerId));
    stage.addEventListener("pointermove", event => {
      if (!fingers.has(event.pointerId)) return;
      const before = [...fingers.values()];
      fingers.set(event.pointerId, event.clientX);
      const after = [...fingers.values()];
      if (after.length === 2) {
        zoom(Math.max(20, Math.abs(before[0] - before[1])) / Math.max(20, Math.abs(after[0] - after[1])), share((after[0] + after[1]) / 2));
      } else if (after.length === 1) {
        pan((before[0] - after[0]) / (stage.clientWidth - gutter()));
      }
    });
    stage.addEventListener("wheel", event => {
      if (event.ctrlKey || event.altKey) zoom(2 ** (event.deltaY / 200), share(event.clientX));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / stage.clientWidth);
      else return;
      event.preventDefault();
    }, {passive: false});
    stage.addEventListener("scroll", schedule);
  };

  const about = () => {
    const words = [`${channels.length} channels`, `${components.length} components`];
    const length = page.total * page.step / page.rate;
    words.push(page.rate > 0 ? `${Number(length.toPrecision(4))} s at ${Number((page.rate / page.step).toPrecision(6))} Hz` : `${page.total} positions`);
    if (page.pieces.length > 1) words.push("dashed lines: something is left out there");
    if (every > 1) words.push(shape ? `means of squares of ${every} pixels` : `each point is the mean of ${every} positions, so faster waves are smaller or missing`);
    return [words.join(" · "), ...page.notes ?? []];
  };

  const showReport = report => {
    const verdict = get("verdict");
    verdict.hidden = false;
    verdict.className = report.tone;
    const line = (text, className = "") => make("p", {textContent: text, className});
    verdict.append(make("h2", {textContent: report.verdict}), ...(report.reasons ?? []).map(r => line(r)));
    if (report.next?.length > 0) verdict.append(line("Next: " + report.next.join(" ")));
    get("report").hidden = false;
    get("report").querySelector("pre").textContent = report.text;
  };

  const begin = () => {
    if (shape) document.body.classList.add("images");
    if (!page.sensors) document.body.classList.add("bars");
    const [first, ...notes] = about();
    get("about").append(first);
    get("about").after(...notes.map(note => make("p", {textContent: `Note: ${note}`, className: "faint"})));
    get("what").textContent = shape || !removable ? "" : `Each with its pattern in the channels, its spectrum (${decibels} dB high), and the trace of the stretch that is shown.`;
    if (page.report) showReport(page.report);
    if (!removable) get("removal").hidden = get("to-removal").hidden = true;
    get("order").append(...orders.map(([name]) => make("option", {textContent: name})));
    get("order").addEventListener("change", putInOrder);
    const press = {
      channels: () => show("channels"), sources: () => show("sources"),
      earlier: () => pan(-0.5), later: () => pan(0.5), longer: () => zoom(2), shorter: () => zoom(0.5),
      all: () => setView(0, points), lower: () => amplify(1 / 1.5), higher: () => amplify(1.5), copy, keep,
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
  window.components = {view, mixed, cleaned, timeOf}; // for tests
})();
