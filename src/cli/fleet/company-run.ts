/** A verb run for one of many companies: its rows, its exit code, and what it has written. */
import type { Client } from '../../client/client.ts';
import type { FleetCheckpoint } from '../../fleet/checkpoint.ts';
import type { SelectedCompany } from '../../fleet/selector.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { parseJson } from '../../protocol/json.ts';
import type { Input, Outcome, Verb } from '../command/command.ts';
import { outcomeOf } from '../command/run-verb.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import type { Column, Result } from '../output/result.ts';
import type { InputStream } from '../outside/context.ts';
import type { Session } from '../session/session.ts';

/** What the rows of every company have in common. */
export interface Shape {
  readonly columns: readonly Column[];
  readonly attributes?: readonly Column[];
  readonly ofRules?: true;
  readonly empty: string;
}

export interface CompanyRun {
  readonly session: Session;
  /** Nothing has been asked of the service. */
  readonly isSilent: () => boolean;
  /** What the writes have come to so far. */
  readonly written: () => 'nothing' | 'something' | 'refused';
  readonly run: () => Promise<{
    readonly shape: Shape;
    readonly rows: AsyncIterable<JsonObject> | readonly JsonObject[];
    readonly notes: () => readonly string[];
    readonly exit: () => ExitCode;
  }>;
}

export interface CompanyWork {
  readonly run: Verb['run'];
  readonly input: Input;
  readonly writes: boolean;
  readonly checkpoint: FleetCheckpoint | undefined;
  /** Told before every note on stderr. */
  readonly beforeNote: () => Promise<void>;
  /** Read once for all of them. */
  readonly stdin: InputStream;
}

/** The session acts for the company alone; nobody is asked, since the question has been answered for all of them. */
export function companyRun(session: Session, { id, name }: SelectedCompany, work: CompanyWork): CompanyRun {
  const { run, input, writes, checkpoint, stdin, beforeNote } = work;
  let requests = 0;
  let written: ReturnType<CompanyRun['written']> = 'nothing';
  let begun: Promise<void> | undefined;
  const around = (client: Client): Client =>
    tellingWrites(client, {
      before: () => {
        begun ??= checkpoint?.note(id, 'begun') ?? Promise.resolve();
        return begun;
      },
      after: (isDone) => {
        if (isDone) written = 'something';
        else if (written === 'nothing') written = 'refused';
      },
    });
  const acting = session.actingFor(id, {
    globals: { yes: session.globals.yes || writes, input: false },
    context: { stdin },
    prefix: `company ${id}${name === undefined ? '' : ` (${name})`}: `,
    around,
    beforeNote,
    onRequest: () => {
      requests += 1;
    },
  });
  return {
    session: acting,
    isSilent: () => requests === 0,
    written: () => written,
    run: async () => {
      const outcome = await outcomeOf(acting, () => run(acting, input));
      const { exit = EXIT.done } = outcome;
      return {
        ...contentOf(outcome.result, writes),
        exit: () => (typeof exit === 'function' ? exit() : exit),
      };
    },
  };
}

/** Told before each write, and whether it was carried out. */
function tellingWrites(
  client: Client,
  tell: { readonly before: () => Promise<void>; readonly after: (isDone: boolean) => void },
): Client {
  const telling = async <T>(
    work: () => Promise<T>,
    isDone: (made: T) => boolean = () => true,
  ): Promise<T> => {
    await tell.before();
    try {
      const made = await work();
      tell.after(isDone(made));
      return made;
    } catch (error) {
      tell.after(false);
      throw error;
    }
  };
  return {
    ...client,
    create: (...given) => telling(() => client.create(...given)),
    update: (...given) => telling(() => client.update(...given)),
    remove: (...given) => telling(() => client.remove(...given)),
    raw: (request) =>
      request.method === 'GET' || request.method === 'HEAD'
        ? client.raw(request)
        : telling(
            () => client.raw(request),
            ({ status }) => status < 400,
          ),
  };
}

const nothing = (): readonly string[] => [];

/** Whatever the verb returns, as rows. */
function contentOf(
  result: Outcome['result'],
  writes: boolean,
): {
  readonly shape: Shape;
  readonly rows: AsyncIterable<JsonObject> | readonly JsonObject[];
  readonly notes: () => readonly string[];
} {
  switch (result.kind) {
    case 'rows':
      return { shape: shapeOf(result), rows: result.rows, notes: result.notes ?? nothing };
    case 'object':
      return { shape: { ...shapeOf(result), empty: EMPTY }, rows: [result.value], notes: nothing };
    case 'text':
      return alone('text', result.text);
    case 'raw':
      return alone('answer', parsed(result.body));
    case 'nothing':
      // That something was done in the company is worth a row.
      return { shape: { columns: [], empty: EMPTY }, rows: writes ? [{}] : [], notes: nothing };
  }
}

const EMPTY = 'None of the companies has any.';

function shapeOf(result: Extract<Result, { readonly columns: readonly Column[] }>): Shape {
  const { columns, attributes, ofRules } = result;
  return {
    columns,
    ...(attributes === undefined ? {} : { attributes }),
    ...(ofRules === undefined ? {} : { ofRules }),
    empty: result.kind === 'rows' ? result.empty : EMPTY,
  };
}

const alone = (name: string, value: Json) => ({
  shape: { columns: [{ name }], empty: EMPTY },
  rows: [{ [name]: value }],
  notes: nothing,
});

function parsed(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    return text;
  }
}
