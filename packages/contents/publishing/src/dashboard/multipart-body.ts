import { randomUUID } from 'node:crypto';

/** The one file of a form. */
export type FormFile = { readonly field: string; readonly name: string; readonly content: Blob };

/**
 * A form with one file, as a blob that reads the file as it is sent. The platform's own `FormData` would do, were its
 * encoder not to throw outside of any promise, and so end the process, when a request is called off half-way (Node 26).
 * @returns `body` for a request, whose content type is that of the blob
 * @see RFC 7578
 */
export function multipartBody(fields: Readonly<Record<string, string | undefined>>, file: FormFile): Blob {
  const boundary = `colophon-${randomUUID()}`;
  const parts: Array<string | Blob> = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    parts.push(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n`);
    parts.push(`content-type: text/plain; charset=utf-8\r\n\r\n${value}\r\n`);
  }
  parts.push(`--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${file.name}"\r\n`);
  parts.push(`content-type: ${file.content.type || 'application/octet-stream'}\r\n\r\n`, file.content);
  parts.push(`\r\n--${boundary}--\r\n`);
  return new Blob(parts, { type: `multipart/form-data; boundary=${boundary}` });
}
