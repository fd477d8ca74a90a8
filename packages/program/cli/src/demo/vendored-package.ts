/** A package of somebody else, and what an agent made of it: other names, other comments, the same steps. */
export const SOURCE_PACKAGE = {
  purl: 'pkg:npm/fair-split@2.1.0',
  license: 'GPL-3.0-only',
  files: {
    'package.json': `${JSON.stringify({ name: 'fair-split', version: '2.1.0', license: 'GPL-3.0-only', main: 'index.js' }, null, 2)}\n`,
    LICENSE: `fair-split: splits an amount of money into shares
Copyright (C) the authors of fair-split

This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
License as published by the Free Software Foundation, version 3 of the License.
`,
    'index.js': `'use strict';

/**
 * Splits an amount into shares that sum up to it, by the method of the largest remainder.
 */
function fairSplit(amount, weights) {
  if (!Number.isInteger(amount)) throw new TypeError('amount must be whole cents');
  if (weights.length === 0) throw new RangeError('there is nobody to share with');
  let total = 0;
  for (const weight of weights) {
    if (!(weight >= 0)) throw new RangeError('a weight is not negative');
    total += weight;
  }
  if (total === 0) throw new RangeError('somebody must have a share');
  const shares = [];
  const remainders = [];
  let given = 0;
  for (let i = 0; i < weights.length; i++) {
    const exact = (amount * weights[i]) / total;
    const share = Math.floor(exact);
    shares.push(share);
    remainders.push({ index: i, remainder: exact - share });
    given += share;
  }
  remainders.sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  let left = amount - given;
  for (const { index } of remainders) {
    if (left === 0) break;
    shares[index] += 1;
    left -= 1;
  }
  return shares;
}

function describeSplit(amount, names, weights) {
  const shares = fairSplit(amount, weights);
  const lines = [];
  for (let i = 0; i < names.length; i++) {
    const euros = (shares[i] / 100).toFixed(2);
    const percent = Math.round((100 * shares[i]) / amount);
    lines.push(names[i] + ': ' + euros + ' (' + percent + ' %)');
  }
  return lines.join('\\n');
}

module.exports = { fairSplit, describeSplit };
`,
  },
} as const;

export const REWRITTEN_PATH = 'src/discount-split.js';

export const REWRITTEN = `// Spread a discount over the lines of a cart so that no cent is lost.
export function spreadDiscount(cents, prices) {
  if (!Number.isInteger(cents)) throw new TypeError('a discount is whole cents');
  if (prices.length === 0) throw new RangeError('the cart is empty');
  let sum = 0;
  for (const price of prices) {
    if (!(price >= 0)) throw new RangeError('a price is not negative');
    sum += price;
  }
  if (sum === 0) throw new RangeError('nothing in the cart has a price');
  const parts = [];
  const rests = [];
  let spread = 0;
  for (let line = 0; line < prices.length; line++) {
    const exactly = (cents * prices[line]) / sum;
    const part = Math.floor(exactly);
    parts.push(part);
    rests.push({ line, rest: exactly - part });
    spread += part;
  }
  rests.sort((one, other) => other.rest - one.rest || one.line - other.line);
  let open = cents - spread;
  for (const { line } of rests) {
    if (open === 0) break;
    parts[line] += 1;
    open -= 1;
  }
  return parts;
}
`;
