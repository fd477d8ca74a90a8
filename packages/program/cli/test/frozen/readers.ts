import { parseQuery } from '../../../../admission/evidence/src/query/parse-query.ts';
import { timestampSeconds } from '../../../../admission/policy/src/decision/timestamp-seconds.ts';
import { decodeBase64 } from '../../../../base/encoding/src/base64/base64.ts';
import {
  type DerElement,
  readBitString,
  readDer,
  readDerElements,
  readDerTime,
  readOid,
} from '../../../../base/encoding/src/der/der-reader.ts';
import { parsePem } from '../../../../base/encoding/src/pem/pem.ts';
import { isSha256, parseSha256 } from '../../../../base/notation/src/digest/digest.ts';
import { parseImageReference } from '../../../../base/notation/src/image-reference/image-reference.ts';
import { normaliseRegistry } from '../../../../base/notation/src/image-reference/registry-name.ts';
import { faultOfPackageUrl } from '../../../../base/notation/src/package-url/package-url-fault.ts';
import { dayOf, parseInstant } from '../../../../base/notation/src/time/instant.ts';
import { parseTimestamp } from '../../../../base/notation/src/time/timestamp.ts';
import { compareVersions, isOrderedVersion } from '../../../../base/notation/src/version-order/compare-versions.ts';
import { fixStanding } from '../../../../base/notation/src/version-order/fix-standing.ts';
import { fullImageName } from '../../../../contents/generators/src/generator/target.ts';
import { becomesLatest } from '../../../../contents/publishing/src/publication-rules/version-order.ts';
import { parseSourcePurl } from '../../../../contents/sbom/src/vendored/source-purl.ts';
import { parsePackageReference } from '../../../../contents/source-packages/src/source-package/package-reference.ts';
import { searchIndex } from '../../../../identity/authority/src/rekor-api/index-query.ts';
import { parseCompactToken } from '../../../../identity/oidc/src/token/compact-token.ts';
import {
  findShapeProblem,
  base64 as shapeBase64,
  time as shapeTime,
} from '../../../../signing/sigstore/src/bundle/message-shape.ts';
import { imageToFetch, isLoopbackRegistry } from '../../../../signing/sigstore/src/image-reference/image-reference.ts';
import { inspectToken, looksLikeToken } from '../../../../signing/sigstore/src/inspect/inspect-token.ts';
import { readIdentityToken } from '../../../../signing/sigstore/src/sign/identity-token.ts';
import { artifactDigest } from '../../../../signing/sigstore/src/verify/artifact.ts';
import {
  identifyComponent,
  isPurl,
  normaliseVersion,
} from '../../../../vulnerabilities/findings/src/finding/component-identity.ts';
import { parsePublicationDay } from '../../../../vulnerabilities/findings/src/finding/publication-day.ts';
import { readPurl } from '../../../../vulnerabilities/scanners/src/scanner-output/component-purl.ts';
import { utcTime } from '../../../../vulnerabilities/scanners/src/scanner-output/utc-time.ts';
import { purlOfImage } from '../../../../vulnerabilities/vex/src/match/image-reference.ts';
import { matchablePurl } from '../../../../vulnerabilities/vex/src/match/matchable-purl.ts';
import { nameInPurl, versionInPurl } from '../../../../vulnerabilities/vex/src/purl-version/purl-version.ts';
import { isRfc3339, normaliseTime } from '../../../../vulnerabilities/vex/src/vex-time/vex-time.ts';
import { isRegistryDigest } from '../../../server/src/registry/digest.ts';
import { parseRepositoryName } from '../../../server/src/registry/registry-path.ts';
import { bomValidator } from '../../src/sbom-file/official-schemas.ts';
import { scanOptions } from '../../src/scan-file/scan-presentation.ts';
import { runLine } from '../command-line.ts';

/** What a reader makes of one input. Undefined, false and an empty result are a refusal; an error is one with its code. */
type Reader = (text: string) => unknown;

/** Everything that is said of a document with this value, without what is said of every such document. */
const bomFaults = (path: string, document: (text: string) => object): Reader => {
  return async (text) => {
    const { issues } = bomValidator().validateBom({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      ...document(text),
    } as never);
    const faults = issues.filter((issue) => issue.path === path && issue.severity === 'error');
    return faults.length === 0 ? 'valid' : faults.map(({ code }) => code).join(' ');
  };
};

const evidenceQuery = (field: string): Reader => {
  return (text) => {
    const parsed = parseQuery(`runs where ${field} = "${text}"`);
    return parsed.ok ? (parsed.value.where as unknown as { values: unknown[] }).values[0] : `!${parsed.issues[0].code}`;
  };
};

/** How a command line that gets this value ends: with its value, or with the error that it reports. */
const commandLine = (...line: ReadonlyArray<string | undefined>): Reader => {
  return async (text) => {
    const ran = await runLine([...line.map((word) => word ?? text), '--output', 'json']);
    const { code, checked } = JSON.parse(ran.stdout).error;
    return `exit ${ran.exitCode} ${code} ${checked === text ? '' : checked}`.trim();
  };
};

/** No file of these is there: a digest that is taken ends with that. */
const PINNED = [
  ...['--bundle', '/nonexistent/bundle.json', '--trusted-root', '/nonexistent/trusted_root.json'],
  ...['--certificate-identity', 'x', '--certificate-oidc-issuer', 'https://issuer.example'],
];

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const spelled = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The tags of an element and of those inside constructed ones, with the content of the others. */
const tree = (element: DerElement, children: (element: DerElement) => readonly DerElement[]): string => {
  const tag = element.tag.toString(16).padStart(2, '0');
  if ((element.tag & 0x20) === 0) return `${tag}:${spelled(element.content)}`;
  return `${tag}[${children(element)
    .map((child) => tree(child, children))
    .join(' ')}]`;
};

const tokenOf = ({ header, payload }: { readonly header?: unknown; readonly payload?: unknown }) => ({
  header,
  payload,
});

const words = (text: string) => text.split(' ') as [type: string, version: string, ...others: string[]];

/**
 * The readers of each grammar, by the package and the function that they are. An input is one text; of `der` it is hex,
 * of `version` it is `<type of package URL> <version> [<other version>…]`.
 */
export const READERS: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  'image reference': {
    'sigstore.imageToFetch': imageToFetch,
    'notation.parseImageReference': (text) => {
      const { host: _, ...name } = parseImageReference(text) ?? {};
      return 'repository' in name && name;
    },
    'feeds.fullImageName': fullImageName,
    'triage.purlOfImage': purlOfImage,
    'server.parseRepositoryName': parseRepositoryName,
  },
  registry: {
    'notation.normaliseRegistry': normaliseRegistry,
    'sigstore.isLoopbackRegistry': isLoopbackRegistry,
  },
  'package URL': {
    'notation.faultOfPackageUrl': (text) => faultOfPackageUrl(text) ?? 'none',
    'triage.matchablePurl': (text) => {
      const read = matchablePurl(text);
      return read && { base: read.base.split('\0').join(' '), parts: Object.fromEntries(read.parts) };
    },
    'triage.identifyComponent': (text) => isPurl(text) && identifyComponent({ name: 'NAME', purl: text }),
    'triage.purl-version': (text) => ({ name: nameInPurl(text), version: versionInPurl(text) }),
    'feeds.readPurl': readPurl,
    'feeds.parsePackageReference': (text) => {
      const { purl: _, ...reference } = parsePackageReference(text);
      return reference;
    },
    'sbom.parseSourcePurl': (text) => {
      const parsed = parseSourcePurl(text);
      return parsed.ok ? parsed.value : `!${parsed.issues[0]?.code}`;
    },
    'sbom.validator': bomFaults('/components/0/purl', (purl) => ({
      version: 1,
      components: [{ type: 'library', name: 'x', 'bom-ref': 'x', purl }],
    })),
  },
  time: {
    'records.parseTimestamp': parseTimestamp,
    'triage.parseInstant': parseInstant,
    'triage.dayOf': dayOf,
    'triage.normaliseTime': normaliseTime,
    'triage.isRfc3339': isRfc3339,
    'triage.parsePublicationDay': parsePublicationDay,
    'feeds.utcTime': utcTime,
    'sigstore.message-shape.time': (text) => findShapeProblem(text, shapeTime) === undefined,
    'admission.timestampSeconds': (text) => {
      const seconds = timestampSeconds(text);
      return Number.isNaN(seconds) ? undefined : seconds;
    },
    'evidence.parseQuery': evidenceQuery('log.integratedAt'),
    'sbom.validator': bomFaults('/metadata/timestamp', (timestamp) => ({ version: 1, metadata: { timestamp } })),
    'cli --scanned-at': (text) =>
      scanOptions()
        .find(({ long }) => long === '--scanned-at')
        ?.parseArg?.(text, undefined),
  },
  'compact JWS': {
    'authority.parseCompactToken': (text) => tokenOf(parseCompactToken(text)),
    'sigstore.readIdentityToken': (text) => tokenOf(readIdentityToken(text)),
    'sigstore.inspectToken': (text) =>
      looksLikeToken(text) &&
      Object.keys(inspectToken(text).content as object).length > 0 &&
      inspectToken(text).content,
  },
  der: {
    'authority.readDer': (text) => tree(readDer(hex(text)), ({ content }) => readDerElements(content)),
    'sigstore.readDer': (text) => tree(readDer(hex(text)), ({ content }) => readDerElements(content)),
    'authority.readOid': (text) => readOid(readDer(hex(text))),
    'sigstore.readOid': (text) => readOid(readDer(hex(text))),
    'authority.readBitString': (text) => `bits ${spelled(readBitString(readDer(hex(text))))}`,
    'sigstore.readTime': (text) => readDerTime(readDer(hex(text))).toISOString(),
  },
  base64: {
    'merkle.decodeBase64': (text) => {
      const bytes = decodeBase64(text);
      return bytes && `bytes ${spelled(bytes)}`;
    },
    'authority.decodeBase64': (text) => {
      const bytes = decodeBase64(text);
      return bytes && `bytes ${spelled(bytes)}`;
    },
    'sigstore.message-shape.base64': (text) => findShapeProblem(text, shapeBase64) === undefined,
  },
  pem: {
    'authority.parsePem': (text) => parsePem(text)?.map(({ label, der }) => `${label} ${spelled(der)}`),
  },
  digest: {
    'records.parseDigest': parseSha256,
    'admission.isImageDigest': isSha256,
    'server.isRegistryDigest': isRegistryDigest,
    'evidence.parseQuery': evidenceQuery('input.prompt_hash'),
    'authority.searchIndex': (text) => {
      const log = { search: (keys: readonly string[]) => ({ uuids: keys }) };
      return searchIndex({ hash: text }, log as never).uuids[0];
    },
    'sigstore.artifactDigest': (text) => spelled(artifactDigest({ sha256: text })),
    'cli verify-blob-attestation --digest': commandLine('verify-blob-attestation', '--digest', undefined, ...PINNED),
    'cli verify-blob <digest>': commandLine('verify-blob', undefined, ...PINNED),
  },
  version: {
    'notation.isOrderedVersion': (text) => isOrderedVersion(words(text)[0], words(text)[1]),
    'notation.compareVersions': (text) => {
      const [type, version, ...others] = words(text);
      return others.map((other) => compareVersions(type, version, other) ?? 'unknown').join(' ') || undefined;
    },
    'notation.fixStanding': (text) => {
      const [type, version, ...others] = words(text);
      return fixStanding(type, version, others);
    },
    'triage.normaliseVersion': (text) => normaliseVersion(words(text)[0], words(text)[1]),
    'sbom.becomesLatest': (text) => {
      const [, version, other] = words(text);
      return becomesLatest(version, other);
    },
  },
};

/** A reader's answer in one cell. */
export async function answerOf(reader: Reader, input: string): Promise<string> {
  try {
    const value = await reader(input);
    if (value === undefined || value === false) return 'no';
    if (value === true) return 'yes';
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    const { code, fault, name } = error as { readonly code?: unknown; readonly fault?: string; readonly name?: string };
    // What the authority makes of a token that is refused.
    if (fault !== undefined) return `!authority.${fault}`;
    return `!${typeof code === 'string' ? code : name}`;
  }
}
