import rekorInclusion from '../vectors/rekor-v1/inclusion_valid.json' with { type: 'json' };
import consistencyInvalid from '../vectors/rfc6962-reference/consistency_invalid.json' with { type: 'json' };
import consistencyValid from '../vectors/rfc6962-reference/consistency_valid.json' with { type: 'json' };
import inclusionInvalid from '../vectors/rfc6962-reference/inclusion_invalid.json' with { type: 'json' };
import inclusionValid from '../vectors/rfc6962-reference/inclusion_valid.json' with { type: 'json' };
import tree from '../vectors/rfc6962-reference/tree.json' with { type: 'json' };

type Inclusion = { title: string; index: number; size: number; leafHash: string; root: string; proof: string[] };
type Consistency = {
  title: string;
  first: number;
  second: number;
  firstRoot: string;
  secondRoot: string;
  proof: string[];
};

/** The bytes of a hex text. */
export function fromHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** The eight-leaf tree: data of the leaves, hashes by level and index, roots by size from 0. */
export const REFERENCE_TREE = {
  leaves: tree.leaves.map(fromHex),
  nodes: tree.nodes.map((level) => level.map(fromHex)),
  roots: tree.roots.map(fromHex),
};

function inclusions(source: string, vectors: Inclusion[]) {
  return vectors.map(({ title, index, size, leafHash, root, proof }) => ({
    title: `${source}: ${title}`,
    claim: { index, size, leafHash: fromHex(leafHash), root: fromHex(root), proof: proof.map(fromHex) },
  }));
}

function consistencies(source: string, vectors: Consistency[]) {
  return vectors.map(({ title, first, second, firstRoot, secondRoot, proof }) => ({
    title: `${source}: ${title}`,
    claim: {
      first,
      second,
      firstRoot: fromHex(firstRoot),
      secondRoot: fromHex(secondRoot),
      proof: proof.map(fromHex),
    },
  }));
}

/** Inclusion claims by verdict. */
export const INCLUSIONS = {
  valid: [...inclusions('rfc6962-reference', inclusionValid), ...inclusions('rekor-v1', rekorInclusion)],
  invalid: inclusions('rfc6962-reference', inclusionInvalid),
};

/** Consistency claims by verdict. */
export const CONSISTENCIES = {
  valid: consistencies('rfc6962-reference', consistencyValid),
  invalid: consistencies('rfc6962-reference', consistencyInvalid),
};
