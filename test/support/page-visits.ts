/** A separate sandbox for a test file about its pages, and visits to them in Chromium. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { SandboxStartOptions } from '../../src/sandbox/start.ts';
import { type Browser, flawsIn, hasBrowser, launch, type Visit, visit } from './pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from './running-sandbox.ts';

export interface Visits {
  readonly sandbox: () => SocketSandbox;
  /** Opens the page, and closes it after the work. */
  readonly on: <T>(
    path: string,
    work: (seen: Visit) => Promise<T>,
    options?: Parameters<typeof visit>[3],
  ) => Promise<T>;
  /** Checks the page in every view: no serious finding of axe-core, not wider than the window, and no external file. */
  readonly looksWell: (path: string, name: string) => Promise<void>;
  /** Returns the response of an operation of the control plane. */
  readonly asked: (operation: string, args?: object) => Promise<Answered>;
  /**
   * Returns the response to a request of the company's admin.
   * @throws if the service refuses it
   */
  readonly api: (method: string, target: string, body?: object) => Promise<Answered>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answered = any;

export function visits(options: Partial<SandboxStartOptions> = {}): Visits {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  let browser: Browser;
  beforeAll(async () => {
    folder = await temporaryFolder();
    sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo', ...options });
    if (hasBrowser) browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    expect(sandbox.reports).toEqual([]);
    await sandbox.stop();
    await folder.remove();
  });
  const on: Visits['on'] = async (path, work, at) => {
    const seen = await visit(browser, sandbox, path, at);
    try {
      return await work(seen);
    } finally {
      await seen.close();
    }
  };
  return {
    on,
    sandbox: () => sandbox,
    looksWell: (path, name) =>
      on(path, async (seen) => {
        expect(await flawsIn(seen, name)).toEqual([]);
        expect(seen.complaints).toEqual([]);
        expect(seen.outside).toEqual([]);
      }),
    asked: async (operation, args = {}) => {
      const { json } = await sandbox.control(operation, args);
      if (json.error) throw new Error(json.error.message);
      return json.data;
    },
    api: async (method, target, body) => {
      const { json } = await sandbox.api(method, target, body);
      if (json.status !== 'ok') throw new Error(JSON.stringify(json));
      return json.response.data;
    },
  };
}
