import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { Client } from '../../client/requests/client.ts';
import type { TraceEvent, TraceListener } from '../../client/requests/connection.ts';
import { createServiceClock, type ServiceClock } from '../../client/requests/service-clock.ts';
import { assertNever } from '../../kit/schema/resource.ts';
import { isLoopback, type Transport } from '../../service/protocol/wire.ts';
import type { Context } from '../outside/context.ts';
import type { ServiceConnections } from './connections.ts';
import type { GlobalFlagValues } from './globals.ts';
import type { WaitNotices } from './notes.ts';
import { once } from './once.ts';
import type { BulkClientOptions, RecordingClientOptions } from './ports.ts';
import { formatSignatureTrace } from './signature-lines.ts';

export interface Wire {
  readonly connections: ServiceConnections;
  readonly transport: () => Promise<Transport>;
  readonly serviceClock: () => Promise<ServiceClock>;
  /** Undefined without both flags and `watch`. */
  readonly trace: TraceListener | undefined;
  readonly explainsSignature: boolean;
  readonly traced: () => Promise<void>;
}

export function openWire(dependencies: {
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly connections: ServiceConnections;
  readonly globals: GlobalFlagValues;
  readonly warn: (lines: readonly string[]) => Promise<void>;
  readonly watch?: TraceListener | undefined;
}): Wire {
  const { resolved, connections, globals, warn, watch } = dependencies;
  let traced: Promise<void> = Promise.resolve();
  const print = (lines: readonly string[]): void => {
    traced = traced.then(() => warn(lines));
  };
  const explain: TraceListener = (event) => {
    const lines = formatSignatureTrace(event);
    if (lines !== undefined) print(lines);
  };
  const traces = [
    ...(globals.debug ? [(event: TraceEvent) => print(traceLines(event))] : []),
    ...(globals.explainSignature ? [explain] : []),
    ...(watch === undefined ? [] : [watch]),
  ];
  return {
    connections,
    transport: once(async () => connections.open((await resolved()).origin, false)),
    serviceClock: once(async () => createServiceClock((await resolved()).naming)),
    trace:
      traces.length === 0
        ? undefined
        : (event) => {
            for (const each of traces) each(event);
          },
    explainsSignature: globals.explainSignature || watch !== undefined,
    traced: () => traced,
  };
}

/** Makes clients whose writes pass no stage (`write-stages.ts`). Clients without options of their own are one client. */
export function createServiceClients(parts: {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly wire: Wire;
  readonly waitNotices: WaitNotices;
  readonly onRequest?: (() => void) | undefined;
  /** The requests page of the sandbox hides such requests. */
  readonly sentBy?: 'completion' | 'doctor' | undefined;
}): (own?: RecordingClientOptions, bulk?: BulkClientOptions) => Promise<Client> {
  const { context, globals, resolved, wire, waitNotices, onRequest, sentBy } = parts;
  const agent = sentBy === undefined ? {} : { 'user-agent': `svc (${sentBy})` };

  const make = async (
    { signal, ifInterrupted }: RecordingClientOptions,
    bulk?: BulkClientOptions,
  ): Promise<Client> => {
    const { sharePostConnections = false, trace: watch } = bulk ?? {};
    const found = await resolved();
    const [{ createClient }, open] = await Promise.all([
      import('../../client/requests/client.ts'),
      sharePostConnections ? wire.connections.open(found.origin, true) : wire.transport(),
    ]);
    const transport: Transport = (request, signal) => {
      onRequest?.();
      return open(sentBy ? { ...request, headers: { ...request.headers, ...agent } } : request, signal);
    };
    const trace = (event: TraceEvent): void => {
      watch?.(event);
      wire.trace?.(event);
    };
    return createClient({
      credentials: found.credentials,
      naming: found.naming,
      basePath: found.baseUrl.slice(found.origin.length),
      transport,
      clock: context.clock,
      random: context.random,
      signal: signal ?? context.signal,
      serviceClockAlone: isLoopback(new URL(found.origin).hostname),
      serviceClock: await wire.serviceClock(),
      timeout: globals.timeout,
      settle: globals.settle,
      retries: globals.retries,
      trace: wire.trace || watch ? trace : undefined,
      explainsSignature: wire.explainsSignature,
      // Bulk work shows its own progress.
      ...(bulk === undefined ? { onWait: waitNotices.createWaitListener(ifInterrupted) } : {}),
    });
  };
  const plain = once(() => make({}));
  return (own = {}, bulk) => (bulk === undefined && own.signal === undefined ? plain() : make(own, bulk));
}

/** The client has already shortened the signature. */
function traceLines(event: TraceEvent): readonly string[] {
  const request = `${event.method} ${event.path}${event.query === '' ? '' : `?${event.query}`}`;
  const attempt = event.attempt === 1 ? '' : ` (attempt ${event.attempt})`;
  switch (event.kind) {
    case 'request':
      return [`> ${request}${attempt}`, ...headerLines('>', event.headers)];
    case 'answer':
      return [`< ${event.status} in ${event.ms} ms${attempt}`, ...headerLines('<', event.headers)];
    case 'failure':
      return [`! ${request}${attempt}: ${event.problem}, after ${event.ms} ms`];
    case 'retry':
      return [`! ${request}: retry in ${event.ms} ms: ${event.why}`];
    default:
      return assertNever(event);
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${mark}   ${name}: ${value}`);
}
