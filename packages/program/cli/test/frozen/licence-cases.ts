import { type LicencePolicy, loadLicenceTexts, parseLicenceList } from '@colophon/licences';
import { decideLicences } from '@colophon/sbom';

const list = (text: string) => {
  const parsed = parseLicenceList(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
};

const POLICIES: Readonly<Record<string, LicencePolicy>> = {
  'permissive alone': { allow: list('MIT,Apache-2.0,BSD-3-Clause') },
  'permissive and unknown': { allow: list('MIT,Apache-2.0,BSD-3-Clause'), allowUnknown: true },
  'no GPL': { deny: list('GPL-2.0-only,GPL-3.0-only,AGPL-3.0-only') },
  'GPL with an exception': { allow: list('MIT,GPL-2.0-only WITH Classpath-exception-2.0,"Public Domain"') },
};

const id = (value: string, more: object = {}) => ({ license: { id: value, ...more } });
const name = (value: string, more: object = {}) => ({ license: { name: value, ...more } });
const expression = (value: string, more: object = {}) => ({ expression: value, ...more });
const text = (content: string, encoding?: string) => ({
  text: { contentType: 'text/plain', content, ...(encoding === undefined ? {} : { encoding }) },
});
const base64 = (content: string) => text(Buffer.from(content).toString('base64'), 'base64');

/** The licences of one component. */
async function claims(): Promise<Readonly<Record<string, readonly object[] | undefined>>> {
  const { textOf } = await loadLicenceTexts();
  const of = (spdx: string) => textOf(spdx) as string;
  const MIT = of('MIT').replace('<year> <copyright holders>', '2024 Dana Example');
  const GPL = of('GPL-3.0-only');
  const expressions = [
    ...[
      'MIT',
      'mit',
      'Mit ',
      'MIT OR GPL-3.0-only',
      'MIT AND GPL-3.0-only',
      '(MIT)',
      '((MIT))',
      '(MIT OR Apache-2.0) AND BSD-3-Clause',
    ],
    ...[
      'MIT or GPL-3.0-only',
      'MIT Or Apache-2.0',
      'MIT/GPL-3.0-only',
      'MIT, GPL-3.0-only',
      'MIT GPL-3.0-only',
      'MIT AND',
      'OR MIT',
      '()',
      '',
    ],
    ...[
      'GPL-2.0',
      'GPL-2.0+',
      'GPL-2.0-only',
      'GPL-2.0-or-later',
      'GPL-3.0-or-later',
      'GPL-3.0',
      'LGPL-2.1-only',
      'AGPL-3.0-or-later',
    ],
    ...[
      'GPL-2.0-only WITH Classpath-exception-2.0',
      'GPL-2.0 WITH Classpath-exception-2.0',
      'GPL-2.0-only with classpath-exception-2.0',
    ],
    ...[
      'GPL-2.0-or-later WITH Classpath-exception-2.0',
      'MIT WITH Classpath-exception-2.0',
      'GPL-2.0-only WITH Nothing-1.0',
    ],
    ...[
      'Apache-2.0+',
      'Apache-1.1',
      'BSD-3-Clause-Clear',
      'BSD-2-Clause',
      'ISC',
      '0BSD',
      'LicenseRef-acme',
      'LicenseRef-MIT',
    ],
    ...[
      'DocumentRef-x:LicenseRef-acme',
      'NONE',
      'NOASSERTION',
      'UNLICENSED',
      'MIT OR LicenseRef-acme',
      'MIT AND LicenseRef-acme',
    ],
    ...[
      'MIT OR MIT OR MIT',
      `${'('.repeat(200)}MIT${')'.repeat(200)}`,
      Array(500).fill('MIT').join(' AND '),
      'МIT',
      'MIT\u200b',
      'M\u0130T',
    ],
  ];
  return {
    none: undefined,
    empty: [],
    ...Object.fromEntries(
      expressions.map((one) => [
        `expression ${one.length > 90 ? `of ${one.length}` : JSON.stringify(one)}`,
        [expression(one)],
      ]),
    ),
    'id MIT': [id('MIT')],
    'id mit': [id('mit')],
    'id GPL-3.0-only': [id('GPL-3.0-only')],
    'id of an expression': [id('MIT OR GPL-3.0-only')],
    'ids MIT and GPL-3.0-only': [id('MIT'), id('GPL-3.0-only')],
    'id MIT twice': [id('MIT'), id('MIT')],
    'id that nobody lists': [id('MIT-2')],
    'name MIT': [name('MIT')],
    'name MIT License': [name('MIT License')],
    'name The MIT License': [name('The MIT License')],
    'name Apache 2': [name('Apache 2')],
    'name Public Domain': [name('Public Domain')],
    'name of a GPL': [name('GNU General Public License v3.0 only')],
    'name of nothing': [name('see the website')],
    'name with an address': [name('license', { url: 'https://opensource.org/licenses/MIT' })],
    'declared MIT, concluded GPL': [
      id('MIT', { acknowledgement: 'declared' }),
      id('GPL-3.0-only', { acknowledgement: 'concluded' }),
    ],
    'declared GPL, concluded MIT': [
      id('GPL-3.0-only', { acknowledgement: 'declared' }),
      id('MIT', { acknowledgement: 'concluded' }),
    ],
    'concluded MIT alone': [id('MIT', { acknowledgement: 'concluded' })],
    'neither id nor name': [{ license: {} }],
    'MIT with its text': [id('MIT', text(MIT))],
    'MIT with its text in base64': [id('MIT', base64(MIT))],
    'MIT with its text in no base64': [id('MIT', text('!!!', 'base64'))],
    'MIT with its text in another encoding': [id('MIT', text(MIT, 'rot13'))],
    'MIT with the GPL': [id('MIT', text(GPL))],
    'MIT with the GPL in base64': [id('MIT', base64(GPL))],
    'MIT with the GPL in capitals': [id('MIT', text(GPL.toUpperCase()))],
    'MIT with half of the GPL': [id('MIT', text(GPL.slice(0, GPL.length / 2)))],
    'MIT with both': [id('MIT', text(`${MIT}\n\n${GPL}`))],
    'MIT with the id of the GPL': [id('MIT', text('GPL-3.0-or-later'))],
    'MIT with hidden letters': [id('MIT', text(GPL.replace(/(?<=\w)(?=\w)/g, '\u200b')))],
    'MIT with a sentence more': [id('MIT', text(`${MIT}\nThe software shall be used for good, not evil.`))],
    'MIT with a clause less': [id('MIT', text(MIT.replace(/The above copyright notice[^.]*\./, '')))],
    'MIT with another word': [id('MIT', text(MIT.replace('without restriction', 'with restriction')))],
    'MIT with other holders': [id('MIT', text(MIT.replace('Dana Example', 'Eve, Bob & Co. KG')))],
    'MIT with an empty text': [id('MIT', text(''))],
    'MIT with words that are none': [id('MIT', text('All rights reserved.'))],
    'MIT with a pointer': [id('MIT', text('See the LICENSE file.'))],
    'Apache-2.0 with MIT': [id('Apache-2.0', text(MIT))],
    'GPL-3.0-only with MIT': [id('GPL-3.0-only', text(MIT))],
    'name with MIT': [name('ours', text(MIT))],
    'name with the GPL': [name('ours', text(GPL))],
    'MIT OR GPL with the GPL': [expression('MIT OR GPL-3.0-only', {}), id('MIT', text(GPL))],
    'BSD-3-Clause with BSD-2-Clause': [id('BSD-3-Clause', text(of('BSD-2-Clause')))],
    'BSD-2-Clause with BSD-3-Clause': [id('BSD-2-Clause', text(of('BSD-3-Clause')))],
  };
}

/** Who wrote a component, and what it was made from. */
const WRITTEN: Readonly<Record<string, object>> = {
  'by a person': {},
  'by an agent': { 'x-ai-generated': { agent: 'code-writer', model: 'm', generated_at: '2026-11-20T10:00:00Z' } },
  'from GPL code': {
    pedigree: { ancestors: [{ type: 'library', name: 'origin', version: '1.0.0', licenses: [id('GPL-3.0-only')] }] },
  },
  'for tests alone': { scope: 'excluded' },
};

/** Every case with its verdict: whether it is allowed, and the code of each offence. */
export async function licenceCases(): Promise<Array<readonly [name: string, verdict: string]>> {
  const texts = await loadLicenceTexts();
  const cases: Array<readonly [string, string]> = [];
  const all = Object.entries(await claims());
  const decided = (title: string, policy: LicencePolicy, licenses: readonly object[] | undefined, more: object) => {
    const component = {
      type: 'library',
      name: 'x',
      version: '1',
      'bom-ref': 'x',
      ...(licenses && { licenses }),
      ...more,
    };
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] };
    const { allowed, offending, contradicting, unknown } = decideLicences(bom as never, policy, texts);
    const codes = (kind: string, found: ReadonlyArray<{ readonly code: string }>) =>
      found.map(({ code }) => `${kind}${code}`);
    cases.push([
      title,
      [
        allowed ? 'allowed' : 'refused',
        ...codes('', offending),
        ...codes('contradicting:', contradicting),
        ...codes('unknown:', unknown),
      ].join(' '),
    ]);
  };
  for (const [by, policy] of Object.entries(POLICIES))
    for (const [title, licenses] of all) decided(`${by}: ${title}`, policy, licenses, {});
  const permissive = POLICIES['permissive alone'] as LicencePolicy;
  for (const [who, more] of Object.entries(WRITTEN))
    for (const title of [
      'none',
      'id MIT',
      'id GPL-3.0-only',
      'declared GPL, concluded MIT',
      'expression "MIT OR GPL-3.0-only"',
    ])
      decided(`written ${who}: ${title}`, permissive, all.find(([one]) => one === title)?.[1], more);
  return cases;
}
