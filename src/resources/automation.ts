/** What click, open, subscription and date rules share (interface, "Automation rules"); each kind has its own file. */
import { bool, cdate, F, type Field, FS, id, int, mdate, oneOf, orNull, S, string } from '../schema/field.ts';
import type { Finding, Methods, Resource, Rule } from '../schema/resource.ts';
import { isEmailAddress } from '../text/address.ts';

type Values = Parameters<Rule['check']>[0];

export const MINUTES_A_DAY = 1440;

/** Actions of click, open and date rules. */
export const ACTIONS = ['addtolist', 'email_autoresponder', 'notify', 'sms_autoresponder'] as const;

interface Kind {
  readonly unit: 'seconds' | 'minutes';
  readonly actions: readonly string[];
  /** Actions that may not run at once (rule 3). */
  readonly delayed: readonly string[];
  readonly mayPrecede?: true;
  /** The fields that this kind has besides, all of them required by POST. */
  readonly own?: Readonly<Record<string, Field>>;
  readonly rules?: readonly Rule[];
}

/** One of the four kinds of rule with an action and an offset, from what is its own. */
export function timedRule(named: Pick<Resource, 'name' | 'variant' | 'describe'>, kind: Kind): Resource {
  const own = kind.own ?? {};
  const offset = `Time between event and action, in ${kind.unit}`;
  return {
    ...named,
    noun: 'automation',
    fields: {
      id: id('Rule id'),
      ...own,
      actiononweekend: bool('Act at weekends too', F),
      actiontarget: string('What the action works on: a list id, a message id, an address'),
      actionhour: orNull(
        string('Hour of the action, HH:00:00, company time', {
          ...S,
          format: 'actionhour',
        }),
      ),
      actiontimediff: int(kind.mayPrecede ? `${offset}; negative is before the date` : offset, {
        ...S,
        unit: kind.unit,
        ...(kind.mayPrecede ? {} : { min: 0 }),
      }),
      actiontype: oneOf(kind.actions, 'What the rule does'),
      name: string('Name of the rule', FS),
      paused: bool('Paused: nothing matches', F),
      summary: orNull(string('Description in English')),
      user_id: int('User who made it', { ...F, refersTo: 'user' }),
      cdate: cdate(),
      mdate: mdate(),
    },
    methods: timedMethods(Object.keys(own)),
    rules: [
      ...(kind.rules ?? []),
      targetFits,
      weekendIsSaid,
      weekendIsTrue,
      delayed(kind.delayed),
      wholeDays,
    ],
    calledBy: 'name',
    identifiedBy: ['name', 'actiontype', 'actiontarget', 'actiontimediff', 'actionhour', ...Object.keys(own)],
    inDoubt: 'note-first',
    columns: [
      'id',
      'name',
      'actiontype',
      'actiontarget',
      ...Object.keys(own),
      'actiontimediff',
      'actionhour',
      'paused',
    ],
  };
}

function timedMethods(own: readonly string[]): Methods {
  const required = [...own, 'actiontarget', 'actiontype', 'name', 'summary'];
  const optional = ['actiononweekend', 'actionhour', 'actiontimediff', 'paused'];
  return {
    get: {},
    head: {
      attributes: ['id', 'actiononweekend', 'name', 'paused', 'user_id'],
    },
    post: { required, optional },
    put: { optional: [...required, ...optional] },
    delete: { by: ['id'] },
  };
}

/** The parts of interface and wire that say what each actiontype works on: an address for notify, else an id. */
const targetFits: Rule = {
  section: 'Automation rules, actiontarget',
  text: 'actiontarget is an e-mail address for notify, and an id for every other actiontype',
  attributes: ['actiontype', 'actiontarget'],
  check: ({ actiontype, actiontarget }) => {
    // What removefromlist takes instead is the subscription rules' own (rule 10).
    if (actiontype === 'removefromlist' || actiontype === undefined || actiontarget === undefined)
      return undefined;
    const isAddress = actiontype === 'notify';
    const fits = isAddress ? isEmailAddress(String(actiontarget)) : ID.test(String(actiontarget));
    if (fits) return undefined;
    return {
      attribute: 'actiontarget',
      value: actiontarget,
      reason: `must be ${isAddress ? 'an e-mail address' : 'an id'} for ${String(actiontype)}`,
      instead: isAddress ? 'give the address that is told' : `give the id of the ${targetOf(actiontype)}`,
    };
  },
};

const ID = /^[0-9]{1,15}$/;

const targetOf = (actiontype: unknown): string =>
  String(actiontype).endsWith('autoresponder') ? 'message' : 'list';

const offsetOf = (values: Values): number => Number(values['actiontimediff'] ?? 0);
const isTimed = (values: Values): boolean =>
  typeof values['actionhour'] === 'string' || offsetOf(values) !== 0;

const weekendIsSaid: Rule = {
  section: 'Automation rules 1',
  text: 'actiononweekend is required when actionhour is given, or actiontimediff is given and not 0',
  attributes: ['actiononweekend', 'actionhour', 'actiontimediff'],
  check: (values) =>
    isTimed(values) && values['actiononweekend'] === undefined
      ? {
          attribute: 'actiononweekend',
          reason: 'is required when actionhour is given, or actiontimediff is given and not 0',
          instead: 'say true or false',
        }
      : undefined,
};

const weekendIsTrue: Rule = {
  section: 'Automation rules 1',
  text: 'actiononweekend may be false only if actionhour or actiontimediff is set',
  attributes: ['actiononweekend', 'actionhour', 'actiontimediff'],
  check: (values) =>
    !isTimed(values) && values['actiononweekend'] === false
      ? {
          attribute: 'actiononweekend',
          value: false,
          reason: 'may be false only if actionhour or actiontimediff is set',
          instead: 'leave it out, or set actionhour or actiontimediff',
        }
      : undefined,
};

function delayed(actions: readonly string[]): Rule {
  return {
    section: 'Automation rules 3',
    text: `actiontimediff must not be 0 for ${actions.join(', ')}`,
    attributes: ['actiontype', 'actiontimediff'],
    check: (values) =>
      actions.includes(String(values['actiontype'])) && offsetOf(values) === 0
        ? {
            attribute: 'actiontimediff',
            value: values['actiontimediff'] ?? 0,
            reason: `must not be 0 for ${String(values['actiontype'])}`,
            instead: 'give the time between event and action',
          }
        : undefined,
  };
}

/** 1440 to the letter, in whatever unit the kind has (wire, rule 4). */
export const wholeDays: Rule = wholeDaysOf('Automation rules 4', 'actionhour', 'actiontimediff');

/** With an hour set, the offset is a multiple of 1440 (rule 4, and the same for smsAutomation). */
export function wholeDaysOf(section: string, hour: string, timediff: string): Rule {
  return {
    section,
    text: `With ${hour}, ${timediff} is 0 or a multiple of ${MINUTES_A_DAY}`,
    attributes: [hour, timediff],
    check: (values): Finding | undefined => {
      const offset = Number(values[timediff] ?? 0);
      if (typeof values[hour] !== 'string' || offset % MINUTES_A_DAY === 0) return undefined;
      return {
        attribute: timediff,
        value: offset,
        reason: `must be 0 or a multiple of ${MINUTES_A_DAY} when ${hour} is set`,
        instead: `use ${Math.round(offset / MINUTES_A_DAY) * MINUTES_A_DAY}, or set ${hour} to null`,
      };
    },
  };
}
