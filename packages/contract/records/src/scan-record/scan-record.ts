import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { scanRecordSchema } from './scan-record-schema.ts';

/** One scan as it is kept. */
export type ScanRecord = ReadOnly<XStatic<typeof scanRecordSchema>>;

/** Which scanner looked, and with which knowledge. */
export type Scanner = ScanRecord['scanner'];

/** The SBOM that was scanned, by what it says of itself and by its bytes. */
export type ScannedSbom = NonNullable<ScanRecord['sbom']>;

/** An SBOM that an output names by its BOM-Link. */
export type NamedBom = NonNullable<ScanRecord['namedBoms']>[number];

/** An entry of an output that could not be read, or a part of it that is no vulnerability, and why. */
export type UnreadEntry = ScanRecord['unread'][number];
