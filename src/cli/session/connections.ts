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
          onFirstConnection: () => optimiseParser(false),
          ...(proxy ? { proxy: { url: proxy, ...(except ? { except } : {}) } } : {}),
        });
        closers.push(made.close);
        return made.transport;
      } catch (cause) {
        if (cause instanceof RangeError) throw new UsageError(cause.message, { cause });
        throw cause;
      }
    },
    close: async () => {
      if (closers.length === 0) return;
      for (const close of closers.splice(0)) await close();
      optimiseParser(true);
    },
  };
}

/**
 * The parser of HTTP answers is WebAssembly, made at the first connection, and a process does not end before V8 has
 * optimised it: 50 ms and more for one answer. The baseline compiler is fast enough for any number. Neither sooner nor
 * longer than it is used: with other flags V8 compiles anew what it could have read, Node's own modules and the code that
 * is kept from an earlier run. And not by `import()`, which would load Node's loader of modules for it.
 */
function optimiseParser(isWanted: boolean): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const flags = isWanted
    ? ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']
    : ['--liftoff-only'];
  for (const flag of flags) setFlagsFromString(flag);
}
