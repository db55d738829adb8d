// The numbers of a page, and what follows from them; draw.js and page.js are behind this file.
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const get = id => document.getElementById(id);
const {channels, components, every, shape} = page;
const points = shape ? shape[0] * shape[1] : Math.ceil(page.total / every);
const removable = page.a !== null;
const removed = new Set();

// cached returns f, which is called once for each index until forget.
const cached = f => {
  const kept = new Map();
  const g = i => kept.get(i) ?? (kept.set(i, f(i)), kept.get(i));
  g.forget = () => kept.clear();
  return g;
};

// decode returns the values of a series: 16-bit numbers, low byte first, in base64.
const decode = ({samples, scale, offset}) => {
  const bytes = atob(samples),
    values = new Float32Array(bytes.length / 2);
  for (let t = 0; t < values.length; t++) {
    const number = ((bytes.charCodeAt(2 * t + 1) << 24) >> 16) | bytes.charCodeAt(2 * t);
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
  const c = page.moments.covariance,
    all = components.map(() => 0);
  for (const row of page.a) {
    const cross = all.map((_, i) => row.reduce((sum, v, j) => sum + v * c[j][i], 0));
    const variance = cross.reduce((sum, v, i) => sum + v * row[i], 0);
    if (variance > 0)
      cross.forEach((v, i) => {
        all[i] = Math.max(all[i], (v * v) / (variance * c[i][i]));
      });
  }
  return all;
});

// regression returns what a value of 1 of component i is in all, in the regression on those in
// "on" or, by cubes, with its cube in place of itself.
const regression = (on, i, byCubes) => {
  const {covariance, cubes} = page.moments;
  const products = covariance.map((row, j) =>
    on.map(o => (byCubes && o === i ? cubes[j] : row[o])),
  );
  const solved = solve(
    on.map(o => [...products[o]]),
    on.map(o => (o === i ? 1 : 0)),
  );
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
  const a = source(i),
    b = source(j);
  let sum = 0,
    sumA = 0,
    sumB = 0;
  for (let t = 0; t < points; t++) {
    sum += a[t] * b[t];
    sumA += a[t];
    sumB += b[t];
  }
  return (sum - (sumA * sumB) / points) / points;
};

// takenOut returns the share of each channel's variance that removing takes out. Points that are
// means have less variance than the positions, so that only their correlations count.
const takenOut = () => {
  const rows = chosen(),
    variances = rows.map(i => covariance(i, i));
  const products = rows.map((i, p) =>
    rows.map(
      (j, q) =>
        components[i].sd *
        components[j].sd *
        (i === j ? 1 : covariance(i, j) / Math.sqrt(variances[p] * variances[q] || 1)),
    ),
  );
  return channels.map((channel, c) => {
    let sum = 0;
    rows.forEach((_, p) =>
      rows.forEach((_, q) => {
        sum += patterns(0)[p][c] * products[p][q] * patterns(0)[q][c];
      }),
    );
    return channel.sd > 0 ? sum / channel.sd ** 2 : 0;
  });
};

// largest names the channels with the largest shares.
const largest = (shares, count) =>
  shares
    .map((share, c) => [share, spoken(c)])
    .sort((a, b) => b[0] - a[0])
    .slice(0, count)
    .filter(([share]) => share >= 0.0005)
    .map(([share, name]) => `${name}\u00a0${percent(share)}`)
    .join(", ");

// spoken is the name of a channel in a sentence.
const spoken = c =>
  channels[c].name === String(c + 1) ? `channel\u00a0${c + 1}` : channels[c].name;
// fixed is v with so many decimals, and a minus sign as long as a plus.
const fixed = (v, decimals) => v.toFixed(decimals).replace(/^-(0\.0*$)?/, (_, zero) => zero ?? "−");
const percent = share =>
  `${share >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toFixed(1)}\u00a0%`;

// pieceOf returns the index of the piece that position t of the mixed signals is in.
const pieceOf = t => {
  let low = 0,
    high = page.pieces.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (page.pieces[middle][0] <= t) low = middle;
    else high = middle;
  }
  return low;
};
const inTime = recorded => (page.rate > 0 ? page.start + recorded / page.rate : recorded);
// timeOf returns the time of a point, in seconds or, without a rate, positions.
const timeOf = point => {
  const [first, recorded] = page.pieces[pieceOf(point * every)];
  return inTime(recorded + (point * every - first) * page.step);
};
const unit = page.rate > 0 ? "s" : "positions";
const perPoint = (every * page.step) / (page.rate || 1);

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
  const step = niceStep(((80 * view.span) / width) * perPoint);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const all = [],
    joints = [],
    end = view.begin + view.span;
  for (let k = pieceOf(view.begin * every); k < page.pieces.length; k++) {
    const first = page.pieces[k][0] / every,
      next = (page.pieces[k + 1]?.[0] ?? page.total) / every;
    if (first > end) break;
    if (first > view.begin) joints.push(first);
    const begin = Math.max(first, view.begin),
      from = inTime(page.pieces[k][1]);
    const until = Math.min(next, end);
    for (let n = Math.ceil((from + (begin - first) * perPoint) / step - 1e-6); ; n++) {
      const point = first + (n * step - from) / perPoint;
      if (point > until) break;
      const far = all.length === 0 || ((point - all.at(-1).point) * width) / view.span >= 50;
      if (far) all.push({point, label: (n * step).toFixed(decimals)});
    }
  }
  return {all, joints};
};
