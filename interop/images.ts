import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './colophon-up.ts';
import { run } from './programs.ts';

export type PushedImage = { readonly reference: string; readonly digest: string };

/** Makes an image of one small layer with crane and pushes it; `content` makes it a different image. */
export async function pushImage(installation: Installation, name: string, content = name): Promise<PushedImage> {
  const { folder, registry, env } = installation;
  const layer = join(folder, `layer-${name}`);
  mkdirSync(layer, { recursive: true });
  writeFileSync(join(layer, 'app.txt'), content);
  const tarball = join(folder, `${name}.tar`);
  await must('tar', ['-C', layer, '-cf', tarball, 'app.txt'], env);
  const tag = `${registry}/${name}:1`;
  await must('crane', ['append', '--oci-empty-base', '-f', tarball, '-t', tag], env);
  const digest = (await must('crane', ['digest', tag], env)).trim();
  return { reference: `${registry}/${name}@${digest}`, digest };
}

async function must(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { env });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
