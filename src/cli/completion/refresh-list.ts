/** Refreshes one cached list in the background. Caches an empty list if the request fails. */

import { shortenCampaignMarksInNames } from '../../client/record-title.ts';
import { type Context, type OutputStream, replaceContextParts } from '../outside/context.ts';
import type { Run } from '../session/session.ts';
import { findCompletionRequestContext, objectOrEmpty, readProfileConfiguration } from './configuration.ts';
import { type CompletionItem, openCompletionListCache } from './list-cache.ts';
import { type CompletionEnvironment, type CompletionQuery, formatCandidateListCacheName } from './look-up.ts';
import { CANDIDATE_LIST_COMMANDS, type CandidateListCommand } from './sources.ts';

const SILENT = ['-o', 'json', '--timeout', '3s', '--retries', '0', '--no-input', '--quiet'];

/** @param main runs a command line, such as `svc task list` */
export async function refreshCompletionList(
  { source, words }: Pick<CompletionQuery, 'source' | 'words'>,
  place: CompletionEnvironment,
  { main, context }: { readonly main: Run; readonly context: Context },
): Promise<void> {
  const { folder, now } = place;
  const known = Object.hasOwn(CANDIDATE_LIST_COMMANDS, source) ? CANDIDATE_LIST_COMMANDS[source] : undefined;
  const who = findCompletionRequestContext(words, readProfileConfiguration(place), place);
  if (folder === undefined || known === undefined || who === undefined) return;
  const kept = openCompletionListCache(folder);
  kept.deleteExpired(now);
  const { command, sandboxCommand } = known;
  const isSandbox = sandboxCommand !== undefined && who.profile?.sandbox !== undefined;
  const out = captured();
  const err = captured();
  const argv = [...(isSandbox ? sandboxCommand : command), ...SILENT, ...who.flags];
  const exit = await main(
    argv,
    replaceContextParts(context, { stdout: out.stream, stderr: err.stream, sentBy: 'completion' }),
  );
  if (exit !== 0 && BLOCKING_STATUSES.has(statusIn(err.text()))) kept.blockRequests(who.cacheKey, now);
  kept.write(formatCandidateListCacheName(source, who), exit === 0 ? itemsIn(out.text(), known) : [], now);
}

/** The service refused the key, or locked the user or the account. */
const BLOCKING_STATUSES: ReadonlySet<unknown> = new Set([401, 423]);

function itemsIn(
  text: string,
  { id, name }: Pick<CandidateListCommand, 'id' | 'name'>,
): readonly CompletionItem[] {
  const records = jsonIn(text.replaceAll(LARGE_NUMBER, '$1"$2"'));
  if (!Array.isArray(records)) return [];
  const items = new Map<string, string>();
  for (const record of records) {
    const found = id(record);
    const text = String(found ?? '');
    if (text !== '' && !items.has(text))
      items.set(text, shortenCampaignMarksInNames(String(name(record) ?? '')));
  }
  return [...items].map(([each, called]) => ({ id: each, name: called }));
}

/** Keeps every digit of ids above 2^53 as text. The JSON has one attribute per line. */
const LARGE_NUMBER = /^( *"\w+": )([0-9]{16,})(?=,?$)/gm;

/** The last line of stderr is the error as JSON. */
function statusIn(text: string): unknown {
  const { error } = objectOrEmpty(jsonIn(text.trimEnd().split('\n').at(-1) ?? ''));
  const { http } = objectOrEmpty(error);
  return http;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function captured(): { readonly stream: OutputStream; readonly text: () => string } {
  let text = '';
  const write = async (more: string): Promise<void> => {
    text += more;
  };
  return { stream: { isTTY: false, columns: undefined, write }, text: () => text };
}
