import { describe, expect, it } from 'vitest';
import { attestation, codes, ISSUER, identity, image, imageSignature, review } from '../../test/image-evidence.ts';
import { parseRequireRules } from '../policy/policy.ts';
import { decideRequiredSigners } from './required-signers.ts';

const good = () => [imageSignature(), review()];

describe('a statement whose type is a name that every object has', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is a statement like any other', (type) => {
    const hostile = attestation(identity('reviewer:mallory@example.com'), type, { result: 'FAILED' });
    expect(codes([...good(), hostile])).toEqual([]);
    const rules = parseRequireRules(`{ issuer: ${ISSUER}, subject: agent:writer }`);
    if (!rules.ok) throw new Error(JSON.stringify(rules.issues));
    const found = { image, signatures: [imageSignature(), hostile], rejected: [] };
    expect(decideRequiredSigners(rules.value, found).findings).toEqual([]);
  });
});
