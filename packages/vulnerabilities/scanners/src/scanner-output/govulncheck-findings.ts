import { componentPurl } from './component-purl.ts';
import type { Members } from './members.ts';
import { textOf } from './members.ts';
import { osvDescription, osvIds, osvScores, osvSeverity, osvWithdrawn } from './osv-record.ts';
import { type Path, ReadingBuilder } from './reading-builder.ts';

/** How near vulnerable code is: called, in a package that is imported, or only in a module that is required. */
export type Reach = 'called' | 'imported' | 'required';

/** One trace of govulncheck: it writes several for one vulnerability of one module. */
export type Trace = {
  readonly id: string | undefined;
  readonly module: string | undefined;
  /** Only a package of the module is known, and its path stands in `module`. */
  readonly isPackage?: boolean;
  readonly version: string | undefined;
  readonly fixedInVersions: readonly string[];
  readonly reach: Reach;
};

const NEARNESS: Readonly<Record<Reach, number>> = { called: 2, imported: 1, required: 0 };

/** Makes one finding of all traces of a vulnerability in a module. */
export class GovulncheckFindings {
  readonly #records = new Map<string, ReturnType<typeof factsOf>>();
  readonly #traces = new Map<string, { readonly path: Path; readonly traces: Trace[] }>();

  /** An OSV record; govulncheck sends also those that nothing is found of. */
  addRecord(record: Members): void {
    const id = textOf(record['id']);
    // The old output repeats it with every trace.
    if (id !== undefined && !this.#records.has(id)) this.#records.set(id, factsOf(record));
  }

  add(path: Path, trace: Trace): void {
    // What says too little to be told apart stands for itself.
    const isWhole = trace.id !== undefined && trace.module !== undefined;
    const key = isWhole ? JSON.stringify([trace.id, trace.module, trace.version]) : JSON.stringify(path);
    const known = this.#traces.get(key);
    if (known === undefined) this.#traces.set(key, { path, traces: [trace] });
    else known.traces.push(trace);
  }

  /**
   * @param level how deep govulncheck was told to look: `module`, `package` or `symbol`. Only what it looked for can be
   *   missing: at `symbol`, vulnerable code that is not called is no finding to govulncheck, and is suppressed here.
   */
  reading(level: string | undefined): ReadingBuilder {
    const reading = new ReadingBuilder('govulncheck');
    for (const { path, traces } of this.#traces.values()) {
      const [{ id, module, version, isPackage }] = traces as [Trace];
      const { withdrawn, ...facts } = (id === undefined ? undefined : this.#records.get(id)) ?? factsOf({});
      const nearest = traces.reduce((one, other) => (NEARNESS[other.reach] > NEARNESS[one.reach] ? other : one));
      reading.add(path, {
        id,
        ...facts,
        name: module,
        version,
        purl: module === undefined || isPackage === true ? undefined : componentPurl('golang', module, version),
        fixedInVersions: traces.flatMap(({ fixedInVersions }) => fixedInVersions),
        suppressed: withdrawn ?? notReached(nearest.reach, level),
      });
    }
    return reading;
  }
}

/** Taken from a record once, however many modules have it. */
function factsOf(record: Members) {
  return {
    aliases: osvIds(record),
    severity: osvSeverity(record),
    scores: osvScores(record),
    description: osvDescription(record),
    published: record['published'],
    withdrawn: osvWithdrawn(record),
  };
}

function notReached(reach: Reach, level: string | undefined): string | undefined {
  if (reach === 'called' || level === 'module' || (level === 'package' && reach === 'imported')) return undefined;
  if (reach === 'imported') return 'the vulnerable code is imported and not called';
  return level === 'package' ? 'the vulnerable code is not imported' : 'the vulnerable code is required and not called';
}
