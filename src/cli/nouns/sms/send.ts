import { smsTextOfRecord } from '../../../client/sends/cost.ts';
import { measureSms } from '../../../kit/text/gsm.ts';
import { type SmsBody, sms } from '../../../service/resources/sms.ts';
import { bulkJobFlags } from '../../bulk/flags.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { type FlagShape, fileFlag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { type BodyDraft, finishRequestBody, readBody } from '../../request/body.ts';
import {
  checkCreditsFlag,
  checkSmsCredits,
  formatCreditPrice,
  printSmsCostLine,
} from '../../request/credits.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { flagsForCreate } from '../../request/key.ts';
import {
  checkSendTimeAndCreateRecheck,
  missingSendTime,
  printSendTime,
  sendNowFlag,
  warnAboutNight,
} from '../../request/send-time.ts';
import { createWriteOutcome } from '../../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { sendCreateRequest } from '../generic/write.ts';

const rowsFileFlag = fileFlag('file', {
  describe: 'Send one SMS per row of this file; columns: to, from, message, senddate',
});

const sendAgainFlag = switchFlag('again', {
  describe: 'Send all rows of --file again, also those that an earlier run sent',
});

const fileFlags: readonly FlagShape[] = [rowsFileFlag, sendAgainFlag, ...bulkJobFlags];

export const smsSend: Verb = {
  name: 'send',
  summary: 'Send one SMS, or one per row of a file',
  about:
    'Checks all rows of --file before it sends the first. Flags supply the values of missing columns. No row is sent twice: if a response is lost, svc looks for the SMS, and exits 10 if it cannot tell whether the SMS was sent. It writes such rows to FILE.unconfirmed.csv, so that you can check them and send them alone. After Ctrl-C or a crash, run the same command to continue',
  work: 'creates',
  does: 'sends',
  asks: true,
  exits: { 8: 'rows failed' },
  methods: ['POST'],
  example: 'sms send --to 447700900123 --from Example --text "Your table is ready" --now --yes',
  flags: [sendNowFlag, checkCreditsFlag, ...flagsForCreate(sms), ...fileFlags],
  companies: 'writes',
  run: async (session, input) => {
    const file = input.get(rowsFileFlag);
    if (file === undefined) return sendOne(session, input);
    const { sendSmsFromFile } = await import('./send-file.ts');
    const options = { isNow: input.get(sendNowFlag), again: input.get(sendAgainFlag) };
    return sendSmsFromFile(session, input, file, options);
  },
};

async function sendOne(session: Ports, input: Input): Promise<Outcome> {
  const given = await readBody(session, sms, 'POST', input);
  // svc never asks whether to send at once: only --now does that.
  const also = input.get(sendNowFlag) ? [] : ['senddate'];
  const draft = withRequiredTime(input, await askForMissingAttributes(session, sms, input, given, { also }));
  const body = await finishRequestBody(session, sms, 'POST', draft);
  if (input.get(sendNowFlag)) requireYesFlagOrTerminal(session, 'send the SMS at once');
  const recheckTime = await guardSend(session, input, body);
  const record = await sendCreateRequest(session, sms, body, recheckTime && { beforeAttempt: recheckTime });
  return createWriteOutcome(session, sms, record, 'Created');
}

/** Returns a check before each attempt; undefined for an immediate send. */
async function guardSend(
  session: Invocation & Tell & ServiceAccess & Clocks,
  input: Input,
  body: SmsBody,
): Promise<(() => Promise<void>) | undefined> {
  const time = body.senddate;
  const { credits } = measureSms(String(body.message));
  const isTimed = typeof time === 'number' || typeof time === 'bigint';
  const recheckTime = isTimed
    ? await checkSendTimeAndCreateRecheck(session, 'senddate', Number(time))
    : undefined;
  const start = isTimed ? Number(time) : await session.serviceNow();
  if (!recheckTime) await printSendTime(session, start);
  await warnAboutNight(session, [start]);
  await printSmsCostLine(session, smsTextOfRecord(body), 1);
  await checkSmsCredits(session, input, 'the SMS', credits);
  if (recheckTime) return recheckTime;
  const cost = await formatCreditPrice(session, credits);
  await confirmActionWithAccountShown(session, `send an SMS to ${body.msisdn} at once, for ${cost}`);
  return undefined;
}

/** The service sends an SMS without `senddate` at once, so svc requires a send time or `--now`. */
function withRequiredTime(input: Input, draft: BodyDraft): BodyDraft {
  const given = draft.body['senddate'] ?? null;
  const hasTime = given !== null || draft.findings.some(({ attribute }) => attribute === 'senddate');
  if (input.get(sendNowFlag)) {
    if (hasTime) throw new UsageError('cannot combine --at with --now');
    return { ...draft, body: { ...draft.body, senddate: null } };
  }
  if (hasTime) return draft;
  return { ...draft, findings: [...draft.findings, missingSendTime('senddate', 'is missing')] };
}
