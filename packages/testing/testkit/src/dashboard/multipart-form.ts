import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Busboy } from '@fastify/busboy';

/** One form as it came over the wire. */
export type MultipartForm = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<
    Record<string, { readonly name: string; readonly mediaType: string; readonly bytes: Buffer }>
  >;
  /** Names that came twice. */
  readonly repeated: readonly string[];
};

/** Parses a request's multipart body, or gives undefined where it has none or a broken one. */
export async function readMultipart(request: IncomingMessage): Promise<MultipartForm | undefined> {
  const contentType = request.headers['content-type'];
  if (contentType === undefined || !contentType.startsWith('multipart/form-data')) return undefined;
  const fields: Record<string, string> = {};
  const repeated: string[] = [];
  const files: Array<Promise<[string, MultipartForm['files'][string]]>> = [];
  const names = new Set<string>();
  const meet = (name: string) => {
    if (names.has(name)) repeated.push(name);
    names.add(name);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const parser = new Busboy({ headers: { ...request.headers, 'content-type': contentType } });
      parser.on('field', (name, value) => {
        meet(name);
        fields[name] = value;
      });
      parser.on('file', (field, stream, name, _encoding, mediaType) => {
        meet(field);
        files.push(buffer(stream).then((bytes) => [field, { name, mediaType, bytes }]));
      });
      parser.on('finish', resolve);
      parser.on('error', reject);
      request.on('error', reject).pipe(parser);
    });
    return { fields, files: Object.fromEntries(await Promise.all(files)), repeated };
  } catch {
    return undefined;
  }
}
