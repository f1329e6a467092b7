/** Reads the operators in a search of the outbox: `to:`, `subject:`, `is:` and `before:`. */
import { parseTimePhrase } from '../../kit/text/time-phrase.ts';
import type { ControlRequest } from '../../service/protocol/control.ts';
import type { CompanyPageRequest } from './page.ts';

export type OutboxFilter = Omit<ControlRequest<'outbox list'>, 'after' | 'before' | 'limit' | 'snippets'>;

export const STATES = ['delivered', 'bounced', 'failed', 'pending'] as const;

interface ParsedSearch {
  readonly filter: Pick<OutboxFilter, 'search' | 'to' | 'subject' | 'state' | 'until'>;
  /** Operators whose value is invalid, as sentences. */
  readonly problems: readonly string[];
}

const OPERATOR = /(?<!\S)(to|subject|is|before):(?:"([^"]*)"?|(\S+))/gi;

/** Returns the filter for a search such as `to:ada@example.com is:bounced news`. Other words with a colon are text. */
export function parseOutboxSearch(
  text: string,
  { clock, company }: Pick<CompanyPageRequest, 'clock' | 'company'>,
): ParsedSearch {
  const filter: { -readonly [K in keyof ParsedSearch['filter']]: ParsedSearch['filter'][K] } = {};
  const problems: string[] = [];
  const rest = text.replaceAll(OPERATOR, (_, operator: string, quoted?: string, word?: string) => {
    const value = (quoted ?? word ?? '').trim();
    if (value === '') return '';
    switch (operator.toLowerCase()) {
      case 'to':
        filter.to = value;
        break;
      case 'subject':
        filter.subject = value;
        break;
      case 'is': {
        const state = STATES.find((each) => each === value.toLowerCase());
        if (state === undefined) problems.push(`is:${value} is not a state. Use ${STATES.join(', ')}.`);
        else filter.state = state;
        break;
      }
      default: {
        const start = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) ? `${value} 00:00` : value;
        const time = parseTimePhrase(start, { now: clock.time, zone: company.timezone });
        if (time.ok) filter.until = time.time;
        else problems.push(`before:${value} is not a time. Use a date such as before:2026-12-01.`);
      }
    }
    return '';
  });
  const words = rest.replaceAll(/\s+/g, ' ').trim();
  if (words !== '') filter.search = words;
  return { filter, problems };
}

/** Returns the search without `is:`, for a link that chooses another state. */
export const removeStateOperator = (text: string): string =>
  text
    .replaceAll(OPERATOR, (whole, operator: string) => (operator.toLowerCase() === 'is' ? '' : whole))
    .trim();
