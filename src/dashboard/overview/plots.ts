/** Plots as SVG that needs no script: bars, and a line. Their numbers stand in a table under each. */
import { scaleBand, scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import { type Html, html } from '../../lib/html.ts';

const WIDTH = 480;
const HEIGHT = 200;
const LEFT = 60;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const BASE = HEIGHT - BOTTOM;
/** Labels beside one another that leave each other room. */
const MOST_LABELS = 6;
const TICKS = 4;

export type Plot = {
  /** Unique in its document. */
  readonly id: string;
  readonly title: string;
  /** One sentence with what the plot shows, for those who do not see it. */
  readonly summary: string;
  /** Writes a value of the vertical axis. */
  readonly tick: (value: number) => string;
  /** Set if the values are whole numbers, and nothing between them has a meaning. */
  readonly isWhole?: true;
};

type Told = Pick<Plot, 'id' | 'title' | 'summary'>;

export type Bar = {
  readonly label: string;
  readonly value: number;
  /** Part of the value that stands out; all of it where it is absent. */
  readonly part?: number;
};

export function bars({ tick, isWhole, ...plot }: Plot, all: readonly Bar[]): Html {
  const x = scaleBand(
    all.map((_, place) => place),
    [LEFT, WIDTH - RIGHT],
  ).padding(0.2);
  const most = Math.max(1, ...all.map(({ value }) => value));
  const y = scaleLinear([0, most], [BASE, TOP]).nice(TICKS);
  const ticks = y.ticks(TICKS).filter((value) => !isWhole || Number.isInteger(value));
  const bar = (place: number, value: number, kind: string) =>
    value > 0 &&
    html`<rect class="${kind}" x="${rounded(x(place) ?? 0)}" y="${rounded(y(value))}" width="${rounded(x.bandwidth())}" height="${rounded(BASE - y(value))}"/>`;
  return drawn(
    plot,
    html`${axis(ticks, y, tick)}
${all.map(({ value, part }, place) =>
  part === undefined
    ? bar(place, value, 'bar')
    : html`${bar(place, value, 'whole')}${bar(place, part, 'bar')}`,
)}
${labels(
  all.map(({ label }) => label),
  (place) => (x(place) ?? 0) + x.bandwidth() / 2,
)}`,
  );
}

export type Point = {
  readonly label: string;
  /** From 0 to 1; null where there is none. */
  readonly share: number | null;
};

/** Shares on a line from 0 to 100 %. */
export function shares(plot: Told, all: readonly Point[]): Html {
  const x = scalePoint(
    all.map((_, place) => place),
    [LEFT + 12, WIDTH - RIGHT - 12],
  );
  const y = scaleLinear([0, 1], [BASE, TOP]);
  const at = (place: number) => x(place) ?? 0;
  const way = line<Point>()
    .defined(({ share }) => share !== null)
    .x((_, place) => rounded(at(place)))
    .y(({ share }) => rounded(y(share ?? 0)))(all);
  const dots = all.map(
    ({ share }, place) =>
      share !== null &&
      html`<circle class="bar" cx="${rounded(at(place))}" cy="${rounded(y(share))}" r="3"/>`,
  );
  return drawn(
    plot,
    html`${axis([0, 0.25, 0.5, 0.75, 1], y, (share) => `${share * 100} %`)}
${way !== null && html`<path class="line" d="${way}"/>`}${dots}
${labels(
  all.map(({ label }) => label),
  at,
)}`,
  );
}

/** The title and the summary are what screen readers tell of a plot. */
const drawn = ({ id, title, summary }: Told, content: Html): Html =>
  html`<div class="scroll plot" role="region" aria-label="${title}" tabindex="0"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-summary">
<title id="${id}-title">${title}</title><desc id="${id}-summary">${summary}</desc>
${content}
</svg></div>`;

const axis = (
  ticks: readonly number[],
  y: (value: number) => number,
  tick: (value: number) => string,
): Html =>
  html`${ticks.map(
    (
      value,
    ) => html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${rounded(y(value))}" y2="${rounded(y(value))}"/><text x="${LEFT - 6}" y="${rounded(y(value) + 4)}" text-anchor="end">${tick(value)}</text>
`,
  )}`;

/** The first label and each that has room behind it. */
function labels(texts: readonly string[], at: (place: number) => number): Html {
  const step = Math.ceil(texts.length / MOST_LABELS);
  return html`${texts.map(
    (text, place) =>
      place % step === 0 &&
      html`<text x="${rounded(at(place))}" y="${HEIGHT - 6}" text-anchor="middle">${text}</text>`,
  )}`;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
