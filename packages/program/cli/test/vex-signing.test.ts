import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';
import { DANA_PRIVATE_KEY, DANA_PUBLIC_KEY, EVE_PRIVATE_KEY, LOCKED_PRIVATE_KEY } from './openpgp-key.ts';

const CVE = 'CVE-2021-44228';
const LOG4J = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';
const IMAGE = `pkg:oci/shop@sha256:${'a'.repeat(64)}`;
const ABOUT = ['--vulnerability', CVE, '--product', LOG4J];
const DANA = ['--reviewer', 'dana@example.com'];

const cleanup = cleanupAt(afterAll);
let here: Installation;
let dana: readonly string[];
let next = 0;
let file: string;

beforeAll(async () => {
  here = await install(cleanup);
  dana = ['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url];
  here.file('dana.pub', DANA_PUBLIC_KEY);
  here.file('dana.key', DANA_PRIVATE_KEY);
});
beforeEach(() => {
  file = join(here.folder, `vex-${next++}.json`);
});

const at = (name: string) => join(here.folder, name);
const read = (path = file) => JSON.parse(readFileSync(path, 'utf8'));
const create = (...more: string[]) => here.document('vex', 'create', '--author', 'Dana', '--out', file, ...more);
const set = (...more: string[]) => here.document('vex', 'set', file, ...ABOUT, ...more);
const refused = async (...line: string[]) => {
  const { exitCode, code } = await here.refusal('vex', ...line);
  return `${exitCode} ${code}`;
};
const notAffected = ['--status', 'not_affected', '--justification', 'vulnerable_code_not_present'];
const investigated = ['--status', 'under_investigation'];

describe('vex create', () => {
  test('makes OpenVEX that scanners read', async () => {
    const record = await create(
      '--vulnerability',
      ' cve-2021-44228',
      '--alias',
      'GHSA-jfh8-c2jp-5v3q',
      '--product',
      IMAGE,
      '--subcomponent',
      LOG4J,
      ...notAffected,
      '--impact',
      'no lookups',
    );
    expect(record).toMatchObject({ ok: true, out: file, vulnerability: CVE, status: 'not_affected' });
    const document = read();
    expect(document).toMatchObject({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      author: 'Dana',
      version: 1,
      statements: [
        {
          vulnerability: { name: CVE, aliases: ['GHSA-jfh8-c2jp-5v3q'] },
          products: [
            {
              '@id': IMAGE,
              identifiers: { purl: IMAGE },
              subcomponents: [{ '@id': LOG4J, identifiers: { purl: LOG4J } }],
            },
          ],
          status: 'not_affected',
          justification: 'vulnerable_code_not_present',
          impact_statement: 'no lookups',
        },
      ],
    });
    expect(document['@id']).toMatch(/^https:\/\//);
  });

  test('takes the product from an SBOM', async () => {
    const component = { type: 'application', 'bom-ref': 'root', name: 'shop', version: '1', purl: 'pkg:npm/shop@1' };
    const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components: [] };
    await create('--vulnerability', CVE, '--sbom', here.file('shop.cdx.json', sbom), ...investigated);
    expect(read().statements[0].products[0]['@id']).toBe('pkg:npm/shop@1');
    rmSync(file);
    const { purl: _, ...bare } = component;
    await create(
      '--vulnerability',
      CVE,
      '--sbom',
      here.file('bare.cdx.json', { ...sbom, metadata: { component: bare } }),
      ...investigated,
    );
    expect(read().statements[0].products[0]['@id']).toBe('pkg:generic/shop@1');
    const without = here.file('none.cdx.json', { ...sbom, metadata: {} });
    const line = ['create', '--author', 'D', '--vulnerability', CVE, '--sbom', without, ...investigated];
    expect(await refused(...line)).toBe('1 cli.usage');
  });

  test.each<[string, string[], string]>([
    ['no vulnerability', ['--product', LOG4J, ...investigated], '1 cli.usage'],
    ['an id that is no IRI', [...ABOUT, ...investigated, '--id', 'my vex'], '1 cli.usage'],
    ['no status', ABOUT, '1 cli.usage'],
    [
      'a CVE with a typing error',
      ['--vulnerability', 'CVE-2021-4422x', '--product', LOG4J, ...investigated],
      '1 cli.usage',
    ],
    ['an alias with one', [...ABOUT, ...investigated, '--alias', 'CVE-21-44228'], '1 cli.usage'],
    ['no product', ['--vulnerability', CVE, ...investigated], '1 cli.usage'],
    ['a product that is none', ['--vulnerability', CVE, '--product', 'log4j', ...investigated], '1 cli.usage'],
    ['a purl that is none', ['--vulnerability', CVE, '--product', 'pkg:npm', ...investigated], '1 cli.usage'],
    ['a purl whose type is none', ['--vulnerability', CVE, '--product', 'pkg:.npm/a', ...investigated], '1 cli.usage'],
    [
      'a justification for something else',
      [...ABOUT, '--status', 'affected', '--action', 'x', '--justification', 'component_not_present'],
      '1 cli.usage',
    ],
    ['an action for something else', [...ABOUT, ...notAffected, '--action', 'x'], '1 cli.usage'],
    ['no justification', [...ABOUT, '--status', 'not_affected'], '1 cli.usage'],
    ['no action', [...ABOUT, '--status', 'affected'], '1 cli.usage'],
    ['no proof', [...ABOUT, '--status', 'fixed'], '1 cli.usage'],
  ])('refuses %s', async (_what, flags, expected) => {
    expect(await refused('create', '--author', 'Dana', '--out', file, ...flags)).toBe(expected);
    expect(existsSync(file)).toBe(false);
  });

  test('leaves what was said in a document that is there, and writes into an empty file', async () => {
    writeFileSync(file, '');
    await create(...ABOUT, ...investigated);
    const said = readFileSync(file);
    const line = ['create', '--author', 'Eve', '--out', file, ...ABOUT, ...notAffected];
    expect(await refused(...line)).toBe('1 cli.file_taken');
    expect(readFileSync(file)).toEqual(said);
  });
});

describe('vex set', () => {
  test('adds what is true now, and leaves what was said', async () => {
    await create(...ABOUT, ...investigated);
    const before = read();
    const first = await set('--status', 'affected', '--action', 'update to 2.17.1');
    expect(first).toMatchObject({ previous_statuses: ['under_investigation'], status: 'affected', version: 2 });
    const second = await set(...investigated, '--reason', 'the class is not loaded');
    expect(second).toMatchObject({ previous_statuses: ['affected'], status: 'under_investigation', version: 3 });
    const third = await set(...notAffected);
    expect(third).toMatchObject({ previous_statuses: ['under_investigation'], status: 'not_affected', version: 4 });
    const after = read();
    expect(after.statements.slice(0, 1)).toEqual(before.statements);
    expect(after.timestamp).toBe(before.timestamp);
    expect(after.statements.map(({ status }: { status: string }) => status)).toEqual([
      'under_investigation',
      'affected',
      'under_investigation',
      'not_affected',
    ]);
    const times = after.statements.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
    // Each is later than the one before, however fast they follow each other.
    expect([...new Set(times)].sort()).toEqual(times);
    expect(after.last_updated).toBe(after.statements.at(-1).timestamp);
  });

  test('does not jump from one decision to the other, however the product is written', async () => {
    await create(...ABOUT, '--status', 'affected', '--action', 'update');
    const any = LOG4J.split('@')[0]!;
    for (const product of [LOG4J, any, `${LOG4J}?type=jar`]) {
      const line = ['set', file, '--vulnerability', CVE, '--product', product, ...notAffected];
      expect(await refused(...line)).toBe('20 vex.transition_refused');
    }
    const other = await here.document(
      'vex',
      'set',
      file,
      '--vulnerability',
      CVE,
      '--product',
      'pkg:maven/a/b@1',
      ...notAffected,
    );
    expect(other.previous_statuses).toEqual([]);
  });

  test('of all of a product heeds what was said of one component in it', async () => {
    const inside = ['--vulnerability', CVE, '--product', IMAGE, '--subcomponent', LOG4J];
    await create(...inside, '--status', 'affected', '--action', 'update');
    const line = ['set', file, '--vulnerability', CVE, '--product', 'pkg:oci/shop', ...notAffected];
    expect(await refused(...line)).toBe('20 vex.transition_refused');
  });

  test('writes elsewhere where that is asked for', async () => {
    await create(...ABOUT, ...investigated);
    const before = readFileSync(file);
    await set(...notAffected, '--out', at('elsewhere.json'));
    expect(readFileSync(file)).toEqual(before);
    expect(read(at('elsewhere.json')).version).toBe(2);
  });

  test('changes no document of another shape', async () => {
    const said = {
      vulnerability: { id: CVE },
      components: [{ identifiers: { purl: LOG4J } }],
      status: 'affected',
      timestamp: '2026-11-01T00:00:00Z',
    };
    const spec = here.file('spec.json', { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [said] });
    expect(await refused('set', spec, ...ABOUT, ...investigated, '--reason', 'x')).toBe('20 vex.not_openvex');
    expect(await refused('set', here.file('none.json', '{}'), ...ABOUT, ...investigated)).toBe('20 cli.vex_invalid');
  });

  test('says nothing that would not count: the document is dated later than now', async () => {
    await create(...ABOUT, ...investigated);
    const document = read();
    document.statements[0].timestamp = '2099-01-01T00:00:00Z';
    writeFileSync(file, JSON.stringify(document));
    expect(await refused('set', file, ...ABOUT, ...notAffected)).toBe('20 vex.statement_not_later');
  });

  test.each([
    ['no record', '{}', '20 cli.proof_invalid'],
    ['no JSON', 'x', '20 cli.proof_invalid'],
  ])('takes %s for no proof', async (_what, content, expected) => {
    await create(...ABOUT, ...investigated);
    expect(await refused('set', file, ...ABOUT, '--status', 'fixed', '--proof', here.file('proof.json', content))).toBe(
      expected,
    );
  });
});

describe('vex sign and vex verify', () => {
  test('a person signs in both ways, and both are verified', async () => {
    await create(...ABOUT, ...notAffected);
    const signed = await here.document('vex', 'sign', file, ...DANA, '--openpgp-key', at('dana.key'));
    expect(signed).toMatchObject({
      bundle: `${file}.sigstore.json`,
      certificate_identity: { subject: 'reviewer:dana@example.com', issuer: here.url },
      signature: `${file}.asc`,
      accepted_draft_count: 0,
    });
    const verified = await here.document('vex', 'verify', file, ...dana, '--openpgp-key', at('dana.pub'));
    expect(verified).toMatchObject({
      ok: true,
      statement_count: 1,
      draft_count: 0,
      signatures: [
        { kind: 'sigstore', signer: 'reviewer:dana@example.com', is_person: true },
        { kind: 'openpgp', signer: 'Dana <dana@example.com>', is_person: true, fingerprint: signed.fingerprint },
      ],
      not_checked: [],
    });
    const one = await here.document('vex', 'verify', file, '--openpgp-key', at('dana.pub'));
    expect(one.not_checked).toEqual([`${file}.sigstore.json`]);
    await here.document('verify-blob', file, '--document', '--bundle', `${file}.sigstore.json`, ...dana);
  });

  test('what is changed afterwards does not verify, and changing it says so', async () => {
    await create(...ABOUT, ...investigated);
    await here.document('vex', 'sign', file, ...DANA, '--openpgp-key', at('dana.key'));
    const ran = await here.run('vex', 'set', file, ...ABOUT, ...notAffected);
    expect(ran.stderr).toContain('sign it again');
    expect(await refused('verify', file, '--openpgp-key', at('dana.pub'))).toBe('12 openpgp.signature_mismatch');
    expect((await refused('verify', file, ...dana)).slice(0, 2)).toBe('12');
  });

  test('an agent signs, and is said to be no person', async () => {
    await create(...ABOUT, ...notAffected);
    await here.document('vex', 'sign', file, ...CONTEXT);
    const { signatures } = await here.document('vex', 'verify', file, ...here.pinned);
    expect(signatures[0]).toMatchObject({ signer: 'agent:code-writer', is_person: false });
    expect((await refused('verify', file, ...dana)).slice(0, 2)).toBe('12');
  });

  test('nothing to verify ends with 10, also where another kind of signature is there', async () => {
    await create(...ABOUT, ...investigated);
    expect(await refused('verify', file)).toBe('10 cli.no_signature');
    await here.document('vex', 'sign', file, '--openpgp-key', at('dana.key'));
    expect(await refused('verify', file)).toBe('1 cli.usage');
    expect(await refused('verify', file, ...dana)).toBe('10 cli.no_signature');
    expect(await refused('verify', file, ...dana, '--openpgp-key', at('dana.pub'))).toBe('10 cli.no_signature');
  });

  test('signatures of other names, and of a document put in place of another', async () => {
    await create(...ABOUT, ...investigated);
    await here.document('vex', 'sign', file, '--openpgp-key', at('dana.key'));
    cpSync(`${file}.asc`, at('other.sig'));
    const key = ['--openpgp-key', at('dana.pub')];
    expect((await here.document('vex', 'verify', file, ...key, '--signature', at('other.sig'))).ok).toBe(true);
    expect(await refused('verify', file, ...key, '--signature', at('missing'))).toBe('1 cli.file_unreadable');
    cpSync(file, at('copy.json'));
    writeFileSync(at('copy.json'), `${readFileSync(file, 'utf8')} `);
    cpSync(`${file}.asc`, at('copy.json.asc'));
    expect(await refused('verify', at('copy.json'), ...key)).toBe('12 openpgp.signature_mismatch');
  });

  test.each<[string, string[], string]>([
    ['nobody', [], '1 cli.usage'],
    ['a public key', ['--openpgp-key', 'dana.pub'], '1 openpgp.key_not_private'],
    ['two in one signature', [...DANA, '--key', 'x'], '1 cli.usage'],
  ])('%s cannot sign', async (_who, flags, expected) => {
    await create(...ABOUT, ...investigated);
    const named = flags.map((flag) => (flag === 'dana.pub' ? at(flag) : flag));
    expect(await refused('sign', file, ...named)).toBe(expected);
    expect(existsSync(`${file}.asc`)).toBe(false);
  });

  test('a fault of a key is told of its file, and a passphrase that is missing with where it belongs', async () => {
    await create(...ABOUT, ...investigated);
    await here.document('vex', 'sign', file, '--openpgp-key', at('dana.key'));
    const none = ['--openpgp-key', at('dana.pub'), '--openpgp-key', `${file}.asc`];
    expect(await here.refusal('vex', 'verify', file, ...none)).toMatchObject({
      code: 'openpgp.key_unreadable',
      checked: `${file}.asc`,
    });
    rmSync(`${file}.asc`);
    expect(
      await here.refusal('vex', 'sign', file, '--openpgp-key', here.file('locked.key', LOCKED_PRIVATE_KEY)),
    ).toMatchObject({
      code: 'openpgp.passphrase_missing',
      expected: expect.stringContaining('$COLOPHON_OPENPGP_PASSPHRASE'),
    });
  });

  test('the next command after signing names the signers that it knows', async () => {
    await create(...ABOUT, ...investigated);
    const { stdout } = await here.run('vex', 'sign', file, ...DANA, '--openpgp-key', at('dana.key'));
    expect(stdout).toContain('--certificate-identity reviewer:dana@example.com --certificate-oidc-issuer');
    expect(stdout).toContain('--openpgp-key PUBLIC-KEY');
  });

  test('of several signatures the one that does not count has no mark of one that does', async () => {
    await create(...ABOUT, ...investigated);
    const both: string[] = [];
    for (const key of [at('dana.key'), here.file('eve.key', EVE_PRIVATE_KEY)]) {
      await here.document('vex', 'sign', file, '--openpgp-key', key);
      both.push(readFileSync(`${file}.asc`, 'utf8'));
      rmSync(`${file}.asc`);
    }
    writeFileSync(`${file}.asc`, both.join(''));
    const short = await here.run('vex', 'verify', file, '--openpgp-key', at('dana.pub'));
    expect(short.stdout).toMatch(/^verified \S+: 1 statement[^\n]*, signed by [^\n]*; not counted: 1 \(--details\)\n$/);
    const { stdout } = await here.run('vex', 'verify', file, '--openpgp-key', at('dana.pub'), '--details');
    expect(stdout).toMatch(/✓ signature/);
    expect(stdout).toMatch(/- not counted/);
    expect(stdout).not.toMatch(/✓ not counted/);
  });

  test('only VEX is signed as VEX', async () => {
    expect(await refused('sign', here.file('not.json', '{"a":1}'), ...DANA)).toBe('20 cli.vex_invalid');
  });
});

const VENDORED = `
export function splitShares(total, weights) {
  let sum = 0;
  for (const weight of weights) sum += weight;
  if (sum === 0) throw new RangeError('no weights');
  const shares = [];
  let rest = total;
  for (const weight of weights) {
    const share = Math.floor((total * weight) / sum);
    shares.push(share);
    rest -= share;
  }
  for (let index = 0; rest > 0; index = (index + 1) % shares.length, rest -= 1) shares[index] += 1;
  return shares;
}
`;
const VULNERABLE = `
export class TemplateCache {
  async render(name, context) {
    const compiled = this.entries.get(name) ?? (await this.load(name));
    try {
      return compiled.replace(/{{(.*)}}/g, (_all, expression) => new Function('context', 'return ' + expression)(context));
    } catch (error) {
      this.entries.delete(name);
      throw new Error('cannot render ' + name, { cause: error });
    } finally {
      this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
    }
  }
}
`;

describe('drafts', () => {
  let sbom: string;
  const draft = (...more: string[]) => [
    'vex',
    'create',
    '--author',
    'Dana',
    '--out',
    file,
    '--repository',
    here.folder,
    '--draft-from',
    sbom,
    '--vulnerability',
    'CVE-2026-1111',
    ...more,
  ];
  const from = ['--made-from', 'pkg:npm/fair-split'];
  beforeAll(() => {
    here.file('shares.js', VENDORED);
    here.file('vulnerable.js', VULNERABLE);
    here.file('same.js', VENDORED.replaceAll('weight', 'part').replaceAll('share', 'piece'));
    here.file('tiny.js', 'export const a = 1;\n');
    const component = { type: 'application', 'bom-ref': 'root', name: 'shop', version: '1', purl: 'pkg:npm/shop@1' };
    const vendored = {
      type: 'library',
      'bom-ref': 'vendored:shares.js',
      name: 'fair-split-vendored',
      version: '0.0.0-vendored',
      pedigree: {
        ancestors: [{ type: 'library', name: 'fair-split', version: '2.1.0', purl: 'pkg:npm/fair-split@2.1.0' }],
      },
      evidence: { occurrences: [{ location: 'shares.js' }] },
    };
    sbom = here.file('vendored.cdx.json', {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component },
      components: [vendored],
    });
  });

  test('are proposed, decided by a person, and only then said', async () => {
    await here.document(...draft(...from, '--vulnerable-code', at('vulnerable.js')));
    const [statement] = read().statements;
    expect(statement).toMatchObject({
      status: 'under_investigation',
      products: [{ '@id': 'pkg:npm/shop@1', subcomponents: [{ '@id': 'vendored:shares.js' }] }],
    });
    expect(statement.status_notes).toMatch(/^colophon-draft\/v1 .*"status":"not_affected"/);
    expect(await refused('sign', file, ...CONTEXT)).toBe('20 vex.draft_by_machine');
    expect(await refused('sign', file, ...CONTEXT, '--accept-drafts')).toBe('20 vex.draft_by_machine');
    expect(await refused('sign', file, ...DANA)).toBe('20 vex.draft_undecided');
    expect(read().statements[0]).toEqual(statement);
    const signed = await here.document('vex', 'sign', file, ...DANA, '--accept-drafts');
    expect(signed.accepted_draft_count).toBe(1);
    expect(read()).toMatchObject({
      version: 2,
      statements: [{ status: 'not_affected', justification: 'vulnerable_code_not_present' }],
    });
    expect(read().statements[0].status_notes).toBeUndefined();
    expect(await here.document('vex', 'verify', file, ...dana)).toMatchObject({ draft_count: 0 });
  });

  test('are decided with an OpenPGP key too, but not beside an agent', async () => {
    await here.document(...draft(...from, '--vulnerable-code', at('vulnerable.js')));
    const key = ['--openpgp-key', at('dana.key'), '--accept-drafts'];
    expect(await refused('sign', file, ...CONTEXT, ...key)).toBe('20 vex.draft_by_machine');
    await here.document('vex', 'sign', file, ...key);
    expect(read().statements[0].status).toBe('not_affected');
  });

  test('that were changed beyond reading are signed by nobody', async () => {
    await here.document(...draft(...from, '--vulnerable-code', at('vulnerable.js')));
    writeFileSync(file, readFileSync(file, 'utf8').replace('vulnerable_code_not_present', 'trust_me'));
    expect(await refused('sign', file, ...DANA, '--accept-drafts')).toBe('20 vex.draft_unreadable');
  });

  test.each<[string, string[], string]>([
    ['the code is there under other names', [...from, '--vulnerable-code', 'same.js'], '20 vex.draft_code_present'],
    [
      'one piece of several is there',
      [...from, '--vulnerable-code', 'vulnerable.js', '--vulnerable-code', 'same.js'],
      '20 vex.draft_code_present',
    ],
    ['it is too small', [...from, '--vulnerable-code', 'tiny.js'], '20 vex.draft_cannot_tell'],
    [
      'nothing was made from it',
      ['--made-from', 'pkg:npm/left-pad', '--vulnerable-code', 'vulnerable.js'],
      '11 vex.draft_nothing_vendored',
    ],
    [
      'it was another version',
      ['--made-from', 'pkg:npm/fair-split@2.0.0', '--vulnerable-code', 'vulnerable.js'],
      '11 vex.draft_nothing_vendored',
    ],
    ['nothing says what is vulnerable', from, '1 cli.usage'],
    ['a status is given too', [...from, '--vulnerable-code', 'vulnerable.js', ...notAffected], '1 cli.usage'],
  ])('are not made where %s', async (_why, flags, expected) => {
    const named = flags.map((flag) => (flag.endsWith('.js') ? at(flag) : flag));
    const { exitCode, code } = await here.refusal(...draft(...named));
    expect(`${exitCode} ${code}`).toBe(expected);
  });

  test('are not made of a file that is not the one of the SBOM, or outside the folder', async () => {
    const document = JSON.parse(readFileSync(sbom, 'utf8'));
    const variants = [
      [{ hashes: [{ alg: 'SHA-256', content: 'b'.repeat(64) }] }, '12 cli.file_differs'],
      [{ evidence: { occurrences: [{ location: '../../etc/passwd' }] } }, '1 cli.usage'],
    ] as const;
    for (const [change, expected] of variants) {
      sbom = here.file('changed.cdx.json', { ...document, components: [{ ...document.components[0], ...change }] });
      const { exitCode, code } = await here.refusal(...draft(...from, '--vulnerable-code', at('vulnerable.js')));
      expect(`${exitCode} ${code}`).toBe(expected);
    }
  });
});

describe('vex apply', () => {
  const findings = () =>
    here.file('findings.json', [
      {
        id: CVE,
        severity: 'critical',
        component: { name: 'log4j-core', version: '2.14.1', purl: LOG4J },
        fixedInVersions: [],
        description: '',
      },
      {
        id: 'CVE-2026-9',
        severity: 'low',
        component: { name: 'a', version: '1', purl: 'pkg:npm/a@1' },
        fixedInVersions: [],
        description: '',
      },
    ]);
  const apply = (...more: string[]) => here.document('vex', 'apply', file, '--scan', findings(), ...more);

  test('says of each finding what counts, and of each other statement why it does not', async () => {
    await create('--vulnerability', CVE, '--product', IMAGE, '--subcomponent', LOG4J, ...notAffected);
    const without = await apply();
    expect(without).toMatchObject({
      suppressed_count: 0,
      unmatched: [{ code: 'vex.unmatched_product', path: '/statements/0', expected: IMAGE }],
    });
    const applied = await apply('--product', IMAGE);
    expect(applied).toMatchObject({
      suppressed_count: 1,
      unmatched: [],
      signed: false,
      findings: [
        {
          vulnerability: CVE,
          status: 'not_affected',
          suppressed: true,
          statement: { file, path: '/statements/0', author: 'Dana' },
        },
        { vulnerability: 'CVE-2026-9', suppressed: false },
      ],
    });
    const { stdout } = await here.run('vex', 'apply', file, '--scan', findings());
    expect(stdout).toContain('--product PURL');
  });

  test('leads to where a statement stands in its document, whatever shape that has', async () => {
    const analysis = { state: 'not_affected', justification: 'code_not_reachable' };
    const document = {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      vulnerabilities: [
        { id: 'CVE-1' },
        { id: CVE, analysis, affects: [{ ref: LOG4J }] },
        { id: 'CVE-2', analysis, affects: [{ ref: LOG4J }] },
      ],
    };
    file = here.file('places.cdx.json', document);
    expect(await apply()).toMatchObject({
      findings: [{ statement: { path: '/vulnerabilities/1' } }, {}],
      unmatched: [{ path: '/vulnerabilities/2' }],
    });
  });

  test('says how much is suppressed by documents that nobody’s signature is verified of, and refuses that on demand', async () => {
    await create(...ABOUT, ...notAffected);
    expect(await apply()).toMatchObject({ suppressed_count: 1, unsigned_count: 1, signed: false });
    const unsigned = await here.run('vex', 'apply', file, '--scan', findings());
    expect(unsigned.stdout).toContain('2 findings, 1 suppressed, 1 by unverified documents; ');
    expect(await refused('apply', file, '--scan', findings(), '--require-signer')).toBe('1 cli.usage');
    // A signature that lies beside it is none that was asked for.
    await here.document('vex', 'sign', file, ...DANA);
    expect(await refused('apply', file, '--scan', findings(), '--require-signer')).toBe('1 cli.usage');
    expect(await apply('--require-signer', ...dana)).toMatchObject({
      suppressed_count: 1,
      unsigned_count: 0,
      signed: true,
    });
    const signed = await here.run('vex', 'apply', file, '--scan', findings(), ...dana);
    expect(signed.stdout).toContain('2 findings, 1 suppressed; ');
    rmSync(`${file}.sigstore.json`);
    expect(await refused('apply', file, '--scan', findings(), '--require-signer', ...dana)).toMatch(/^1[0-3] /);
  });

  test('lets those speak whom a policy names, by their signatures where these are asked for', async () => {
    await create(...ABOUT, ...notAffected);
    const policy = here.file(
      'policy.yaml',
      'version: 1\nvex:\n  authors:\n    - products: ["pkg:maven/*"]\n      signers: ["reviewer:dana@example.com"]\n',
    );
    expect(await refused('apply', file, '--scan', findings(), '--remediation-policy', policy)).toBe('1 cli.usage');
    await here.document('vex', 'sign', file, ...DANA);
    expect(await apply('--remediation-policy', policy, ...dana)).toMatchObject({ suppressed_count: 1, signed: true });
    rmSync(`${file}.sigstore.json`);
    await here.document('vex', 'sign', file, ...CONTEXT);
    expect((await apply('--remediation-policy', policy, ...here.pinned)).unmatched[0].code).toBe(
      'vex.unmatched_author',
    );
    expect((await refused('apply', file, '--scan', findings(), ...dana)).slice(0, 2)).toBe('12');
  });

  test('takes the issuer that a policy names into account', async () => {
    await create(...ABOUT, ...notAffected);
    await here.document('vex', 'sign', file, ...DANA);
    const of = (issuer: string) =>
      here.file(
        'issuer.yaml',
        `version: 1\nvex:\n  authors:\n    - signers: [{ subject: "reviewer:dana@example.com", issuer: "${issuer}" }]\n`,
      );
    expect(await apply('--remediation-policy', of(here.url), ...dana)).toMatchObject({ suppressed_count: 1 });
    expect(await apply('--remediation-policy', of('https://elsewhere.example'), ...dana)).toMatchObject({
      suppressed_count: 0,
    });
  });

  test('lets nobody speak by what stands in a user id, and by the fingerprint', async () => {
    await create(...ABOUT, ...notAffected);
    await here.document('vex', 'sign', file, '--openpgp-key', at('dana.key'));
    const of = (...signers: string[]) =>
      here.file('openpgp.yaml', `version: 1\nvex:\n  authors:\n    - signers: ${JSON.stringify(signers)}\n`);
    const key = ['--openpgp-key', at('dana.pub')];
    // Whoever has a key of the ring writes into it what they like: also the name of somebody else.
    const names = ['dana@example.com', 'Dana <dana@example.com>'];
    expect(await apply('--remediation-policy', of(...names), ...key)).toMatchObject({
      suppressed_count: 0,
      signed: true,
    });
    const { fingerprint } = (await here.document('vex', 'verify', file, ...key)).signatures[0];
    expect(await apply('--remediation-policy', of(fingerprint), ...key)).toMatchObject({
      suppressed_count: 1,
      signed: true,
    });
  });
});
