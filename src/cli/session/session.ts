/** State of one run of the command line. Parts are created on first use. */

import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { TraceListener } from '../../client/requests/connection.ts';
import { startMachineTimer } from '../../client/requests/ports.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import type { AccountId, Credentials } from '../../service/auth/credentials.ts';
import type { CompanyWithError, ErrorExplanation } from '../errors/errors.ts';
import { explainError } from '../errors/explain-error.ts';
import { wrapNoteText } from '../output/note-lines.ts';
import { createSecretRedactor, type SecretRedactor } from '../output/redact.ts';
import type { OutputFormat } from '../output/result.ts';
import { type Context, changeQuestions, replaceContextParts } from '../outside/context.ts';
import { createServiceAccess } from './access.ts';
import { openWire, type Wire } from './clients.ts';
import { createServiceConnections } from './connections.ts';
import { createDryRunState, type DryRunState } from './dry-run.ts';
import type { GlobalFlagValues } from './globals.ts';
import type { UncheckedNamingOverrides } from './naming-file.ts';
import { createStderrNotePrinter, createWaitNotices, type WaitNotices } from './notes.ts';
import { once } from './once.ts';
import type { CompanySessionOptions, NoteLines, Notes, Ports, Profiles, Run } from './ports.ts';
import { openProfiles } from './profiles.ts';
import { createRequestContext } from './sandbox-start.ts';

interface SessionSettings {
  readonly output?: OutputFormat | undefined;
  /** Texts that must never be shown. */
  readonly secrets?: readonly string[];
  readonly naming?: UncheckedNamingOverrides | undefined;
  readonly command?: string;
  readonly needsNoCompany?: boolean | undefined;
  readonly ignoresFolder?: boolean | undefined;
  readonly run: Run;
  /** Undefined if the command does not trace requests. */
  readonly watch?: TraceListener | undefined;
  readonly report?: (error: unknown, session: Ports, company?: CompanyWithError) => Promise<ErrorExplanation>;
}

/** Sends no request. */
export function openSession(context: Context, globals: GlobalFlagValues, own: SessionSettings): Ports {
  const { env, clock, stderr } = context;
  const secrets = createSecretRedactor([env.SVC_API_KEY, env.SVC_PARTNER_API_KEY, ...(own.secrets ?? [])]);
  const dryRun = createDryRunState(globals.dryRun);
  const cleaned = (note: NoteLines): string =>
    [note]
      .flat()
      .map((line) => escapeForTerminal(secrets.redact(line)))
      .join('\n');
  const warn = async (note: NoteLines): Promise<void> => {
    await stderr.write(`${await wrapNoteText(stderr, cleaned(note))}\n`);
  };
  // Lines of a trace stay whole, so that they can be copied and compared.
  const trace = async (lines: NoteLines): Promise<void> => stderr.write(`${cleaned(lines)}\n`);
  const waitNotices = createWaitNotices({
    clock,
    timer: context.timer ?? startMachineTimer,
    say: async (line) => (globals.quiet ? undefined : warn(line)),
  });
  const profiles = openProfiles({
    ...{ context, globals, secrets, waitNotices, warn, beforeWrite: dryRun.beforeChange },
    needsNoCompany: own.needsNoCompany ?? false,
    ignoresFolder: own.ignoresFolder ?? false,
    naming: own.naming,
  });
  const { resolved } = profiles;
  const connections = createServiceConnections(context);
  const wire = openWire({ resolved, connections, globals, warn: trace, watch: own.watch });
  const shared = { own, secrets, waitNotices, profiles, wire };
  const prompter = changeQuestions(context.prompter, escapeForTerminal);
  const safe = replaceContextParts(context, { prompter });
  return sessionFor(
    shared,
    { context: safe, globals, dryRun, say: warn, warn, resolved, actsFor: undefined, special: {} },
    () => wire.traced().then(waitNotices.written).then(connections.close),
  );
}

interface Shared {
  readonly own: SessionSettings;
  readonly secrets: SecretRedactor;
  readonly waitNotices: WaitNotices;
  readonly profiles: Profiles;
  readonly wire: Wire;
}

interface Single {
  readonly context: Context;
  readonly globals: GlobalFlagValues;
  readonly dryRun: DryRunState;
  readonly say: Notes['warn'];
  readonly warn: Notes['warn'];
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly actsFor: AccountId | undefined;
  readonly special: CompanySessionOptions;
}

function sessionFor(shared: Shared, single: Single, close: () => Promise<void>): Ports {
  const { own, secrets, waitNotices, profiles, wire } = shared;
  const { context, globals, dryRun, warn, say, resolved, actsFor, special } = single;
  const notes = createStderrNotePrinter({ context, quiet: globals.quiet, secrets, waitNotices, warn });
  const session: Ports = {
    context,
    globals,
    command: own.command ?? '',
    ...profiles,
    resolved,
    requestContext: async () => {
      const found = profiles.resolvedSoFar() && (await resolved());
      if (found === undefined) return undefined;
      const called = await createRequestContext(found, profiles.store, context.clock.now());
      return { ...called, accountFlags: session.accountFlags };
    },
    ...createServiceAccess({
      ...{ context, globals, resolved, actsFor, wire, waitNotices, dryRun, notes, say },
      command: own.command,
      needsNoCompany: own.needsNoCompany,
      company: special.writes,
      onRequest: special.onRequest,
    }),
    actingFor: (company, more = {}) =>
      sessionFor(shared, actingFor(single, company, more), async () => undefined),
    dryRun,
    beforeChange: dryRun.beforeChange,
    answers: [],
    explain: explainError,
    ...notes,
    run: own.run,
    format: once(async () => globals.output ?? own.output ?? (await profiles.outputFormatOfProfile())),
    report: async (error, company) =>
      (await own.report?.(error, session, company)) ?? { ...explainError(error), company },
    close,
  };
  return session;
}

/** Keeps no data of the previous company. */
function actingFor(single: Single, company: AccountId, special: CompanySessionOptions): Single {
  const globals = { ...single.globals, ...special.globals };
  const say = async (note: NoteLines): Promise<void> => {
    await special.beforeNote?.();
    await single.say(note);
  };
  return {
    context: { ...single.context, ...special.context },
    globals,
    dryRun: createDryRunState(globals.dryRun),
    say,
    warn: (note) => {
      const [first = '', ...others] = [note].flat();
      return say([`${special.prefix ?? ''}${first}`, ...others]);
    },
    resolved: once(async () => {
      const found = await single.resolved();
      const { userId: _, ...credentials } = found.credentials;
      return {
        ...found,
        credentials: { ...credentials, companyId: company } as Credentials,
        sources: { ...found.sources, company: 'one of the selected companies', user: 'not set' },
      };
    }),
    actsFor: company,
    special,
  };
}
