/** `--list-size` gives the number of subscribers of a list, if for example no task shows it. */
import type { GivenListSize, ListSizesById } from '../../features/rehearse/estimates.ts';
import type { Input } from '../command/command.ts';
import { repeatableTextFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import type { AssistantCommandLimits } from '../outside/context.ts';

const MAX_LIST_SIZE = 10_000_000;

/** Limit for all lists together in a rehearsal by an assistant. Each subscriber takes memory of the server. */
const MAX_SUBSCRIBERS_FOR_ASSISTANTS = 1_000_000;

export const listSizeFlag = repeatableTextFlag('list-size', {
  describe:
    'Number of invented subscribers on a list of the copied account: LIST-ID=NUMBER, or LIST-ID:sms=NUMBER (repeatable)',
  value: 'id=number',
});

/** Keys are list ids. @throws UsageError for an unreadable value, or more subscribers than an assistant may invent */
export function readListSizes(input: Input, confined?: AssistantCommandLimits): ListSizesById {
  const sizes = new Map<number, GivenListSize>();
  for (const text of input.get(listSizeFlag)) {
    const [, list, channel, number] = /^([1-9][0-9]{0,14})(?::(email|sms))?=([0-9]{1,15})$/.exec(text) ?? [];
    if (list === undefined || number === undefined || Number(number) > MAX_LIST_SIZE)
      throw new UsageError(
        `--list-size ${text}: must be ID=NUMBER or ID:CHANNEL=NUMBER, with at most ${MAX_LIST_SIZE} subscribers`,
        { hint: 'write --list-size 17=12000, or --list-size 17:sms=5000 for those with a phone number' },
      );
    const id = Number(list);
    const size = Number(number);
    const added: GivenListSize = channel === undefined ? { email: size, sms: size } : { [channel]: size };
    const before = sizes.get(id) ?? {};
    if (Object.keys(added).some((each) => each in before))
      throw new UsageError(`--list-size names list ${id} twice`, {
        hint: `give one number, or one for each channel: --list-size ${id}:email=N --list-size ${id}:sms=N`,
      });
    sizes.set(id, { ...before, ...added });
  }
  const total = [...sizes.values()].reduce((sum, { email = 0, sms = 0 }) => sum + Math.max(email, sms), 0);
  if (confined !== undefined && total > MAX_SUBSCRIBERS_FOR_ASSISTANTS)
    throw new UsageError(
      `--list-size: an assistant can rehearse at most ${MAX_SUBSCRIBERS_FOR_ASSISTANTS} invented subscribers, not ${total}`,
      { hint: 'use smaller lists, or ask a person to run svc rehearse' },
    );
  return sizes;
}
