/** Reads the send time of a task, from `--at` or `--now`. Only `--now` sends the task at once (contract, "Safety"). */
import type { Input } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { BodyDraft } from '../../request/body.ts';
import type { Session } from '../../session/session.ts';

export const sendNowFlag = switchFlag('now', {
  describe: 'Send at once, after a prompt (or with --yes)',
  group: 'Attributes',
});

/** Sets the send time to now if `--now` is given. Uses the time of the service, because the service decides when to send. */
export function applySendNowFlag(session: Session, input: Input, draft: BodyDraft): BodyDraft {
  if (!input.get(sendNowFlag)) return draft;
  if (hasTime(draft)) throw new UsageError('cannot combine --at with --now');
  const meanwhile = Math.floor(session.context.clock.now() / 1000);
  const later = new Map(draft.lookUps).set('scheduledtime', async () => ({
    value: Math.floor(await session.serviceNow()),
  }));
  return { ...draft, body: { ...draft.body, scheduledtime: meanwhile }, lookUps: later };
}

/** Returns the draft, with a finding if it has no send time. The finding names both flags that set the time. */
export function requireSendTime(draft: BodyDraft): BodyDraft {
  if (hasTime(draft)) return draft;
  const finding = {
    attribute: 'scheduledtime',
    reason: 'is required',
    instead: 'add --at, or --now to send at once',
  };
  return { ...draft, findings: [...draft.findings, finding] };
}

const hasTime = ({ body, findings }: BodyDraft): boolean =>
  Object.hasOwn(body, 'scheduledtime') || findings.some(({ attribute }) => attribute === 'scheduledtime');
