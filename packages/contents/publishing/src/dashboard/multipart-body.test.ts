import { anyText, startDashboard } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { multipartBody } from './multipart-body.ts';

test('whatever a field or file holds arrives as it was, read by a parser that nobody here wrote', async () => {
  const { url, requests } = await startDashboard(onTestFinished, { keys: {}, validate: () => [] });
  const value = fc.oneof(anyText({ minLength: 1 }), fc.constant('a\r\n--colophon-\r\n"ü\n'));
  await fc.assert(
    fc.asyncProperty(value, fc.uint8Array(), async (projectName, bytes) => {
      const content = new Blob([new Uint8Array(bytes)], { type: 'application/json' });
      const body = multipartBody({ projectName, parentName: undefined }, { field: 'bom', name: 'b.json', content });
      await (await fetch(`${url}/api/v1/bom`, { method: 'POST', body })).text();
      const form = requests.at(-1)?.form;
      expect(form?.fields).toEqual({ projectName });
      expect(form?.files['bom']).toMatchObject({ name: 'b.json', mediaType: 'application/json' });
      expect(form?.files['bom']?.bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
