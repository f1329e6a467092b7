import type { Client } from '../../client/client.ts';
import type { TraceEvent, TraceListener } from '../../client/connection.ts';
import { createServiceClock, type ServiceClock } from '../../client/service-clock.ts';
import type { WriteOutcome } from '../../journal/entry.ts';
import type { JournalRecorder } from '../../journal/recorder.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import { isLoopback, type Transport } from '../../protocol/wire.ts';
import { assertNever } from '../../schema/resource.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Context } from '../outside/context.ts';
import { createApprovalCheckingTransport, type SendPermission } from './approvals.ts';
import { createReadOnlyTransport } from './before-writes.ts';
import type { ServiceConnections } from './connections.ts';
import type { DryRunState } from './dry-run.ts';
import { createDryRunClient, createDryRunTransport } from './dry-run-client.ts';
import type { GlobalFlagValues } from './globals.ts';
import type { WaitNotices } from './notes.ts';
import { once } from './once.ts';
import { formatSignatureTrace } from './signature-lines.ts';

export interface RecordingClientOptions {
  /** Used instead of that of the run, for requests that svc must send after Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly ifInterrupted?: string;
  /** Id of the journal entry that the requests undo. */
  readonly undoes?: number;
  /** If false, a budget of recipients or credits refuses these writes. */
  readonly isChecked?: boolean;
  /** Approvals of the plan that is applied. If the profile requires approvals, a client without them cannot schedule tasks. */
  readonly approvals?: SendPermission;
}

export interface BulkClientOptions {
  readonly trace?: (event: TraceEvent) => void;
  /** Set it only if repeating a POST does no harm. */
  readonly sharePostConnections?: boolean;
}

export interface ClientFactories {
  /** Returns a new client if options are given. */
  readonly createUnrecorded: (bulk?: BulkClientOptions) => Promise<Client>;
  readonly createRecording: (special: RecordingClientOptions) => Promise<Client>;
}

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

export function createClientFactories(parts: {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly wire: Wire;
  readonly waitNotices: WaitNotices;
  readonly dryRun: DryRunState;
  readonly recorder: () => Promise<JournalRecorder | undefined>;
  readonly warn: (line: string) => Promise<void>;
  readonly onRequest?: (() => void) | undefined;
  /** The requests page of the sandbox hides such requests. */
  readonly sentBy?: 'completion' | 'doctor' | undefined;
}): ClientFactories {
  const { context, globals, resolved, wire, waitNotices, dryRun, recorder, warn, onRequest, sentBy } = parts;
  const agent = sentBy === undefined ? {} : { 'user-agent': `svc (${sentBy})` };

  const make = async (
    { signal, ifInterrupted, approvals }: RecordingClientOptions,
    bulk?: BulkClientOptions,
  ): Promise<Client> => {
    const { sharePostConnections = false, trace: watch } = bulk ?? {};
    const found = await resolved();
    const [{ createClient }, opened] = await Promise.all([
      import('../../client/client.ts'),
      sharePostConnections ? wire.connections.open(found.origin, true) : wire.transport(),
    ]);
    const { profile, naming } = found;
    const basePath = found.baseUrl.slice(found.origin.length);
    const writing = profile?.readOnly ? createReadOnlyTransport(opened, profile) : opened;
    const open =
      profile?.requireApprovals === undefined
        ? writing
        : createApprovalCheckingTransport(writing, profile, { approvals, naming, basePath });
    const told: Transport = (request, signal) => {
      onRequest?.();
      return open(sentBy ? { ...request, headers: { ...request.headers, ...agent } } : request, signal);
    };
    const trace = (event: TraceEvent): void => {
      watch?.(event);
      wire.trace?.(event);
    };
    const made = createClient({
      credentials: found.credentials,
      naming,
      basePath,
      transport: dryRun.isOn ? createDryRunTransport(told, dryRun) : told,
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
    return dryRun.isOn ? createDryRunClient(made, naming, dryRun) : made;
  };
  const plain = once(() => make({}));
  return {
    createUnrecorded: (bulk) => (bulk === undefined ? plain() : make({}, bulk)),
    createRecording: async (special) => {
      const [client, { createJournalingClient }] = await Promise.all([
        special.signal === undefined && special.approvals === undefined ? plain() : make(special),
        import('../../journal/client.ts'),
      ]);
      const { naming } = await resolved();
      return createJournalingClient(client, {
        open: recorder,
        // The line reports the result of a write. A stderr that can't be written must not hide that result.
        printLine: (line) => warn(line).catch(() => undefined),
        naming,
        failureOf,
        undoes: special.undoes,
      });
    },
  };
}

function failureOf(error: unknown): WriteOutcome {
  const { kind, exit, message, http } = explainError(error);
  return {
    state: exit === EXIT.unknown ? 'unknown' : 'failed',
    error: { kind, message, ...(http === undefined ? {} : { http }) },
  };
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
