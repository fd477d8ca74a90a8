import { mainModel, type WitnessReceipt } from '@colophon/records';
import { coloursFor, counted, formatTable, type Terminal } from '../terminal/terminal.ts';
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
