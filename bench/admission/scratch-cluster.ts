import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentRunType } from '@colophon/records';
import { type AdmissionWebhook, startWebhook } from '../../interop/admission-webhook.ts';
import { type Installation, RUN_PREDICATE, startColophon } from '../../interop/colophon-up.ts';
import { ReviewedImages } from '../../interop/reviewed-images.ts';
import { cpuMicrosOf, residentBytesOf } from '../measure/running-process.ts';
import { makeScratchFolder } from '../measure/scratch-folder.ts';
import type { LoadOrders, LoadResult } from './load.ts';

/** A webhook in a process of its own, and who asks it. */
export class AskedWebhook {
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #caFile: string;
  readonly stop: () => Promise<void>;

  constructor(asked: { process: ChildProcess; port: number; caFile: string; stop: () => Promise<void> }) {
    this.#process = asked.process;
    this.#port = asked.port;
    this.#caFile = asked.caFile;
    this.stop = asked.stop;
  }

  /** Asks as ordered, from another process. @throws where an answer does not allow */
  async load(orders: Omit<LoadOrders, 'port' | 'caFile'>): Promise<LoadResult> {
    const whole: LoadOrders = { ...orders, port: this.#port, caFile: this.#caFile };
    const words = [join(import.meta.dirname, 'load.ts'), JSON.stringify(whole)];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    return JSON.parse(stdout) as LoadResult;
  }

  /** The same, and CPU of the webhook's whole process, microseconds a request. */
  async loadWithCpu(orders: Omit<LoadOrders, 'port' | 'caFile'>): Promise<LoadResult & { readonly cpuMicros: number }> {
    const before = cpuMicrosOf(this.#process.pid!);
    const result = await this.load(orders);
    return { ...result, cpuMicros: (cpuMicrosOf(this.#process.pid!) - before) / orders.requests };
  }

  get residentBytes(): number {
    return residentBytesOf(this.#process.pid!);
  }
}

/** Policies of a cluster, of which one covers the images of the bench. */
const OTHER_POLICIES = 10;

/** `colophon up` with images that are signed, reviewed and have a run; and webhooks that decide about them. */
export class ScratchCluster {
  readonly images: readonly string[];
  readonly #up: Installation;
  readonly #webhooks: AskedWebhook[] = [];

  private constructor(up: Installation, images: readonly string[]) {
    this.#up = up;
    this.images = images;
  }

  static async open(count: number): Promise<ScratchCluster> {
    const up = await startColophon({ folder: makeScratchFolder('admission') });
    // A bench that fails leaves nothing running.
    process.once('exit', () => up.process.kill());
    const made = new ReviewedImages(up);
    const images: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const image = await made.signed();
      await made.attest(image, RUN_PREDICATE, { by: 'code-writer', type: agentRunType() });
      await made.review('approve', image);
      images.push(image);
    }
    const policy = (name: string, glob: string) => `version: 1
name: ${name}
images: ["${up.registry}/${glob}"]
agent: { issuer: "${up.issuer}", subjectRegExp: "agent:code-(writer|fixer)" }
`;
    writeFileSync(join(up.folder, 'policy-shop.yaml'), policy('shop', 'webshop*'));
    for (let index = 0; index < OTHER_POLICIES; index += 1) {
      writeFileSync(join(up.folder, `policy-${index}.yaml`), policy(`team ${index}`, `team-${index}/**`));
    }
    return new ScratchCluster(up, images);
  }

  /** A new `colophon admission serve`, which remembers nothing. @param timeoutSeconds for an answer */
  async startWebhook(timeoutSeconds = 2): Promise<AskedWebhook> {
    const { issuer, registry, folder } = this.#up;
    const others = Array.from({ length: OTHER_POLICIES }, (_, index) => `policy-${index}.yaml`);
    const webhook: AdmissionWebhook = await startWebhook(this.#up, {
      policies: ['policy-shop.yaml', ...others],
      more: `negatives: { from: "${issuer}/negatives", signer: { issuer: "${issuer}", subject: "evidence:${registry}" } }
timeoutSeconds: ${timeoutSeconds}
`,
    });
    process.once('exit', () => webhook.process.kill());
    // Its decisions are read and not kept: collecting them here would take time from the other processes.
    webhook.process.stdout?.removeAllListeners('data').resume();
    return this.#asked({
      process: webhook.process,
      port: Number(new URL(webhook.url).port),
      caFile: join(folder, 'webhook-ca.pem'),
      stop: webhook.stop,
    });
  }

  /** The least that a webhook does, with the certificate of a webhook that was started before. */
  async startFloor(): Promise<AskedWebhook> {
    const { folder } = this.#up;
    const words = [join(folder, 'webhook.pem'), join(folder, 'webhook.key')];
    const child = spawn(process.execPath, [join(import.meta.dirname, 'floor-server.ts'), ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.once('exit', () => child.kill());
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return this.#asked({
      process: child,
      port: Number(said),
      caFile: join(folder, 'webhook-ca.pem'),
      stop: async () => {
        const exit = once(child, 'exit');
        child.kill();
        await exit;
      },
    });
  }

  #asked(asked: ConstructorParameters<typeof AskedWebhook>[0]): AskedWebhook {
    const webhook = new AskedWebhook(asked);
    this.#webhooks.push(webhook);
    return webhook;
  }

  /** Ends everything, and removes its folder. */
  async close(): Promise<void> {
    for (const webhook of this.#webhooks) await webhook.stop();
    await this.#up.stop();
  }
}
