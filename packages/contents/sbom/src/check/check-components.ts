import { faultOfPackageUrl } from '@colophon/notation/package-url-fault';
import type { Bom } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { attributionFindings } from './attribution-check.ts';
import { vendoredFindings } from './vendored-check.ts';
import { quoted } from './wild-value.ts';

/** What is to be said about single components, nested ones and the documented artifact too. */
export function* componentFindings(bom: Bom, namespace: string): Generator<Finding> {
  for (const { component, path } of walkComponents(bom)) {
    const { purl } = component as { readonly purl?: unknown };
    const fault = typeof purl === 'string' ? faultOfPackageUrl(purl) : undefined;
    if (fault !== undefined) {
      yield {
        path: `${path}/purl`,
        code: 'sbom.purl_invalid',
        severity: 'warning',
        message: `${quoted(purl as string)} is no package URL: ${fault}.`,
        expected: 'pkg:type/namespace/name@version?qualifiers#subpath',
      };
    }
    yield* attributionFindings(component, path, namespace);
    yield* vendoredFindings(component, path, namespace, bom.specVersion);
  }
}
