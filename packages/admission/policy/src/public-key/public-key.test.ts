import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { publicKeyName } from './public-key.ts';

const armoured = (der: Uint8Array, label = 'PUBLIC KEY', width = 64) => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
};
const derOf = (type: 'ed25519' | 'x25519' | 'P-256' | 'P-384' | 'rsa' | 'rsa-pss') => {
  const made =
    type === 'rsa' || type === 'rsa-pss'
      ? generateKeyPairSync(type as 'rsa', { modulusLength: 2048 })
      : type.startsWith('P')
        ? generateKeyPairSync('ec', { namedCurve: type })
        : generateKeyPairSync(type as 'ed25519');
  return made.publicKey.export({ type: 'spki', format: 'der' });
};
const nameOf = (der: Uint8Array) => `sha256:${createHash('sha256').update(der).digest('hex')}`;

describe('the name of a public key', () => {
  it.each(['ed25519', 'P-256', 'P-384', 'rsa'] as const)('is the SHA-256 of what an %s key is written in', (type) => {
    const der = derOf(type);
    expect(publicKeyName(armoured(der))).toBe(nameOf(der));
    expect(publicKeyName(`\n  ${armoured(der, 'PUBLIC KEY', 40).replaceAll('\n', ' \r\n')} `)).toBe(nameOf(der));
  });

  it.each(['x25519', 'rsa-pss'] as const)('is none of an %s key', (type) => {
    expect(publicKeyName(armoured(derOf(type)))).toBeUndefined();
  });

  it('is none of what is no public key, or not one', () => {
    const der = derOf('ed25519');
    for (const text of ['', 'no key', armoured(der, 'CERTIFICATE'), armoured(der) + armoured(der)]) {
      expect(publicKeyName(text)).toBeUndefined();
    }
    expect(publicKeyName(armoured(der.subarray(0, -1)))).toBeUndefined();
    expect(publicKeyName(armoured(Buffer.concat([der, Buffer.from([0])])))).toBeUndefined();
    // An algorithm alone, nothing at all, and an algorithm without a name.
    for (const hex of ['300730050603 2b6570', '3000', '3002 3000', '30043000 0300'].map((text) =>
      text.replaceAll(' ', ''),
    )) {
      expect(publicKeyName(armoured(Buffer.from(hex, 'hex')))).toBeUndefined();
    }
  });

  it('is none of a curve that is not named', () => {
    const point = derOf('P-256').subarray(-65);
    const of = (curve: string) => {
      const algorithm = Buffer.from(`06072a8648ce3d0201${curve}`, 'hex');
      const body = Buffer.concat([
        Buffer.from([0x30, algorithm.length]),
        algorithm,
        Buffer.from([0x03, point.length + 1, 0]),
        point,
      ]);
      return armoured(Buffer.concat([Buffer.from([0x30, body.length]), body]));
    };
    expect(publicKeyName(of('06082a8648ce3d030107'))).toMatch(/^sha256:/);
    for (const curve of ['', '0500', '3003020101']) expect(publicKeyName(of(curve))).toBeUndefined();
  });
});
