/** Declares `sandbox open`: opens its pages in the browser (contract, "The sandbox, for people and teams"). */
import { PAGE_NAMES } from '../../../protocol/control/observe.ts';
import { operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { helpOf, resultOf } from './control-verb.ts';
import { openPage } from './open-page.ts';

const OPERATION = operationOf('open');
const printFlag = switchFlag('print', { describe: 'Print the link instead of opening it' });

export const open: Verb = {
  ...helpOf('open'),
  exits: { 1: 'no browser' },
  positionals: [
    {
      name: 'page',
      describe: OPERATION.parameters['page']?.describe ?? '',
      optional: true,
      choices: PAGE_NAMES,
    },
  ],
  flags: [printFlag, dataFlag],
  run: async (session, input) => {
    const [page] = input.positionals;
    const answer = await askSandbox(session, input, 'open', page === undefined ? {} : { page });
    const { url } = Object(answer.data) as JsonObject;
    const format = await session.format();
    const isShown = input.get(printFlag) || format === 'json' || format === 'ndjson';
    if (!isShown) {
      await openPage(session, String(url), 'run svc sandbox open --print');
      return { result: { kind: 'nothing' } };
    }
    if (format === 'table') return { result: { kind: 'raw', body: `${String(url)}\n` } };
    return { result: resultOf(answer, OPERATION, false) };
  },
};
