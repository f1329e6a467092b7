import { MAX_SMS_PARTS, measureSms } from '../../../kit/text/gsm.ts';
import { MAX_BODY_OCTETS } from '../../../service/protocol/json.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { fileFlag, textFlag, wholeNumberFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { readText } from '../../request/input-text.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { smsSend } from './send.ts';

const messageFlag = textFlag('message', {
  describe: 'Text of the SMS',
  friendly: 'text',
  value: 'text',
  group: 'Attributes',
});
const messageFileFlag = fileFlag('text-file', {
  describe: 'Read the text from a file or - (stdin)',
  group: 'Attributes',
});
const recipientsFlag = wholeNumberFlag('recipients', {
  describe: 'Number of recipients; svc then also prints the credits for all of them (totalCredits)',
  min: 1,
  // This limit keeps the total a safe integer for any text.
  max: 1_000_000_000,
});

const smsEstimate: Verb = {
  name: 'estimate',
  summary: 'Estimate the parts and credits of a text (offline)',
  about: `Exits 11 if the text needs more than ${MAX_SMS_PARTS} parts, the service's maximum`,
  work: 'local',
  exits: { 11: 'more than 3 parts' },
  section: 'smsMessage',
  example: 'sms estimate --message "Your table is ready" --recipients 500',
  flags: [messageFlag, messageFileFlag, recipientsFlag],
  run: estimate,
};

async function estimate(session: Invocation & Tell & ServiceAccess, input: Input): Promise<Outcome> {
  const text = await textIn(session, input);
  const recipients = input.get(recipientsFlag);
  const measure = measureSms(text);
  const exit = measure.parts > MAX_SMS_PARTS ? EXIT.unmet : EXIT.done;
  if (await isResultPrintedForPeople(session)) {
    const { describeSmsCostEstimate } = await import('./cost-text.ts');
    const { isTTY, columns } = session.context.stdout;
    const described = await describeSmsCostEstimate(text, recipients, isTTY ? columns : undefined);
    return { result: { kind: 'text', text: described }, exit };
  }
  const { costlyCharacters } = await import('../../../kit/text/sms-characters.ts');
  const total = recipients === undefined ? {} : { totalCredits: measure.credits * recipients };
  const costly = costlyCharacters(text).map((each) => ({ ...each }));
  const value = { ...measure, ...total, costly };
  return { result: createItemResult(value), exit };
}

async function textIn(session: Invocation, input: Input): Promise<string> {
  const given = input.get(messageFlag);
  const file = input.get(messageFileFlag);
  if (given !== undefined) return given;
  if (file === undefined) throw new UsageError('no text was given', { hint: 'add --message or --text-file' });
  return readText(session.context, file, MAX_BODY_OCTETS);
}

export const smsVerbs: readonly Verb[] = [smsSend, smsEstimate];
