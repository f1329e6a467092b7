import type { Transport } from '../../service/protocol/wire.ts';
import { UsageError } from '../errors/errors.ts';
import type { AssistantCommandLimits, Context } from '../outside/context.ts';

export interface ServiceConnections {
  /** @param sharePostConnections true if a POST may use the connection of an earlier request. svc may then have to send the POST twice. */
  readonly open: (origin: string, sharePostConnections: boolean) => Promise<Transport>;
  readonly close: () => Promise<void>;
}

export function createServiceConnections({ transport, env, confined }: Context): ServiceConnections {
  const closers: (() => Promise<void>)[] = [];
  const proxy = env.HTTPS_PROXY || env.https_proxy;
  const except = env.NO_PROXY || env.no_proxy;
  const within = (opened: Transport): Transport => (confined ? confinedTransport(opened, confined) : opened);
  return {
    open: async (origin, sharePostConnections) => {
      if (confined && origin !== confined.origin)
        throw new UsageError(
          `the address of the profile has changed from ${confined.origin} to ${origin}; nothing was sent`,
          { hint: 'restart svc mcp' },
        );
      if (transport) return within(transport);
      const { createTransport } = await import('../../client/requests/transport/undici-transport.ts');
      try {
        const made = await createTransport({
          origin,
          env,
          sharePostConnections,
          onFirstConnection: () => optimiseParser(false),
          ...(proxy ? { proxy: { url: proxy, ...(except ? { except } : {}) } } : {}),
        });
        closers.push(made.close);
        return within(made.transport);
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

/** If `writes` is `none`, it refuses all requests except GET and HEAD. */
function confinedTransport(
  transport: Transport,
  { writes, onRequest, onResponse }: AssistantCommandLimits,
): Transport {
  return async (request, signal) => {
    const { method } = request;
    if (writes === 'none' && method !== 'GET' && method !== 'HEAD')
      throw new UsageError(`an AI assistant cannot send ${method} requests; nothing was sent`, {
        hint: 'make a plan, and ask a person to approve the plan with svc approve',
      });
    onRequest?.();
    const response = await transport(request, signal);
    onResponse?.(response);
    return response;
  };
}

/**
 * Node's HTTP parser is WebAssembly, which V8 optimizes after the first connection; the process can't end before, which takes 50 ms or
 * more. Switch it off only while connections are open: V8 can read its cache of compiled code only with unchanged flags. `import()` here
 * would load Node's module loader.
 */
function optimiseParser(isWanted: boolean): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const flags = isWanted
    ? ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']
    : ['--liftoff-only'];
  for (const flag of flags) setFlagsFromString(flag);
}
