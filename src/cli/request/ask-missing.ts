/** Without a terminal, the later checks report the missing flags. */

import { type Field, flagName } from '../../kit/schema/field.ts';
import { sayReason } from '../../kit/schema/reason.ts';
import { type Finding, fieldOf, type Resource } from '../../kit/schema/resource.ts';
import { MAX_BODY_OCTETS } from '../../service/protocol/json.ts';
import type { Input } from '../command/command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Invocation, Ports, ServiceAccess } from '../session/ports.ts';
import { dataFlag, delayAfterEventFlag } from './attribute-flags.ts';
import type { BodyDraft } from './body.ts';
import { willAskUser } from './guards.ts';
import { readText } from './input-text.ts';
import { type FlagValueOrFinding, readAttributeFlagValue, readTargetByName } from './values.ts';

type Body = Readonly<Record<string, unknown>>;

interface AskMissingOptions {
  /** Optional attributes that svc also asks for. */
  readonly also?: readonly string[];
  /** Another flag gives the values of these required attributes. */
  readonly without?: readonly string[];
  /** Functions by attribute. svc asks the person if no function returns a value. */
  readonly sources?: Readonly<Record<string, (values: Body) => Promise<unknown>>>;
}

/**
 * Also asks for attributes that a rule requires because of an earlier answer. Asks nothing if no person can
 * answer, with `--yes` or `--data`, if a given value is invalid, and for one of several companies
 * (`session.actsFor`).
 */
export async function askForMissingAttributes(
  session: Ports,
  resource: Resource,
  input: Input,
  draft: BodyDraft,
  { also = [], without = [], sources = {} }: AskMissingOptions = {},
): Promise<BodyDraft> {
  if (!willAskForAttributes(session, input) || draft.findings.length > 0) return draft;
  const required = (resource.methods.post?.required ?? []).filter(
    (attribute) => !fieldOf(resource, attribute).nullable,
  );
  const wanted = [...required, ...also];
  const { checkPayload } = await import('../../kit/schema/validator.ts');
  const check: Check = (values) => checkPayload(resource, 'POST', 'partner', values).findings;
  const body: Record<string, unknown> = { ...draft.body };
  const hasValue = (attribute: string): boolean => (body[attribute] ?? null) !== null;
  // The later checks report the invalid and the missing values together.
  if (check(body).some(({ attribute }) => hasValue(attribute) && !draft.lookUps.has(attribute))) return draft;
  const isMissing = (attribute: string): boolean => !without.includes(attribute) && !hasValue(attribute);
  for (;;) {
    const faulty = () => check(body).map(({ attribute }) => attribute);
    const attribute = wanted.find(isMissing) ?? faulty().find(isMissing);
    if (attribute === undefined) return { ...draft, body };
    // Faults of the credentials come before the questions.
    await session.resolved();
    body[attribute] =
      (await sources[attribute]?.(body)) ??
      (await askFor(session, attribute, fieldOf(resource, attribute), body, check));
  }
}

/** Assumes that the given attributes are valid. */
export const willAskForAttributes = (session: Invocation & ServiceAccess, input: Input): boolean =>
  willAskUser(session) && session.actsFor === undefined && !input.has(dataFlag);

type Check = (values: Body) => readonly Finding[];

async function askFor(
  session: Ports,
  attribute: string,
  field: Field,
  values: Body,
  check: Check,
): Promise<unknown> {
  const { prompter } = session.context;
  const file = fileFlagOf(field);
  const delay = field.unit === undefined ? undefined : delayAfterEventFlag.name;
  const flag = `--${file ?? delay ?? field.flag ?? flagName(attribute)}`;
  const question =
    file === undefined ? `${field.describe} (${flag})` : `File with the ${attribute} (${flag})`;
  if (field.kind === 'bool') {
    const isYes = await prompter.confirm(`${question}?`, true);
    session.answers.push(isYes ? flag : `--no-${flag.slice(2)}`);
    return isYes;
  }
  const choices = field.values?.map(String).map((value) => ({ name: value, value }));
  for (;;) {
    const text =
      choices === undefined
        ? await prompter.input(question, { check: problemIn })
        : await prompter.select(question, choices);
    const read = await readAnswer(session, attribute, field, text.trim(), values, check);
    if ('value' in read) {
      // A password is not printed again.
      if (field.writeOnly !== true) session.answers.push(flag, text);
      return read.value;
    }
    const { reason, instead } = read.finding;
    await session.warn([reason, instead].flatMap((each) => (each ? sayReason(each) : [])).join('; '));
  }
}

const problemIn = (text: string): string | undefined =>
  text.trim() === '' ? 'must not be empty' : undefined;

/** A person types the text of an SMS, which is one line, but not a part of an e-mail. */
const fileFlagOf = ({ fileFlag, format }: Field): string | undefined =>
  format === 'sms-text' ? undefined : fileFlag;

async function readAnswer(
  session: Ports,
  attribute: string,
  field: Field,
  text: string,
  values: Body,
  check: Check,
): Promise<FlagValueOrFinding> {
  try {
    if (fileFlagOf(field) !== undefined)
      return { value: await readText(session.context, text, MAX_BODY_OCTETS) };
    const target =
      attribute === 'actiontarget' ? readTargetByName(session, { ...values, [attribute]: text }) : undefined;
    const reading = target ?? (await readAttributeFlagValue(session, attribute, field, text));
    const read = 'lookUp' in reading ? await reading.lookUp(values) : reading;
    if ('finding' in read) return read;
    const finding = check({ ...values, [attribute]: read.value }).find(
      (each) => each.attribute === attribute,
    );
    return finding === undefined ? read : { finding };
  } catch (error) {
    const { exit, message } = session.explain(error);
    if (exit === EXIT.usage || exit === EXIT.notFound) return { finding: { attribute, reason: message } };
    throw error;
  }
}
