/** Declares `sandbox open`, which opens the sandbox's pages in the browser (contract, "The sandbox, for people and teams"). */

import { SANDBOX_PAGE_NAMES } from '../../../service/protocol/control/observe.ts';
import { controlOperationNamed } from '../../../service/protocol/control.ts';
import type { Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Invocation, Tell } from '../../session/ports.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, operationVerbHelp } from './control-verb.ts';

const OPERATION = controlOperationNamed('open');
const printFlag = switchFlag('print', { describe: 'Print the link instead of opening it' });

export const sandboxOpen: Verb = {
  ...operationVerbHelp('open'),
  exits: { 1: 'no browser' },
  positionals: [
    {
      name: 'page',
      describe: OPERATION.parameters['page']?.describe ?? '',
      optional: true,
      choices: SANDBOX_PAGE_NAMES,
    },
  ],
  flags: [printFlag, dataFlag],
  run: async (session, input) => {
    const [page] = input.positionals;
    const answer = await requestSandboxOperation(session, input, 'open', page === undefined ? {} : { page });
    const { url } = answer.data;
    const format = await session.format();
    const isShown = input.get(printFlag) || format === 'json' || format === 'ndjson';
    if (!isShown) {
      await openPage(session, url, 'run svc sandbox open --print and open the link');
      return { result: { kind: 'nothing' } };
    }
    if (format === 'table') return { result: { kind: 'raw', body: `${url}\n` } };
    return { result: await convertOperationResponse(session, answer, OPERATION) };
  },
};

export async function openPageUntilInterrupted(
  session: Invocation & Tell,
  url: string,
  advice: string,
): Promise<void> {
  await openPage(session, url, advice);
  await untilAborted(session.context.signal);
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

/** The link gives access for a minute, so no message contains it. @param advice what the user can do if no browser can be opened */
async function openPage(session: Invocation & Tell, url: string, advice: string): Promise<void> {
  const { openInBrowser } = await import('../../outside/browser.ts');
  const { context } = session;
  const problem = await session.waiting('for the browser to open', () =>
    openInBrowser(url, context, context.signal),
  );
  if (problem === undefined) return;
  throw new CliError('no-browser', `cannot open the browser: ${problem}`, {
    exit: EXIT.failed,
    hint: `set BROWSER to the browser to use, or ${advice}`,
  });
}
