import { isTimestamp } from '@colophon/notation';
import { saysUnknownDependencies } from '../complete/compositions.ts';
import type { Bom } from '../document/bom.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isText, listIn, objectIn } from './wild-value.ts';

/** What contract §2.5 asks of a document as a whole, and the schema leaves open. */
export function* headerFindings(bom: Bom): Generator<Finding> {
  const { serialNumber, version, specVersion } = bom;
  const metadata = objectIn(bom.metadata);
  const at = bom.metadata === undefined ? '' : '/metadata';
  if (serialNumber === undefined) {
    yield warning(
      '',
      'sbom.serial_number_missing',
      'The document has no serial number.',
      'urn:uuid:<uuid>, new for every build',
    );
  }
  if (version === undefined) {
    yield warning('', 'sbom.version_missing', 'The document has no version of its own.', 'an integer, 1 or more');
  } else if (typeof version === 'number' && version < 1) {
    yield warning(
      '/version',
      'sbom.version_invalid',
      'The version of a document starts at 1.',
      'an integer, 1 or more',
    );
  }
  const { timestamp } = metadata;
  if (timestamp === undefined) {
    yield warning(at, 'sbom.timestamp_missing', 'The document does not say when it was made.', 'a time in UTC');
  } else if (typeof timestamp !== 'string' || !isUtc(timestamp)) {
    yield warning('/metadata/timestamp', 'sbom.timestamp_not_utc', 'The time is not in UTC.', '2026-01-31T12:00:00Z');
  }
  // There were no lifecycles before 1.5.
  if (specVersion >= '1.5' && listIn(metadata['lifecycles']).length === 0) {
    yield warning(at, 'sbom.lifecycles_missing', 'The document does not say in which phase it was made.', 'e.g. build');
  }
  yield* toolFindings(metadata['tools'], at, specVersion);
  yield* subjectFindings(metadata['component'], at);
  const isGraphless = listIn(bom.components).length > 0 && listIn(bom.dependencies).length === 0;
  if (isGraphless && !saysUnknownDependencies(bom['compositions'])) {
    yield warning(
      '',
      'sbom.dependencies_missing',
      'The document has components and no dependency graph.',
      'dependencies',
    );
  }
}

function* toolFindings(tools: unknown, at: string, specVersion: string): Generator<Finding> {
  const named = Array.isArray(tools)
    ? tools
    : [...listIn(objectIn(tools)['components']), ...listIn(objectIn(tools)['services'])];
  if (named.length === 0) {
    yield warning(at, 'sbom.tools_missing', 'The document does not say what made it.', 'a tool with name and version');
    return;
  }
  if (Array.isArray(tools) && specVersion >= '1.5') {
    yield {
      path: '/metadata/tools',
      code: 'sbom.tools_legacy',
      severity: 'note',
      message: 'Tools are named in the way of 1.4, which is deprecated.',
      expected: 'tools.components',
    };
  }
  const below = Array.isArray(tools) ? '/metadata/tools' : '/metadata/tools/components';
  for (const [index, tool] of (Array.isArray(tools) ? tools : listIn(objectIn(tools)['components'])).entries()) {
    const { name, version } = objectIn(tool);
    if (isText(name) && isText(version)) continue;
    yield warning(
      `${below}/${index}`,
      'sbom.tool_unidentified',
      'A tool is named without its version.',
      'name and version',
    );
  }
}

function* subjectFindings(component: unknown, at: string): Generator<Finding> {
  if (component === undefined) {
    yield warning(
      at,
      'sbom.component_missing',
      'The document does not say which artifact it is about.',
      'metadata.component',
    );
    return;
  }
  const path = '/metadata/component';
  const { version, supplier } = objectIn(component);
  if (!isText(version)) {
    yield warning(path, 'sbom.component_version_missing', 'The documented artifact has no version.', 'version');
  }
  const { name, url } = objectIn(supplier);
  if (!isText(name) || listIn(url).length === 0) {
    const where = supplier === undefined ? path : `${path}/supplier`;
    yield warning(
      where,
      'sbom.supplier_missing',
      'The documented artifact has no supplier with name and url.',
      'supplier: name, url',
    );
  }
}

/** UTC is written `Z`, `z` or as an offset of zero. */
function isUtc(timestamp: string): boolean {
  return isTimestamp(timestamp.replace(/(?:[+-]00:?00|z)$/, 'Z').replace(/(\.[0-9]{9})[0-9]+Z$/, '$1Z'));
}

function warning(path: string, code: string, message: string, expected: string): Finding {
  return { path, code, severity: 'warning', message, expected };
}
