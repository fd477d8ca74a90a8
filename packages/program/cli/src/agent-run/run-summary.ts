import { mainModel, type WitnessReceipt } from '@colophon/records';
import { coloursFor, counted, formatTable, oneLine, type Terminal } from '../terminal/terminal.ts';
import { substitutedIn, whyNoModel } from './run-records.ts';

/** What people are told after a run, on standard error; the command had the rest of the terminal. */
export function describeRun(receipt: WitnessReceipt, terminal: Terminal): string {
  const colours = coloursFor(terminal);
  const main = mainModel(receipt);
  const substituted = substitutedIn(receipt);
  const rows = receipt.models.map((model) => [
    'answered',
    model.served,
    `by ${model.upstream}`,
    counted(model.answers, 'answer'),
    substituted.includes(model) ? `SUBSTITUTED for ${model.requested}` : '',
  ]);
  const place =
    receipt.witness.place === 'isolated'
      ? 'witness: isolated'
      : 'witness: same host, a diary: policies count it as declared';
  const lines = [
    `colophon: run ${receipt.run_id}, ${place}\n`,
    formatTable(rows),
    ...(main === undefined ? [`no single model stands for this run: ${whyNoModel(receipt)}\n`] : []),
  ];
  return substituted.length > 0 || main === undefined ? colours.yellow(lines.join('')) : lines.join('');
}

/** Of the notice: characters of a line and of a name, and lines with names. */
const LINE = 80;
const NAME = 40;
const LINES = 4;

/**
 * What people are told of variables that the command does not get: names alone, and how it gets one. Those of this program are
 * nothing to it, and left out.
 */
export function describeWithheld(withheld: readonly string[]): string {
  const names = withheld.filter((name) => !name.startsWith('COLOPHON_')).map(oneLine);
  if (names.length === 0) return '';
  const lines = ['colophon: not given to the command:'];
  let shown = 0;
  for (const [index, name] of names.entries()) {
    const short = name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name;
    const word = index === names.length - 1 ? short : `${short},`;
    if (`${lines.at(-1)} ${word}`.length > LINE) {
      if (lines.length === LINES) break;
      lines.push(' ');
    }
    lines.push(`${lines.pop()} ${word}`);
    shown += 1;
  }
  if (shown < names.length) lines.push(`  … and ${names.length - shown} more`);
  lines.push('colophon: to give it one: colophon run … -- env NAME="$NAME" COMMAND');
  return lines.map((line) => `${line}\n`).join('');
}
