import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { osvFixedVersions } from './fixed-versions.ts';
import { GovulncheckFindings, type Reach } from './govulncheck-findings.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import { messagesOf } from './output-document.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';

const MESSAGES = ['config', 'progress', 'SBOM', 'osv', 'finding'];

/** `govulncheck -json`: messages, one document after the other, or the same in a list. */
export const govulncheckOutput: OutputFormat = {
  name: 'govulncheck',
  looksLike: (root) => {
    const messages = messagesOf(root);
    return messages.length > 0 && messages.every(isMessage);
  },
  read: (root) => {
    const findings = new GovulncheckFindings();
    let config: Members = {};
    const found: Array<readonly [Path, Members]> = [];
    for (const [index, message] of messagesOf(root).entries()) {
      const members = objectOf(message);
      if (has(members, 'config')) config = objectOf(members['config']);
      if (has(members, 'osv')) findings.addRecord(objectOf(members['osv']));
      if (has(members, 'finding')) found.push([[index, 'finding'], objectOf(members['finding'])]);
    }
    const level = textOf(config['scan_level']);
    // Behind all records, although govulncheck itself writes a record before what it found of it.
    for (const [path, finding] of found) {
      const [vulnerable] = listOf(finding['trace']).map(objectOf);
      const { module, version, package: imported, function: called } = vulnerable ?? {};
      const reach = textOf(called) !== undefined ? 'called' : textOf(imported) !== undefined ? 'imported' : 'required';
      const fixed = textOf(finding['fixed_version']);
      findings.add(path, {
        id: textOf(finding['osv']),
        module: textOf(module),
        version: textOf(version),
        fixedInVersions: fixed === undefined ? [] : [fixed],
        reach,
      });
    }
    const facts = {
      version: config['scanner_version'],
      databaseBuiltAt: config['db_last_modified'],
    };
    return { ok: true, value: [findings.reading(level).done(facts)] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => MESSAGES.includes(name) && isObject(value[name]));
}

/** `govulncheck -json` before 1.0: one object. */
export const govulncheckLegacyOutput: OutputFormat = {
  name: 'govulncheck before 1.0',
  looksLike: (root) => isObject(root) && has(root, 'Vulns') && (has(root, 'Calls') || has(root, 'Requires')),
  read: (value) => {
    const { Vulns: vulns, Requires: requires } = objectOf(value);
    if (vulns !== null && !Array.isArray(vulns)) {
      return refuse('scan.list_invalid', `govulncheck's list of Vulns is ${kindOf(vulns)}.`, { path: '/Vulns' });
    }
    const modules = new Map(Object.entries(objectOf(objectOf(requires)['Modules'])));
    const findings = new GovulncheckFindings();
    for (const [index, entry] of listOf(vulns).entries()) {
      const vuln = objectOf(entry);
      const record = objectOf(vuln['OSV']);
      const module = textOf(vuln['ModPath']);
      const sink = vuln['RequireSink'];
      findings.addRecord(record);
      findings.add(['Vulns', index], {
        id: textOf(record['id']),
        module,
        version: textOf(objectOf(typeof sink === 'number' && modules.get(`${sink}`))['Version']),
        fixedInVersions: osvFixedVersions(record['affected'], module),
        reach: isSink(vuln['CallSink']) ? 'called' : isSink(vuln['ImportSink']) ? 'imported' : 'required',
      });
    }
    return { ok: true, value: [findings.reading('symbol').done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

/** A node of its graphs; 0 is none. */
function isSink(value: unknown): boolean {
  return typeof value === 'number' && value !== 0;
}

const REACH_OF_LEVEL: ReadonlyMap<unknown, Reach> = new Map<unknown, Reach>([
  ['error', 'called'],
  ['warning', 'imported'],
  ['note', 'required'],
]);

/** `govulncheck -format sarif`. */
export const govulncheckSarifOutput: OutputFormat = {
  name: 'govulncheck SARIF',
  looksLike: (root) => {
    const runs = isObject(root) ? listOf(root['runs']) : [];
    return runs.length > 0 && runs.every((run) => driverOf(run)['name'] === 'govulncheck');
  },
  read: (root) => ({
    ok: true,
    value: listOf(objectOf(root)['runs']).map((run, index) => readRun(objectOf(run), ['runs', index])),
  }),
};

function driverOf(run: unknown): Members {
  return objectOf(objectOf(objectOf(run)['tool'])['driver']);
}

function readRun(run: Members, path: Path): ScannerReading {
  const driver = driverOf(run);
  const config = objectOf(driver['properties']);
  const findings = new GovulncheckFindings();
  for (const rule of listOf(driver['rules']).map(objectOf)) {
    const { id, properties, fullDescription } = rule;
    const aliases = listOf(objectOf(properties)['tags']);
    findings.addRecord({ id, aliases, summary: objectOf(fullDescription)['text'] });
  }
  for (const [index, entry] of listOf(run['results']).entries()) {
    const result = objectOf(entry);
    const reach = REACH_OF_LEVEL.get(result['level']) ?? 'called';
    for (const [module, version] of sarifModules(result, textOf(config['go_version']))) {
      const id = textOf(result['ruleId']);
      const isPackage = reach === 'imported' && module !== 'stdlib';
      findings.add([...path, 'results', index], { id, module, version, fixedInVersions: [], reach, isPackage });
    }
  }
  const version = config['scanner_version'] ?? driver['semanticVersion'] ?? driver['version'];
  const facts = { version, databaseBuiltAt: config['db_last_modified'] };
  return findings.reading(textOf(config['scan_level'])).done(facts);
}

type ModuleVersion = readonly [module: string | undefined, version: string | undefined];

/**
 * The vulnerable modules of a result. Only what is called has stacks, with the vulnerable module last; of anything else
 * the names stand in the message alone, and of what is imported only the package's.
 */
function sarifModules(result: Members, goVersion: string | undefined): readonly ModuleVersion[] {
  const modules = new Map<string, ModuleVersion>();
  for (const stack of listOf(result['stacks']).map(objectOf)) {
    const text = textOf(objectOf(listOf(stack['frames']).at(-1))['module']);
    const at = text?.lastIndexOf('@') ?? -1;
    if (text !== undefined && at > 0) modules.set(text, [text.slice(0, at), text.slice(at + 1) || undefined]);
  }
  if (modules.size > 0) return [...modules.values()];
  const message = textOf(objectOf(result['message'])['text']) ?? '';
  const names = /\(([^()]{1,2000})\)/.exec(message)?.[1]?.split(/,\s*and\s+|\s+and\s+|,\s*/) ?? [];
  for (const name of names) {
    // Paths of modules begin with a host; what has none belongs to Go itself.
    const isGo = !name.split('/', 1)[0]!.includes('.');
    modules.set(isGo ? 'stdlib' : name, isGo ? ['stdlib', goVersion?.replace(/^go/, 'v')] : [name, undefined]);
  }
  return modules.size > 0 ? [...modules.values()] : [[undefined, undefined]];
}
