import type { SeveritySla } from '@colophon/records';
import { type Html, html } from './html.ts';

/** One bar, or one part of a bar. */
export type Bar = {
  readonly label: string;
  readonly count: number;
  /** Class of its colour. */
  readonly colour: string;
  /** Where its records are listed. */
  readonly href: string;
};

const WIDTH = 720;
const LABELS = 110;
const ROW = 34;
/** Of the larger text on a narrow screen. */
const DIGIT = 14;

/** One bar under the other, on one scale. */
export function barChart(title: string, bars: readonly Bar[]): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const room = WIDTH - LABELS - 90;
  const rows = bars.map(({ label, count, colour, href }, index) => {
    const y = index * ROW;
    const width = inTenths((count / most) * room);
    return html`<a href="${href}"><text x="0" y="${y + 21}">${label}</text><rect class="track" x="${LABELS}" y="${y + 28}" width="${room}" height="1"/><rect class="${colour}" x="${LABELS}" y="${y + 8}" width="${width}" height="17" rx="2"/><text x="${inTenths(LABELS + width + 9)}" y="${y + 21}">${count}</text></a>`;
  });
  return drawing(title, bars.map(({ label, count }) => `${label} ${count}`).join(', '), bars.length * ROW, rows);
}

/**
 * The parts of a whole in one bar, and what they are below it, in the same order. Parts that nobody is in are left out of
 * the bar; each other one has its number under it where there is room, so that no part is known by its colour alone.
 */
export function partsChart(title: string, parts: readonly Bar[]): Html {
  const whole = parts.reduce((sum, { count }) => sum + count, 0);
  let x = 0;
  const drawn = parts
    .filter(({ count }) => count > 0)
    .map(({ label, count, colour, href }) => {
      const width = inTenths((count / whole) * WIDTH);
      const part = html`<a href="${href}"><title>${label}: ${count}</title><rect class="${colour}" x="${inTenths(x)}" y="4" width="${Math.max(width - 1.5, 0.5)}" height="30"/>${width < String(count).length * DIGIT ? undefined : html`<text x="${inTenths(x)}" y="56">${count}</text>`}</a>`;
      x += (count / whole) * WIDTH;
      return part;
    });
  const empty = html`<rect class="track" x="0" y="4" width="${WIDTH}" height="30"/>`;
  const legend = parts.map(
    ({ label, count, colour, href }) =>
      html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${colour}" width="10" height="10" rx="2"/></svg><a href="${href}">${label} ${count}</a></li>`,
  );
  const words = parts.map(({ label, count }) => `${label} ${count}`).join(', ');
  return html`${drawing(title, words, 62, drawn.length === 0 ? [empty] : drawn)}
<ul class="legend">${legend}</ul>`;
}

/** What a severity took on average, beside what it may take: the mark is the target. */
export type SlaBar = SeveritySla & {
  readonly label: string;
  readonly colour: string;
  readonly href: string;
  readonly count: number;
};

/** Averages and targets, each severity on a scale of its own: 1, 7 and 30 days have no common one that shows them all. */
export function slaChart(title: string, bars: readonly SlaBar[]): Html {
  const room = WIDTH - LABELS - 210;
  const rows = bars.map(({ label, colour, href, count, target_days, actual_avg_days }, index) => {
    const y = index * (ROW + 8);
    const most = Math.max(actual_avg_days, target_days * 1.6);
    const width = inTenths((actual_avg_days / most) * room);
    const mark = inTenths(LABELS + (target_days / most) * room);
    const words = count === 0 ? 'nothing was due' : `${actual_avg_days} of ${days(target_days)}`;
    return html`<a href="${href}"><text x="0" y="${y + 24}">${label}</text><rect class="track" x="${LABELS}" y="${y + 10}" width="${room}" height="19" rx="2"/><rect class="${colour}" x="${LABELS}" y="${y + 10}" width="${width}" height="19" rx="2"/><line class="mark" x1="${mark}" x2="${mark}" y1="${y + 4}" y2="${y + 35}"/><text x="${LABELS + room + 14}" y="${y + 24}">${words}</text></a>`;
  });
  const words = bars.map(({ label, count, actual_avg_days, target_days }) =>
    count === 0
      ? `${label}: nothing was due`
      : `${label}: ${actual_avg_days} days on average, target ${days(target_days)}`,
  );
  return drawing(title, words.join('; '), bars.length * (ROW + 8), rows);
}

/** `1 day`, `7 days` */
export function days(number: number): string {
  return `${number} ${number === 1 ? 'day' : 'days'}`;
}

/** Read aloud by its title and the numbers in it. */
function drawing(title: string, words: string, height: number, parts: readonly Html[]): Html {
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="${title}: ${words}">${parts}</svg></figure>`;
}

/** Coordinates with one decimal: the same digits on every machine. */
function inTenths(number: number): number {
  return Math.round(number * 10) / 10;
}
