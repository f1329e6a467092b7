/** Defines a request and a response as the client and the service exchange them. */
import type { Id } from '../schema/integer.ts';
import type { Method } from '../schema/resource.ts';

export interface WireRequest {
  readonly method: Method;
  /** Path as on the request line: percent-encoded, without the query. This is the path that is signed. */
  readonly path: string;
  /** Query without the question mark. Empty for a request without a query. */
  readonly query: string;
  /** Headers by their names in lower case. No name occurs twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireResponse {
  readonly status: number;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Carries a request to the service and returns its response. Throws failures as `TransportError`. */
export type Transport = (request: WireRequest, signal?: CancelSignal) => Promise<WireResponse>;

/** The parts of an `AbortSignal` that a transport needs. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  readonly addEventListener: (abort: 'abort', listener: () => void) => void;
  readonly removeEventListener: (abort: 'abort', listener: () => void) => void;
}

export const API_PREFIX = '/v1/';
/** Maximum octets of a body. The service answers a larger body with 413 (wire, "Responses"). */
export const MAX_BODY_OCTETS = 10 * 1024 * 1024;

/** Returns the path of a collection, or of one of its items. */
export function pathOf(resource: string, id?: Id): string {
  return id === undefined
    ? `${API_PREFIX}${resource}`
    : `${API_PREFIX}${resource}/${encodeURIComponent(String(id))}`;
}

/** Parameters that the sandbox adds to `notifyurl`, with their meanings (README.md, "`notifyurl`"). */
export const SMS_NOTIFICATION_URL_PARAMETERS = {
  to: 'Phone number or shortcode that received the SMS',
  from: 'Phone number of the sender',
  text: 'Text of the SMS',
  keyword: 'Keyword of the rule; empty if the rule matches all messages',
  time: 'Time in Unix seconds',
} as const;

export type SmsNotificationUrlParameters = Readonly<
  Record<keyof typeof SMS_NOTIFICATION_URL_PARAMETERS, string>
>;
