import type { TraceEvent } from '../../client/trace.ts';
import { assertNever } from '../../schema/resource.ts';

/** Returns the lines of `--debug` for one step on the wire. The client has already shortened the signature. */
export function traceLines(event: TraceEvent): string {
  const request = `${event.method} ${event.path}${event.query === '' ? '' : `?${event.query}`}`;
  const attempt = event.attempt === 1 ? '' : ` (attempt ${event.attempt})`;
  switch (event.kind) {
    case 'request':
      return [`> ${request}${attempt}`, ...headerLines('>', event.headers)].join('\n');
    case 'answer':
      return [`< ${event.status} in ${event.ms} ms${attempt}`, ...headerLines('<', event.headers)].join('\n');
    case 'failure':
      return `! ${request}${attempt}: ${event.problem}, after ${event.ms} ms`;
    case 'retry':
      return `! ${request}: retry in ${event.ms} ms: ${event.why}`;
    default:
      return assertNever(event);
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${mark}   ${name}: ${value}`);
}
