/** Asks a person on a terminal for missing values of a new record. Without a terminal, the checks report the missing flags. */
import { MAX_BODY_OCTETS } from '../../protocol/wire.ts';
import { type Field, flagName } from '../../schema/field.ts';
import { fieldOf, type Resource } from '../../schema/resource.ts';
import type { Input } from '../command/command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Session } from '../session/session.ts';
import { dataFlag } from './attribute-flags.ts';
import type { BodyDraft } from './body.ts';
import { willAskUser } from './guards.ts';
import { readText } from './input-text.ts';
import { type FlagValueOrFinding, readAttributeFlagValue } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

interface AskMissingOptions {
  /** Optional attributes that svc also asks for. */
  readonly also?: readonly string[];
  /** Required attributes that svc does not ask for, because another flag gives their values. */
  readonly without?: readonly string[];
  /** Functions that provide values, by attribute. svc asks the person if no function returns a value. */
  readonly sources?: Readonly<Record<string, (values: Body) => Promise<unknown>>>;
}

/**
 * Returns the draft with an answer for each missing attribute. Asks nothing if no person can answer, with `--yes` or `--data`, if a given
 * value is invalid, and for one of several companies (`session.actingFor`).
 */
export async function askForMissingAttributes(
  session: Session,
  resource: Resource,
  input: Input,
  draft: BodyDraft,
  { also = [], without = [], sources = {} }: AskMissingOptions = {},
): Promise<BodyDraft> {
  if (!willAskUser(session) || session.actsFor !== undefined || input.has(dataFlag)) return draft;
  if (draft.findings.length > 0) return draft;
  const required = (resource.methods.post?.required ?? []).filter(
    (attribute) => !fieldOf(resource, attribute).nullable,
  );
  const missing = [...required, ...also].filter(
    (attribute) => !without.includes(attribute) && (draft.body[attribute] ?? null) === null,
  );
  if (missing.length === 0 || (await hasFault(resource, draft))) return draft;
  // Faults of the credentials come before the questions.
  await session.resolved();
  const body: Record<string, unknown> = { ...draft.body };
  for (const attribute of missing)
    body[attribute] =
      (await sources[attribute]?.(body)) ??
      (await askFor(session, attribute, fieldOf(resource, attribute), body));
  return { ...draft, body };
}

/** Reports whether the body has an invalid value. The later checks then report the invalid and the missing values together. */
async function hasFault(resource: Resource, { body, lookUps: later }: BodyDraft): Promise<boolean> {
  const { checkValue } = await import('../../schema/validator.ts');
  return Object.entries(body).some(
    ([name, value]) => !later.has(name) && 'finding' in checkValue(name, fieldOf(resource, name), value),
  );
}

async function askFor(session: Session, attribute: string, field: Field, values: Body): Promise<unknown> {
  const { prompter } = session.context;
  const flag = `--${field.fileFlag ?? field.flag ?? flagName(attribute)}`;
  const question =
    field.fileFlag === undefined ? `${field.describe} (${flag})` : `File with the ${attribute} (${flag})`;
  const choices = field.values?.map(String).map((value) => ({ name: value, value }));
  for (;;) {
    const text =
      choices === undefined
        ? await prompter.input(question, { check: problemIn })
        : await prompter.select(question, choices);
    const read = await readAnswer(session, attribute, field, text.trim(), values);
    if ('value' in read) return read.value;
    await session.warn([read.finding.reason, read.finding.instead].filter(Boolean).join('; '));
  }
}

const problemIn = (text: string): string | undefined =>
  text.trim() === '' ? 'must not be empty' : undefined;

async function readAnswer(
  session: Session,
  attribute: string,
  field: Field,
  text: string,
  values: Body,
): Promise<FlagValueOrFinding> {
  try {
    if (field.fileFlag !== undefined)
      return { value: await readText(session.context, text, MAX_BODY_OCTETS) };
    const reading = await readAttributeFlagValue(session, attribute, field, text);
    const read = 'lookUp' in reading ? await reading.lookUp(values) : reading;
    if ('finding' in read) return read;
    const { checkValue } = await import('../../schema/validator.ts');
    const checked = checkValue(attribute, field, read.value);
    return 'finding' in checked ? checked : read;
  } catch (error) {
    const { exit, message } = explainError(error);
    if (exit === EXIT.usage || exit === EXIT.notFound) return { finding: { attribute, reason: message } };
    throw error;
  }
}
