/** The ways to the one service that a run asks, opened when they are first needed. */
import type { Transport } from '../../protocol/wire.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';

export interface Connections {
  /** @param keepPosts POSTs share connections; only where repeating one does no harm */
  readonly open: (origin: string, keepPosts: boolean) => Promise<Transport>;
  readonly close: () => Promise<void>;
}

export function createConnections({ transport, env }: Context): Connections {
  const closers: (() => Promise<void>)[] = [];
  const proxy = env['HTTPS_PROXY'] || env['https_proxy'];
  const except = env['NO_PROXY'] || env['no_proxy'];
  return {
    open: async (origin, keepPosts) => {
      if (transport) return transport;
      const { createTransport } = await import('../../client/transport/undici-transport.ts');
      try {
        const made = await createTransport({
          origin,
          env,
          keepPosts,
          ...(proxy ? { proxy: { url: proxy, ...(except ? { except } : {}) } } : {}),
        });
        closers.push(made.close);
        endSoonAfterParsing();
        return made.transport;
      } catch (cause) {
        if (cause instanceof RangeError) throw new UsageError(cause.message, { cause });
        throw cause;
      }
    },
    close: async () => {
      for (const close of closers.splice(0)) await close();
    },
  };
}

/**
 * The parser of HTTP answers is WebAssembly, and a process does not end before V8 has optimised it: 50 ms and more for
 * one answer. The baseline compiler is fast enough for any number. Not sooner: after a change of V8's flags Node's own
 * modules are compiled anew as they are loaded. And not by `import()`, which would load Node's loader of modules for it.
 */
function endSoonAfterParsing(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only');
}
