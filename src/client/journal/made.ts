import { type Id, isId } from '../../kit/schema/integer.ts';
import type { Clock } from '../requests/ports.ts';
import type { Entry, WriteRequestSender } from './entry.ts';
import type { JournalLocation } from './file.ts';
import { readJournalEntries } from './read.ts';

export interface CreatesWanted extends Pick<WriteRequestSender, 'origin' | 'company'> {
  readonly resources: readonly string[];
  readonly isWanted: (name: string) => boolean;
  /** Default: no limit. */
  readonly withinMs?: number;
}

export interface RecordMadeHere {
  readonly resource: string;
  readonly id: Id;
}

export interface InFlightWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds after which a request without a response can no longer reach the service. */
  readonly settleMs: number;
}

const POLL_MS = 500;

/**
 * Waits while a wanted POST is in flight: it was noted less than `settleMs` ago, and has no outcome.
 * @throws JournalError if a newer svc wrote the journal
 */
export async function findRecordsMadeHere(
  place: JournalLocation,
  wanted: CreatesWanted,
  { clock, signal, settleMs }: InFlightWait,
): Promise<readonly RecordMadeHere[]> {
  const oldest = clock.now() - (wanted.withinMs ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const creates = (await readJournalEntries(place)).filter(
      (entry) => isWantedCreate(entry, wanted) && Date.parse(entry.time) >= oldest,
    );
    const isInFlight = creates.some((entry) => {
      const age = clock.now() - Date.parse(entry.time);
      return (entry.state === 'intent' || entry.state === 'unknown') && age >= 0 && age < settleMs;
    });
    if (!isInFlight)
      return creates.flatMap(({ resource, id, after }) => {
        const made = after?.id ?? id;
        return isId(made) ? [{ resource, id: made }] : [];
      });
    await clock.sleep(POLL_MS, signal);
  }
}

function isWantedCreate({ method, resource, origin, company, sent }: Entry, wanted: CreatesWanted): boolean {
  const isSameService = origin === wanted.origin && String(company) === String(wanted.company);
  const name = sent?.name;
  return (
    method === 'POST' &&
    wanted.resources.includes(resource) &&
    isSameService &&
    typeof name === 'string' &&
    wanted.isWanted(name)
  );
}
