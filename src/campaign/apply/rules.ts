/** Makes and changes automation rules: a new one is paused until it is known to be the only one, so that nothing acts twice. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import { foundRuleContent, type Identity, wantedRuleContent } from '../content.ts';
import { CampaignError } from '../errors.ts';
import { withMark } from '../marks.ts';
import type { Step, WantedRule } from '../model.ts';
import { RULES } from '../observe.ts';
import { bareName } from '../plan/adoption.ts';
import { identitiesIn, messageAttributes } from '../plan/rule-references.ts';
import { type Own, resolveMessage } from '../plan/situation.ts';
import {
  type ApplyContext,
  type Done,
  idFrom,
  idIn,
  markOf,
  setAsideName,
  writtenContent,
} from './context.ts';
import { makeOnce } from './once.ts';

interface References {
  /** By attribute, as the service takes them: `actiontarget` is a text, the others are numbers. */
  readonly values: Readonly<Record<string, number | bigint | string>>;
  readonly identities: Readonly<Record<string, Identity>>;
}

export async function applyRule(context: ApplyContext, wanted: WantedRule, step: Step): Promise<Done> {
  const references = referencesOf(context, wanted);
  const record =
    step.action === 'change'
      ? await change(context, wanted, step, references)
      : await make(context, wanted, references);
  return { id: `${wanted.rule}:${String(record['id'])}` };
}

async function make(context: ApplyContext, wanted: WantedRule, references: References): Promise<JsonObject> {
  const resource = RULES[wanted.rule];
  const { record } = await makeOnce(context, {
    resource,
    body: bodyOf(context, wanted, references, true),
    // One that has the name and another version of its message is what this one replaces.
    counts: (found) => isPointed(found, references),
    giveWay: async (own) => {
      await context.client.remove(resource, { id: idIn(own) });
    },
  });
  await setOthersAside(context, wanted, record);
  return wanted.paused ? record : setGoing(context, wanted, references, record);
}

async function change(
  context: ApplyContext,
  wanted: WantedRule,
  step: Step,
  references: References,
): Promise<JsonObject> {
  const { client, overwrite } = context;
  const resource = RULES[wanted.rule];
  const found = await client.get(resource, idFrom(step.id?.split(':')[1] ?? ''));
  if (!found) throw new CampaignError('drift', `rule ${step.id} is gone since the plan was made`);
  if (!overwrite && !isAsWritten(context, wanted, found))
    throw new CampaignError('drift', `rule ${step.id} was changed by hand since the plan was made`, {
      hint: 'Plan again to see it; --overwrite writes over it.',
    });
  await setOthersAside(context, wanted, found);
  const body = bodyOf(context, wanted, references, wanted.paused);
  return client.update(resource, idIn(found), withoutFixed(wanted, found, body));
}

/** Interface, "Automation rules" 8: PUT can't change `actiontype` or `actiontarget` of an autoresponder. */
function withoutFixed(
  { values }: WantedRule,
  found: JsonObject,
  body: Readonly<Record<string, unknown>>,
): Record<string, never> {
  const isFixed = [values['actiontype'], found['actiontype']].some((type) =>
    String(type).endsWith('_autoresponder'),
  );
  const entries = Object.entries(body).filter(
    ([attribute]) => !(isFixed && (attribute === 'actiontype' || attribute === 'actiontarget')),
  );
  return Object.fromEntries(entries) as Record<string, never>;
}

async function setGoing(
  { client, ...context }: ApplyContext,
  wanted: WantedRule,
  references: References,
  record: JsonObject,
): Promise<JsonObject> {
  const { name } = bodyOf({ client, ...context }, wanted, references, false);
  return client.update(RULES[wanted.rule], idIn(record), { paused: false, name });
}

/** Those that this one replaces, or that another run made: paused, which lets what is queued complete (interface, "States"). */
async function setOthersAside(context: ApplyContext, wanted: WantedRule, kept: JsonObject): Promise<void> {
  const isKept = ({ rule, record }: Own): boolean =>
    rule === wanted.rule && compareNumbers(idNumber(record), idNumber(kept)) === 0;
  const others = context.situation
    .own('automation', wanted.key)
    .filter((own) => !own.isSetAside && !isKept(own));
  for (const { rule, record, name, mark } of others) {
    if (rule === undefined) continue;
    await context.client.update(RULES[rule], idIn(record), { paused: true, name: setAsideName(name, mark) });
    await context.note(
      `automation ${wanted.key}: rule ${rule}:${String(record['id'])} is paused, another takes its place`,
    );
  }
}

function isAsWritten(context: ApplyContext, wanted: WantedRule, record: JsonObject): boolean {
  const identities = identitiesIn(wanted.rule, record, context.situation.identityOf);
  const found = foundRuleContent(wanted.rule, bareName(record), record, identities);
  return found === writtenContent(context, wanted, record);
}

function bodyOf(
  context: ApplyContext,
  wanted: WantedRule,
  { values, identities }: References,
  paused: boolean,
): Readonly<Record<string, never>> & { readonly name: string } {
  const content = wantedRuleContent(wanted, identities, paused);
  const name = withMark(wanted.name, markOf(context, wanted, content));
  const filled = {
    ...requiredNulls(wanted),
    ...wanted.values,
    ...values,
    paused,
    name,
  };
  return filled as unknown as Readonly<Record<string, never>> & { readonly name: string };
}

/** A required attribute that may be null and isn't given is sent as null (contract, "Forms"). */
function requiredNulls({ rule }: WantedRule): Readonly<Record<string, null>> {
  const { fields, methods } = RULES[rule];
  const required = (methods.post?.required ?? []).filter((attribute) => fields[attribute]?.nullable === true);
  return Object.fromEntries(required.map((attribute) => [attribute, null]));
}

const isPointed = (found: JsonObject, { values }: References): boolean =>
  Object.entries(values).every(([attribute, id]) => String(found[attribute]) === String(id));

function referencesOf({ situation, versions }: ApplyContext, wanted: WantedRule): References {
  const { rule, references, key } = wanted;
  const channels = messageAttributes(rule, wanted.values);
  const values: Record<string, number | bigint | string> = {};
  const identities: Record<string, Identity> = {};
  const fault = (reason: string): CampaignError =>
    new CampaignError('blocked', `automation ${key}: ${reason}`);
  for (const [attribute, reference] of Object.entries(references)) {
    const channel = channels[attribute];
    const id = ((): string => {
      if (channel === undefined) {
        if (!('id' in reference)) throw fault(`${attribute} must be an id`);
        identities[attribute] = `id:${reference.id}`;
        return reference.id;
      }
      const found = resolveMessage(situation, reference, channel);
      if ('fault' in found) throw fault(`${attribute}: ${found.fault}`);
      if (!('key' in found)) {
        identities[attribute] = `id:${found.id}`;
        return found.id;
      }
      identities[attribute] = `key:${found.key}`;
      const version = versions.get(found.key);
      if (!version) throw fault(`its message ${found.key} is blocked`);
      return String(version.id);
    })();
    values[attribute] = attribute === 'actiontarget' ? id : idFrom(id);
  }
  return { values, identities };
}
