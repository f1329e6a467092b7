/** Refreshes one cached list in the background. Caches an empty list if the request fails. */

import { replaceMarksBySigns } from '../../service/resources/campaign-mark.ts';
import {
  type Context,
  type OutcomeTaker,
  type OutputStream,
  replaceContextParts,
} from '../outside/context.ts';
import { findCompletionRequestContext, readProfileConfiguration } from './configuration.ts';
import { type CompletionItem, openCompletionListCache } from './list-cache.ts';
import { type CompletionEnvironment, type CompletionQuery, formatCandidateListCacheName } from './look-up.ts';
import { CANDIDATE_LIST_COMMANDS, type CandidateListCommand } from './sources.ts';

const SILENT = ['-o', 'json', '--timeout', '3s', '--retries', '0', '--no-input', '--quiet'];

/** Runs a command line, such as `svc task list`. */
type Main = (argv: readonly string[], context: Context) => Promise<number>;

export async function refreshCompletionList(
  { source, words }: Pick<CompletionQuery, 'source' | 'words'>,
  place: CompletionEnvironment,
  { main, context }: { readonly main: Main; readonly context: Context },
): Promise<void> {
  const { folder, now } = place;
  const known = Object.hasOwn(CANDIDATE_LIST_COMMANDS, source) ? CANDIDATE_LIST_COMMANDS[source] : undefined;
  const who = findCompletionRequestContext(words, readProfileConfiguration(place), place);
  if (folder === undefined || known === undefined || who === undefined) return;
  const kept = openCompletionListCache(folder);
  kept.deleteExpired(now);
  const { command, sandboxCommand } = known;
  const isSandbox = sandboxCommand !== undefined && who.profile?.sandbox !== undefined;
  let records: unknown;
  let status: unknown;
  const taker: OutcomeTaker = {
    take: (value) => {
      records = value;
    },
    fail: ({ http }) => {
      status = http;
    },
  };
  const argv = [...(isSandbox ? sandboxCommand : command), ...SILENT, ...who.flags];
  const silent = { stdout: NOWHERE, stderr: NOWHERE, sentBy: 'completion', taker } as const;
  const exit = await main(argv, replaceContextParts(context, silent));
  if (exit !== 0 && BLOCKING_STATUSES.has(status)) kept.blockRequests(who.cacheKey, now);
  kept.write(formatCandidateListCacheName(source, who), exit === 0 ? itemsIn(records, known) : [], now);
}

/** The service refused the key, or locked the user or the account. */
const BLOCKING_STATUSES: ReadonlySet<unknown> = new Set([401, 423]);

function itemsIn(
  records: unknown,
  { id, name }: Pick<CandidateListCommand, 'id' | 'name'>,
): readonly CompletionItem[] {
  if (!Array.isArray(records)) return [];
  const items = new Map<string, string>();
  for (const record of records) {
    const found = id(record);
    const text = String(found ?? '');
    if (text !== '' && !items.has(text)) items.set(text, replaceMarksBySigns(String(name(record) ?? '')));
  }
  return [...items].map(([each, called]) => ({ id: each, name: called }));
}

const NOWHERE: OutputStream = { isTTY: false, columns: undefined, write: async () => undefined };
