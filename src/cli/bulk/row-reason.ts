import { RowError } from '../../bulk/operation.ts';
import { explainError } from '../errors/explain-error.ts';

/** Returns the reason that a row was rejected: the service's message, with its findings on each attribute. */
export function rowReason(error: unknown): string {
  if (error instanceof RowError) return error.message;
  const { message, details } = explainError(error);
  const more = details.map((detail) => {
    const { attribute, reason } = Object(detail) as {
      readonly attribute?: unknown;
      readonly reason?: unknown;
    };
    return typeof reason === 'string' ? ` ${String(attribute)} ${reason}` : '';
  });
  const said = more.filter((text) => text !== '').join(';');
  return said === '' ? message : `${message}:${said}`;
}
