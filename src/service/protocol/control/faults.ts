/** Faults that the sandbox can inject into the service: names, texts and effects, declared only here. */
import { keysOf } from '../../../kit/text/json-object.ts';
import type { ControlOperation } from './operation.ts';

interface InjectedFaultDeclaration {
  readonly does: string;
  readonly effect: InjectedFaultEffect;
}

/**
 * Effect of an injected fault on a request. For each new `kind`, add code to the sandbox's server; otherwise the server does not compile.
 */
export type InjectedFaultEffect =
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly message: string;
      readonly retryAfter?: number;
    }
  | { readonly kind: 'wait' }
  | { readonly kind: 'cut-before' }
  | { readonly kind: 'cut-after' };

export const INJECTABLE_FAULTS = {
  error: {
    does: 'responds with 503 and changes nothing',
    effect: { kind: 'refuse', status: 503, message: 'Unavailable (injected fault)' },
  },
  'rate-limit': {
    does: 'responds with 429 and changes nothing',
    effect: { kind: 'refuse', status: 429, message: 'Too many requests', retryAfter: 1 },
  },
  slow: { does: 'delays the request before processing it', effect: { kind: 'wait' } },
  reset: { does: 'closes the connection before processing the request', effect: { kind: 'cut-before' } },
  'lost-answer': { does: 'processes the request, then closes the connection', effect: { kind: 'cut-after' } },
} as const satisfies Readonly<Record<string, InjectedFaultDeclaration>>;

export type InjectedFaultKind = keyof typeof INJECTABLE_FAULTS;

export const INJECTABLE_FAULT_KINDS = keysOf(INJECTABLE_FAULTS);

const COLUMNS = [
  { name: 'kind' },
  { name: 'rate', kind: 'number' },
  { name: 'times', kind: 'number' },
  { name: 'match' },
  { name: 'delay', kind: 'number' },
] as const;

export const FAULT_OPERATIONS = {
  'fault set': {
    summary: 'Inject a fault into the sandbox',
    about:
      `Kinds of fault: ${INJECTABLE_FAULT_KINDS.map((kind) => `${kind} ${INJECTABLE_FAULTS[kind].does}`).join('; ')}. ` +
      'Faults end when the sandbox stops',
    example: 'fault set --kind lost-answer --times 1 --match "POST /v1/task"',
    scope: 'sandbox',
    parameters: {
      kind: {
        kind: 'choice',
        choices: INJECTABLE_FAULT_KINDS,
        placeholder: 'kind',
        describe: 'Kind of fault',
        required: true,
      },
      rate: {
        kind: 'share',
        default: 1,
        placeholder: '0..1',
        describe: 'Share of matching requests that are affected',
      },
      times: {
        kind: 'count',
        min: 1,
        max: 1_000_000,
        describe: 'Maximum number of affected requests (default: no limit)',
      },
      match: {
        kind: 'text',
        describe: 'Affect only requests with this method, path or both: POST, /v1/task or "POST /v1/task"',
      },
      delay: {
        kind: 'duration',
        unit: 'milliseconds',
        whole: true,
        min: '0s',
        max: '10m',
        default: '2s',
        describe: 'Delay of each request, if --kind is slow',
      },
    },
    columns: COLUMNS,
  },
  'fault list': {
    summary: 'List injected faults',
    example: 'fault list',
    scope: 'sandbox',
    parameters: {},
    columns: COLUMNS,
    empty: 'No faults are set.',
    reads: true,
  },
  'fault clear': {
    summary: 'Clear all faults',
    example: 'fault clear',
    scope: 'sandbox',
    parameters: {},
    columns: [{ name: 'cleared', kind: 'number' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
