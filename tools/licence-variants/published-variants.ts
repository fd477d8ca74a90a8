/** A wording that is published and that the SPDX list does not have. */
export type PublishedVariant = {
  /** In the list's text, with this before it. */
  readonly after?: string;
  /** What it replaces; nothing, where it is added. */
  readonly words?: string;
  /** `*` is a name. */
  readonly instead: readonly string[];
};

/** By the id of the list's text. Found in the texts that GNU, Debian, PyPI, npm, crates.io and Go modules carry. */
export const PUBLISHED_VARIANTS: Readonly<Record<string, readonly PublishedVariant[]>> = {
  'BSD-3-Clause': [
    {
      words: 'Neither the name of the copyright holder nor the names of its contributors may',
      instead: [
        'Neither the names of * nor the names of project contributors may',
        'Neither the name of * nor the names of the contributors may',
        'Neither the names of * nor the names of the contributors may',
        'Neither the name * nor the names of its contributors may',
        'Neither the copyright holder nor the names of its contributors may',
        'My name * may not',
      ],
    },
  ],
  'CC0-1.0': [
    {
      after: 'with respect to this CC0 or use of the Work.',
      instead: ['', 's'].map(
        (s) => `For more information, please see http${s}://creativecommons.org/publicdomain/zero/1.0/`,
      ),
    },
  ],
  ISC: [{ words: 'ISC DISCLAIMS ALL WARRANTIES', instead: ['the authors disclaim all warranties'] }],
  'GFDL-1.2-only': [{ words: 'gnu.org/copyleft/', instead: ['gnu.org/licenses/'] }],
  'GFDL-1.3-only': [{ words: 'gnu.org/copyleft/', instead: ['gnu.org/licenses/'] }],
  'LGPL-2.0-only': [{ after: 'name and', words: 'an idea', instead: ['a brief idea'] }],
  'GPL-2.0-only': [
    {
      after: 'Ty Coon, President of Vice',
      instead: ['Lesser', 'Library'].map(
        (kind) =>
          'This General Public License does not permit incorporating your program into proprietary programs. If your program ' +
          'is a subroutine library, you may consider it more useful to permit linking proprietary applications with the ' +
          `library. If this is what you want to do, use the GNU ${kind} General Public License instead of this License.`,
      ),
    },
  ],
};

/** Parts of the list's texts that stand alone at the head of files, and the licence that each says. */
export const NOTICES: ReadonlyArray<{
  readonly in: string;
  readonly from: string;
  readonly to: string;
  readonly says: string;
}> = [
  {
    in: 'Apache-2.0',
    from: 'Licensed under the Apache License, Version 2.0',
    to: 'limitations under the License.',
    says: 'Apache-2.0',
  },
  ...[
    ['GPL-1.0-only', 'This program is free software', 'Cambridge, MA 02139, USA', 'GPL-1.0-or-later'],
    ['GPL-2.0-only', 'This program is free software', 'MA 02110-1301, USA.', 'GPL-2.0-or-later'],
    ['GPL-3.0-only', 'This program is free software: you can', 'gnu.org/licenses/', 'GPL-3.0-or-later'],
    ['AGPL-3.0-only', 'This program is free software: you can', 'gnu.org/licenses/', 'AGPL-3.0-or-later'],
    ['LGPL-2.0-only', 'This library is free software', 'MA 02110-1301, USA', 'LGPL-2.0-or-later'],
    ['LGPL-2.1-only', 'This library is free software', 'MA 02110-1301 USA', 'LGPL-2.1-or-later'],
    ['MPL-2.0', 'This Source Code Form is subject to', 'mozilla.org/MPL/2.0/', 'MPL-2.0'],
  ].map(([source, from, to, says]) => ({ in: source!, from: from!, to: to!, says: says! })),
];
