import { RegistryError } from '@colophon/sigstore';
import { type Column, columnTable, type TableView, widthOf } from '../column-table/column-table.ts';
import { wrapLine } from '../column-table/wrapped-lines.ts';
import { coloursFor, counted, oneLine } from '../terminal/terminal.ts';
import type { AdmitObjectsResult } from './admit-objects-result.ts';

type Decided = AdmitObjectsResult['objects'][number];
type Reason = Decided['reasons'][number];

const COLUMNS: readonly Column[] = [
  { heading: 'DECIDED', rank: 1 },
  { heading: 'OBJECT', rank: 1, shortest: 20 },
  { heading: 'IMAGES', rank: 3 },
  { heading: 'REASONS', rank: 1, shortest: 20, isList: true },
  { heading: 'FILE', rank: 2, shortest: 12 },
];

/** A line for each object, and below them the reasons and warnings of each image. */
export function describeObjects(
  { objects, trusted_root, folders_not_read }: AdmitObjectsResult,
  view: TableView,
): string {
  const colours = coloursFor(view.terminal, view.terminal.stdout);
  const several = new Set(objects.flatMap(({ file, document }) => (document > 1 ? [file] : [])));
  const rows = objects.map((one) => [
    one.admitted ? 'admitted' : 'refused',
    nameOf(one),
    String(one.images.length),
    codesOf(one).join(', ') || '-',
    one.file,
  ]);
  const paint = (line: string, row: number) => (objects[row]?.admitted === true ? line : colours.red(line));
  const width = widthOf(view);
  const details = objects
    .map((one) => ({ one, lines: linesOf(one) }))
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ one, lines }) => [
      '',
      `${colours.bold(oneLine(nameOf(one)))}${several.has(one.file) ? ` (document ${one.document} of ${oneLine(one.file)})` : ''}`,
      // Names and images are whatever somebody wrote.
      ...lines.map((line) => wrapLine(oneLine(line), width)),
    ]);
  const images = new Set(objects.flatMap((one) => one.images.map(({ image }) => image)));
  const refused = objects.filter(({ admitted }) => !admitted).length;
  const counts = `${counted(objects.length, 'object')}, ${counted(images.size, 'image')}: ${refused} refused`;
  const lines = [...details, '', `trust     ${trusted_root}`, ...notRead(folders_not_read, width), counts];
  return `${columnTable(COLUMNS, rows, view, paint)}${lines.join('\n')}\n`;
}

/** A verdict about a folder says nothing of those below it. */
function notRead(folders: readonly string[], width: number): string[] {
  if (folders.length === 0) return [];
  const [first = '', ...others] = folders;
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more folder')}`;
  return [wrapLine(oneLine(`not read  ${first}${more} (--recursive reads them)`), width)];
}

/** Whether nothing is refused but images whose registry failed: the same may be admitted when it answers again. */
export function isOutageAlone(objects: readonly Decided[]): boolean {
  const refused = objects.filter(({ admitted }) => !admitted);
  const reasons = refused.flatMap((one) => [...one.reasons, ...one.images.flatMap((image) => image.reasons)]);
  return reasons.length > 0 && reasons.every(({ code }) => OUTAGES.has(code));
}

const OUTAGES: ReadonlySet<string> = new Set(
  RegistryError.codes.filter((code) => new RegistryError(code, '').kind === 'peer'),
);

/** `Deployment shop/web`. */
function nameOf({ kind = '(no kind)', namespace, name = '(no name)' }: Decided): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Of the object itself, and of its images; each once. */
function codesOf({ reasons, images }: Decided): string[] {
  return [...new Set([...reasons, ...images.flatMap((one) => one.reasons)].map(({ code }) => code))];
}

function linesOf({ reasons, images }: Decided): string[] {
  return [
    ...reasons.flatMap((reason) => reasonLines('reason', reason)),
    ...images
      .filter((one) => one.reasons.length + one.warnings.length > 0)
      .flatMap((one) => [
        `  ${one.place} ${one.image}`,
        ...one.reasons.flatMap((reason) => reasonLines('reason', reason)),
        ...one.warnings.flatMap((warning) => reasonLines('warning', warning)),
      ]),
  ];
}

function reasonLines(word: 'reason' | 'warning', { code, message, expected, found, policy }: Reason): string[] {
  return [
    `    ${word} ${code}: ${message}${policy === undefined ? '' : ` (${policy})`}`,
    ...(expected === undefined ? [] : [`      expected ${expected}`]),
    ...(found === undefined ? [] : [`      found    ${found}`]),
  ];
}
