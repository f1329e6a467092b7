/** Runs a tool call: checks its arguments, calls the verb, and makes its data a result. */

import { isObject } from '../../../kit/text/json-object.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { AssistantCommandLimits, Context, OutputStream } from '../../outside/context.ts';
import type { Run, VerbCall } from '../../session/ports.ts';
import type { ApprovalRequest, Ask } from './approval.ts';
import { readResultPosition } from './cursor.ts';
import { writeDraftFiles } from './draft-files.ts';
import { checkAssistantPath } from './folder-access.ts';
import { nextStep } from './next-step.ts';
import { buildLargestFittingPage, type PagingArguments, type ToolResult } from './page.ts';
import { addStatus } from './record-fields.ts';
import { readRecordList } from './record-list.ts';
import { type FlagValues, pagingArgumentNames, readToolArguments, type ToolCommand } from './schema.ts';
import type { McpServerSettings } from './settings.ts';
import type { Tool } from './tools.ts';
import { cleanUntrustedValue, UNTRUSTED_TEXT_KEY } from './untrusted.ts';

export interface ToolWithCommands {
  readonly tool: Tool;
  readonly commands: readonly ToolCommand[];
}

export interface McpToolCall {
  /** Not yet checked. */
  readonly toolArguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onRequest: () => void;
  /** Asks the person who uses the client. Undefined if the client offers no questions. */
  readonly ask?: Ask | undefined;
}

/** An invalid call or a failed command gives a result with `ok: false`, not an exception. */
export async function callTool(
  settings: McpServerSettings,
  ready: ToolWithCommands,
  call: McpToolCall,
): Promise<ToolResult> {
  let path: readonly string[] | undefined;
  const run = (): Promise<ToolResult> =>
    outcome(settings, ready, call, (words) => {
      path = words;
    }).catch((error: unknown) => {
      const { kind, exit, message, suggestions = [] } = explainError(error);
      return failure({ kind, exit, message, hint: suggestions.join('\n') || undefined });
    });
  const { tool } = ready;
  let result = await run();
  let approve = await approvalOf(settings, tool, call, result);
  if (approve && tool.changes === 'service' && (await isNowApproved(settings, approve, call))) {
    result = await run();
    approve = await approvalOf(settings, tool, call, result);
  }
  const next = nextStep(tool.name, path, result, approve !== undefined);
  const shown = approve === undefined ? result : { ...result, approve: shownApproval(approve) };
  return redacted(settings, next === undefined ? shown : { ...shown, next });
}

/** Undefined if the result is not about a saved plan that needs an approval. */
async function approvalOf(
  settings: McpServerSettings,
  { plan, changes }: Tool,
  { toolArguments }: McpToolCall,
  { ok, kind }: ToolResult,
): Promise<ApprovalRequest | undefined> {
  const isExpected = changes === 'service' ? !ok && kind === 'refused' : ok;
  const path = plan !== undefined && isExpected ? toolArguments[plan] : undefined;
  return typeof path === 'string' ? (await approvals()).approvalRequest(settings, path) : undefined;
}

const isNowApproved = async (
  settings: McpServerSettings,
  approve: ApprovalRequest,
  { ask }: McpToolCall,
): Promise<boolean> => ask !== undefined && (await approvals()).askForApproval(settings, approve, ask);

/** Loaded by the first call about a plan, because it reads plans and signatures. */
const approvals = () => import('./approval.ts');

const shownApproval = ({ command, sha256 }: ApprovalRequest) => ({ command, sha256 });

const redacted = ({ redact }: McpServerSettings, result: ToolResult): ToolResult =>
  changeTexts(result, redact);

async function outcome(
  settings: McpServerSettings,
  { tool, commands }: ToolWithCommands,
  call: McpToolCall,
  onCommand: (path: readonly string[]) => void,
): Promise<ToolResult> {
  const { toolArguments } = call;
  const page: PagingArguments = Object.fromEntries(
    pagingArgumentNames(tool).map((name) => [name, toolArguments[name] ?? undefined]),
  );
  const shownPage = tool.isText ? { ...page, field: 'text' } : page;
  for (const name of ['cursor', 'part', 'field'] as const)
    if (page[name] !== undefined && typeof page[name] !== 'string')
      throw new UsageError(`the argument ${name} must be a text`);
  const { cursor: _, limit: __, ...given } = toolArguments;
  const asCall = { tool: tool.name, given };
  const position = readResultPosition(page, asCall);
  const help = tool.takesHelp ? helpLine(toolArguments) : undefined;
  const { command, path, positionals, flags } = help
    ? { command: undefined, path: help, positionals: [], flags: {} }
    : await callOf(settings, { tool, commands }, toolArguments);
  onCommand(path);
  const list = command && tool.listsRecords && readRecordList(command, toolArguments, position);
  const limits = {
    signal: call.signal,
    confined: {
      ...confinementOf(settings, tool),
      onRequest: call.onRequest,
      onResponse: settings.time.observe,
    },
  };
  const run = (verb: VerbCall | readonly string[]) =>
    runCommand(settings.context, settings.session.run, verb, limits);
  const written = tool.writesFiles ? await writeDraftFiles(settings, toolArguments, positionals) : [];
  const ran = await run(
    help ?? { path, positionals, flags: new Map(Object.entries({ ...flags, ...list?.flags })) },
  );
  const said = { ...ran, notes: [...written, ...ran.notes] };
  const { exit, value: printed } = said;
  if (tool.changes === 'sandbox') settings.time.forget();
  const present = await settings.time.read();
  const time = present && { ...present, now: formatTime(present.now, present.zone, 'iso') };
  const about = { ...aboutOf(tool, exit, said), ...time };
  if (printed === undefined) {
    if (about.ok) return about;
    if (exit === EXIT.interrupted)
      return failure({ kind: 'stopped', exit, message: 'the call was cancelled or took too long' });
    return failure({
      kind: 'failed',
      exit,
      message: said.notes.join('\n') || 'the command failed',
      ...said.error,
    });
  }
  const hasStatus = command !== undefined && page.fields === undefined && present !== undefined;
  const whole = hasStatus ? addStatus(printed, path[0], present.now) : printed;
  const selected = tool.select ? tool.select(whole) : whole;
  const { rows, cursorAfter } = list?.page(selected, asCall) ?? { rows: selected };
  const { trusted } = tool;
  const result = buildLargestFittingPage(rows, {
    trusted: typeof trusted === 'function' ? trusted(command?.value) : trusted,
    requested: shownPage,
    position: list ? { ...position, offset: 0 } : position,
    call: asCall,
    zone: present?.zone,
    cursorAfter,
    parts: tool.parts ?? [],
    commonMembers: about,
  });
  if (list?.counter === undefined || result.next_cursor === undefined) return result;
  const own = new Map(Object.entries({ ...settings.flags, ...AS_VALUES }));
  const { value: account } = await run({ path: ['account', 'get'], positionals: [], flags: own });
  const total = isObject(account) ? account[list.counter] : undefined;
  return typeof total === 'number' ? { ...result, total } : result;
}

function aboutOf({ answers = [] }: Tool, exit: number, { error, notes }: CommandMessages): ToolResult {
  const about = { ok: error === undefined && [EXIT.done, ...answers].includes(exit), exit };
  if (notes.length === 0 && error === undefined) return about;
  const foreign = { ...(notes.length > 0 ? { notes } : {}), ...(error ? { error } : {}) };
  return { ...about, [UNTRUSTED_TEXT_KEY]: cleanUntrustedValue(foreign, MAX_NOTE_LENGTH) };
}

const MAX_NOTE_LENGTH = 500;
const MAX_NOTES = 20;

/** All texts of an error are untrusted, because they often contain names of records. */
function failure({ kind, exit = EXIT.failed, ...words }: PrintedError): ToolResult {
  const word = typeof kind === 'string' && /^[a-z-]{1,32}$/.test(kind) ? kind : 'failed';
  return {
    ok: false,
    exit,
    kind: word,
    [UNTRUSTED_TEXT_KEY]: cleanUntrustedValue(words, 2 * MAX_NOTE_LENGTH),
  };
}

async function callOf(
  settings: McpServerSettings,
  { tool, commands }: ToolWithCommands,
  given: McpToolCall['toolArguments'],
) {
  const { command, flags, positionals, paths } = readToolArguments(tool, commands, given);
  for (const each of paths) await checkAssistantPath(settings.allowedFolder, each);
  const format = tool.takesHelp && positionals.includes(CAMPAIGN) ? { output: 'table' } : {};
  const common = tool.changes === 'sandbox' ? settings.sandboxFlags : settings.flags;
  return {
    ...{ command, path: command.path, positionals },
    flags: { ...AS_VALUES, ...format, ...common, ...tool.fixedFlags, ...flags },
  };
}

const AS_VALUES: FlagValues = { output: 'json', 'no-input': true };

/** Word with which `explain` prints the page about campaign files, which has an example and is an eighth of their schema. */
const CAMPAIGN = 'campaign';

/** Undefined if the call does not request help. */
function helpLine({ command, ...others }: McpToolCall['toolArguments']): readonly string[] | undefined {
  if (command === undefined || command === null) return undefined;
  if (Object.keys(others).length > 0)
    throw new UsageError('the tool explain takes the argument "what" or "command", not both');
  const words = typeof command === 'string' ? command.split(' ').filter((word) => word !== '') : [];
  if (words.length === 0 || words.length > 5 || !words.every((word) => /^[a-z][a-z-]{0,40}$/.test(word)))
    throw new UsageError('the argument command must be the words of a command, such as "task create"');
  return ['help', ...words];
}

function confinementOf({ origin, signers }: McpServerSettings, { changes }: Tool): AssistantCommandLimits {
  return { origin, writes: changes === 'service' && signers !== undefined ? { signers } : 'none' };
}

interface PrintedError {
  readonly kind?: unknown;
  readonly exit?: number;
  readonly message?: unknown;
  readonly hint?: unknown;
}

interface CommandMessages {
  readonly error: PrintedError | undefined;
  readonly notes: readonly string[];
}

/** Environment variables that would change the output of a command, or send requests to other addresses. */
const LEFT_OUT = ['SVC_OUTPUT', 'SVC_PAGER', 'SVC_PLAIN'];

/** Hands over what the command returns. @param outer context of the server, with its clock and folders */
export async function runCommand(
  outer: Context,
  run: Run,
  command: VerbCall | readonly string[],
  limits: { readonly confined: AssistantCommandLimits; readonly signal: AbortSignal },
) {
  const { cwd, homeDir, platform, clock, random, machineZone, timer, transport } = outer;
  let value: unknown;
  let error: PrintedError | undefined;
  const [help, notes] = [collected(), collected()];
  const exit = await run(command, {
    ...{ cwd, homeDir, platform, clock, random, machineZone },
    ...(timer ? { timer } : {}),
    ...(transport ? { transport } : {}),
    env: Object.fromEntries(Object.entries(outer.env).filter(([name]) => !LEFT_OUT.includes(name))),
    stdin: NO_INPUT,
    stdout: help.stream,
    stderr: notes.stream,
    prompter: { confirm: unanswered, input: unanswered, password: unanswered, select: unanswered },
    taker: {
      take: (taken) => {
        value = taken;
      },
      fail: (failed) => {
        error = failed;
      },
    },
    ...limits,
  });
  // A page of help is printed, because it belongs to no verb.
  const page = help.text();
  return {
    exit: limits.signal.aborted ? EXIT.interrupted : exit,
    value: value ?? (page === '' ? undefined : { text: page }),
    error,
    notes: notes
      .text()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, MAX_NOTES),
  };
}

const NO_INPUT: Context['stdin'] = { isTTY: false, readAll: async () => '', chunks: async function* () {} };

const unanswered = async (): Promise<never> => {
  throw new Error('cannot prompt: an assistant runs this command');
};

function collected(): { readonly stream: OutputStream; readonly text: () => string } {
  const pieces: string[] = [];
  const write = async (text: string): Promise<void> => {
    pieces.push(text);
  };
  return { stream: { isTTY: false, columns: undefined, write }, text: () => pieces.join('') };
}

/** Changes every text in the result, also the names of members. */
function changeTexts<T>(value: T, change: (text: string) => string): T {
  const changed = (part: unknown): unknown => {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(changed);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [change(name), changed(each)]));
  };
  return changed(value) as T;
}
