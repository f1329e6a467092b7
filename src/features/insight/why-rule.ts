/** Explains why a rule can't be resumed (interface, "States and transitions": automation rule; "Errors", 409 subcode 12). */

import type { Client } from '../../client/requests/client.ts';
import { formatRecordId, titleOf } from '../../client/requests/record-title.ts';
import { flagName } from '../../kit/schema/field.ts';
import { type Id, isId, readIdText } from '../../kit/schema/integer.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { resourceOfActionTarget } from '../../service/resources/automation.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import type { AnyRule } from '../../service/resources/rule-kinds.ts';
import { type Advice, describeRecordLock, explainThatRecordIsUnlocked, type LockExplanation } from './why.ts';
import type { KnownSubscriberList } from './why-deletion.ts';

export interface RuleDependency {
  readonly attribute: string;
  /** Name in the catalogue, or `list`. */
  readonly resource: string;
  readonly id: Id;
}

/** @param lookUp checks which of the given records exist; called only for a paused rule */
export async function explainWhetherRuleCanResume(
  resource: Resource,
  record: AnyRule,
  lookUp: (dependencies: readonly RuleDependency[]) => Promise<CheckedRuleDependencies>,
): Promise<LockExplanation> {
  const title = titleOf(resource, record);
  const id = formatRecordId(resource, record.id ?? null);
  if (record.paused !== true)
    return explainThatRecordIsUnlocked(
      `${title} is not locked: it is active, and can be changed and paused.`,
      fixedWords(record),
    );
  const found = await lookUp(ruleDependencies(resource, record));
  const { missing, unknown } = found;
  if (missing.length === 0 && unknown.length === 0)
    return explainThatRecordIsUnlocked(
      `${title} is not locked: it is paused, and can be resumed.`,
      ['Every list, message and link that the rule uses exists.', ...fixedWords(record)],
      [{ text: 'To resume it:', command: `automation resume ${id}` }],
    );
  const locked = missing.length > 0 ? true : null;
  return {
    locked,
    by: (locked ? missing : unknown).map(({ resource: name, id: part }) =>
      describeRecordLock(nounOf(name), { id: part }),
    ),
    free: null,
    words: () => ({
      title: locked
        ? `${title} is locked: it is paused, and cannot be resumed.`
        : `${title} is paused. It is not known whether it can be resumed.`,
      reasons: [
        ...missing.map((each) => `${named(each)} (${each.attribute}) no longer exists.`),
        ...unknown.map(
          (each) =>
            `The rule needs ${named(each)} (${each.attribute}). The service does not show whether that record exists.`,
        ),
        ...(locked ? [] : [WHY_PAUSED]),
        ...fixedWords(record),
      ],
      next: adviceFor(id, record, found),
    }),
  };
}

const WHY_PAUSED =
  'Someone paused the rule, or one of its lists was deleted. The service does not show which of the two happened.';

export interface CheckedRuleDependencies {
  readonly missing: readonly RuleDependency[];
  /** The service does not show lists, so svc can't check whether they exist. */
  readonly unknown: readonly RuleDependency[];
}

/** Sends at most two requests for each record. */
export async function findMissingRuleDependencies(
  client: Client,
  lists: () => Promise<readonly KnownSubscriberList[] | undefined>,
  dependencies: readonly RuleDependency[],
): Promise<CheckedRuleDependencies> {
  const missing: RuleDependency[] = [];
  const unknown: RuleDependency[] = [];
  for (const dependency of dependencies) {
    if (dependency.resource !== 'list') {
      if (!(await recordExists(client, dependency))) missing.push(dependency);
      continue;
    }
    const known = await lists();
    if (known === undefined) unknown.push(dependency);
    else if (!known.some(({ id }) => String(id) === String(dependency.id))) missing.push(dependency);
  }
  return { missing, unknown };
}

/** A link exists only if the e-mail message that contains the link also exists. */
async function recordExists(client: Client, { resource, id }: RuleDependency): Promise<boolean> {
  const declaration = resourceNamed(resource);
  if (declaration === undefined) return true;
  const found = await client.get(declaration, id);
  if (found === undefined) return false;
  const { message_id } = found;
  if (resource !== 'emailMessageLink' || !isId(message_id)) return true;
  return recordExists(client, { attribute: '', resource: 'emailMessage', id: message_id });
}

/** The references of its attributes, and the target of its action. */
export function ruleDependencies(resource: Resource, record: AnyRule): readonly RuleDependency[] {
  const values = new Map(Object.entries(record));
  const own = Object.entries(resource.fields).flatMap(
    ([attribute, { refersTo }]): readonly RuleDependency[] => {
      const id = values.get(attribute);
      return refersTo === undefined || refersTo === 'user' || !isId(id)
        ? []
        : [{ attribute, resource: refersTo, id }];
    },
  );
  const { actiontype, actiontarget } = record;
  const target = resourceOfActionTarget(actiontype);
  const id = readIdText(String(actiontarget ?? ''));
  return target === undefined || id === undefined
    ? own
    : [...own, { attribute: 'actiontarget', resource: target, id }];
}

const nounOf = (resource: string): string => resourceNamed(resource)?.noun ?? resource;

const named = ({ resource, id }: RuleDependency): string => `${nounOf(resource)} ${String(id)}`;

const isAnswer = ({ actiontype }: AnyRule): boolean => String(actiontype).endsWith('_autoresponder');

/** The action and the message of an autoresponder can't be changed (interface, "Automation rules" 8). */
const fixedWords = (record: AnyRule): readonly string[] =>
  isAnswer(record) ? ['The action and the message of this rule can never be changed.'] : [];

function adviceFor(
  id: string,
  record: AnyRule,
  { missing, unknown }: CheckedRuleDependencies,
): readonly Advice[] {
  const flags = missing.map(({ attribute }) => ` --${flagName(attribute)} ID`).join('');
  const records = unknown.map(named).join(' or ');
  if (missing.length === 0)
    return [
      {
        text: `Ask someone who can see the lists of the account whether ${records} was deleted. Or try to resume the rule: if ${records} was deleted, the service rejects the request and changes nothing:`,
        command: `automation resume ${id}`,
      },
    ];
  if (isAnswer(record) && missing.some(({ attribute }) => attribute === 'actiontarget'))
    return [
      {
        text: 'Create another rule with a message that exists, and delete this rule:',
        command: 'automation create --help',
      },
    ];
  return [
    {
      text: 'Set the attribute to the id of an existing record, or to null if that is allowed, and resume the rule in the same update:',
      command: `automation update ${id}${flags} --paused false`,
    },
  ];
}
