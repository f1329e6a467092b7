/**
 * Declares the parts that are common to automation rules of the kinds click, open, subscription and date (interface, "Automation rules").
 * `timed-automations.ts` declares each kind.
 */
import {
  bool,
  creationTime,
  type Field,
  filterable,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  oneOf,
  orNull,
  sortable,
  string,
} from '../schema/field.ts';
import { ID_PATTERN, readIdText } from '../schema/integer.ts';
import {
  attributesOf,
  defineValidationRule,
  type Finding,
  type JsonSchema,
  type Methods,
  type Resource,
  type ValidationRule,
} from '../schema/resource.ts';
import { createRequiredAttributesSchema, when } from '../schema/rules.ts';
import { isEmailAddress } from '../text/address.ts';

type Values = Parameters<ValidationRule['check']>[0];

const MINUTES_A_DAY = 1440;

export const CLICK_OPEN_DATE_ACTIONS = [
  'addtolist',
  'email_autoresponder',
  'notify',
  'sms_autoresponder',
] as const;

const ACTION_TARGETS: ReadonlyMap<unknown, string> = new Map([
  ['addtolist', 'list'],
  ['copytolist', 'list'],
  ['movetolist', 'list'],
  ['email_autoresponder', 'emailMessage'],
  ['sms_autoresponder', 'smsMessage'],
]);

/** Returns the resource whose id is in `actiontarget`. Undefined for other actions: `notify` has an address there (interface, "Automation rules"). */
export const resourceOfActionTarget = (actiontype: unknown): string | undefined =>
  ACTION_TARGETS.get(actiontype);

/**
 * Default values of the attributes that a POST of a rule may omit. `actiononweekend` says whether the rule acts at weekends. A POST must
 * contain this attribute if `actionhour` is set or `actiontimediff` is not 0 (interface, "Automation rules" 1). The default of
 * `actiontimediff`, the offset between event and action, is 0 (docs/wire.md).
 */
export const AUTOMATION_RULE_DEFAULTS = {
  actiononweekend: true,
  actionhour: null,
  actiontimediff: 0,
  paused: false,
};

/**
 * Names of the attributes that are common to rules of the kinds click, open, date and subscription, in the order of the interface's table.
 */
type TimedFields = { readonly id: ReturnType<typeof id> } & ReturnType<typeof sharedFields>;
type SharedAttribute = keyof TimedFields;

interface Kind<O extends Readonly<Record<string, Field>>> {
  readonly unit: 'seconds' | 'minutes';
  readonly actions: readonly string[];
  /** Actions of a rule that need an offset other than 0 (interface, "Automation rules" 3). */
  readonly delayed: readonly string[];
  readonly mayPrecede?: true;
  /** Fields that only this kind of rule has. POST requires all of these fields. */
  readonly own?: O;
  readonly rules?: readonly ValidationRule<SharedAttribute | NoInfer<keyof O & string>>[];
}

/**
 * Returns the declaration of one of the four kinds of rule that have an action and an offset. `names` and `kind` hold what differs between
 * these kinds.
 */
export function defineTimedAutomation<
  const N extends string,
  O extends Readonly<Record<string, Field>> = Readonly<Record<never, Field>>,
>(
  names: { readonly name: N; readonly variant: string; readonly describe: string },
  kind: Kind<O>,
): Resource<SharedAttribute | (keyof O & string), N> & { readonly fields: TimedFields & O } {
  // Without own attributes `O` has no members, so the empty object is a valid value.
  const fields = kind.own ?? ({} as O);
  const own = attributesOf(fields);
  return {
    ...names,
    noun: 'automation',
    singular: `a rule of kind ${names.variant}`,
    plural: `rules of kind ${names.variant}`,
    fields: { id: id('Rule id'), ...fields, ...sharedFields(kind) },
    methods: timedMethods(own),
    rules: [
      ...(kind.rules ?? []),
      targetFits,
      weekendIsSaid,
      weekendIsTrue,
      delayed(kind.delayed),
      wholeDays,
    ],
    calledBy: 'name',
    identifiedBy: ['name', 'actiontype', 'actiontarget', 'actiontimediff', 'actionhour', ...own],
    inDoubt: 'note-first',
    columns: ['id', 'name', 'paused', 'actiontype', 'actiontarget', ...own, 'actiontimediff', 'actionhour'],
  };
}

function sharedFields({
  unit,
  actions,
  mayPrecede,
}: Pick<Kind<Readonly<Record<never, Field>>>, 'unit' | 'actions' | 'mayPrecede'>) {
  const offset = `Time between the event and the action, in ${unit}`;
  return {
    actiononweekend: bool('The rule also acts at weekends', { ...filterable, flag: 'weekends' }),
    actiontarget: string('Target of the action: list id, message id or address', { flag: 'target' }),
    actionhour: orNull(
      string("Hour at which the rule acts (company's time zone)", {
        ...sortable,
        format: 'actionhour',
        flag: 'at-hour',
      }),
    ),
    actiontimediff: int(mayPrecede ? `${offset}; a negative number means before the date` : offset, {
      ...sortable,
      unit,
      ...(mayPrecede ? {} : { min: 0 }),
    }),
    actiontype: oneOf(actions, 'Action of the rule, such as add-to-list or autoresponder', {
      flag: 'action',
    }),
    name: string('Name of the rule', filterableAndSortable),
    paused: bool('The rule is paused (events do not trigger it)', filterable),
    summary: orNull(string('Description of the rule, in English')),
    user_id: int('User who created the rule', { ...filterable, refersTo: 'user' }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  };
}

function timedMethods<O extends string>(own: readonly O[]): Methods<SharedAttribute | O> {
  const required = [...own, 'actiontype', 'actiontarget', 'name', 'summary'] as const;
  const optional = ['actiononweekend', 'actionhour', 'actiontimediff', 'paused'] as const;
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

/**
 * Checks that `actiontarget` fits the action of the rule: an e-mail address for `notify`, otherwise an id (interface and docs/wire.md). The
 * target of `removefromlist` has another check.
 */
const targetFits = defineValidationRule({
  section: 'Automation rules, actiontarget',
  text: 'actiontarget is an e-mail address for notify, and an id for every other actiontype',
  attributes: ['actiontype', 'actiontarget'],
  schema: (formatOf) => ({
    allOf: [
      when(withAction({ const: 'notify' }), withTarget(formatOf('email'))),
      when(withAction({ not: { enum: ['notify', 'removefromlist'] } }), withTarget({ pattern: ID_PATTERN })),
    ],
  }),
  check: ({ actiontype, actiontarget }) => {
    // The subscription rules check the target of removefromlist themselves (rule 10).
    if (actiontype === 'removefromlist' || actiontype === undefined || actiontarget === undefined)
      return undefined;
    const isAddress = actiontype === 'notify';
    const fits = isAddress
      ? isEmailAddress(String(actiontarget))
      : readIdText(String(actiontarget)) !== undefined;
    if (fits) return undefined;
    return {
      attribute: 'actiontarget',
      value: actiontarget,
      reason: `must be ${isAddress ? 'an e-mail address' : 'an id'} for ${String(actiontype)}`,
      instead: isAddress ? 'give the address to notify' : `give the id of the ${targetOf(actiontype)}`,
    };
  },
});

const withAction = (actiontype: JsonSchema): JsonSchema => createRequiredAttributesSchema({ actiontype });
const withTarget = (actiontarget: JsonSchema): JsonSchema => ({ properties: { actiontarget } });

/**
 * JSON Schema that matches a rule with a set hour (`actionhour`), or with a time offset other than 0 between event and action
 * (`actiontimediff`).
 */
const TIMED_SCHEMA: JsonSchema = {
  anyOf: [
    createRequiredAttributesSchema({ actionhour: { type: 'string' } }),
    createRequiredAttributesSchema({ actiontimediff: { not: { const: 0 } } }),
  ],
};

const targetOf = (actiontype: unknown): string =>
  String(actiontype).endsWith('autoresponder') ? 'message' : 'list';

const offsetOf = (values: Values): number => Number(values['actiontimediff'] ?? 0);
const isTimed = (values: Values): boolean =>
  typeof values['actionhour'] === 'string' || offsetOf(values) !== 0;

const weekendIsSaid = defineValidationRule({
  section: 'Automation rules 1',
  text: 'actiononweekend is required when actionhour is given, or actiontimediff is given and not 0',
  attributes: ['actiononweekend', 'actionhour', 'actiontimediff'],
  schema: () => when(TIMED_SCHEMA, { required: ['actiononweekend'] }),
  check: (values) =>
    isTimed(values) && values['actiononweekend'] === undefined
      ? {
          attribute: 'actiononweekend',
          reason: `is required with ${typeof values['actionhour'] === 'string' ? 'actionhour' : 'actiontimediff'}`,
          instead: 'use true or false',
        }
      : undefined,
});

const weekendIsTrue = defineValidationRule({
  section: 'Automation rules 1',
  text: 'actiononweekend can be false only if actionhour or actiontimediff is set',
  attributes: ['actiononweekend', 'actionhour', 'actiontimediff'],
  schema: () => when(createRequiredAttributesSchema({ actiononweekend: { const: false } }), TIMED_SCHEMA),
  check: (values) =>
    !isTimed(values) && values['actiononweekend'] === false
      ? {
          attribute: 'actiononweekend',
          value: false,
          reason: 'may be false only if actionhour or actiontimediff is set',
          instead: 'leave actiononweekend out, or set actionhour or actiontimediff',
        }
      : undefined,
});

function delayed(actions: readonly string[]) {
  return defineValidationRule({
    section: 'Automation rules 3',
    text: `actiontimediff must not be 0 for ${actions.join(', ')}`,
    attributes: ['actiontype', 'actiontimediff'],
    schema: () =>
      when(
        createRequiredAttributesSchema({ actiontype: { enum: actions } }),
        createRequiredAttributesSchema({ actiontimediff: { not: { const: 0 } } }),
      ),
    check: (values) =>
      actions.includes(String(values['actiontype'])) && offsetOf(values) === 0
        ? {
            attribute: 'actiontimediff',
            value: values['actiontimediff'] ?? 0,
            reason: `must not be 0 for ${String(values['actiontype'])}`,
            instead: 'give the time between event and action',
          }
        : undefined,
  });
}

/**
 * Checks that `actiontimediff` is 0 or a multiple of 1440 if `actionhour` is set (interface, "Automation rules" 4). 1440 minutes are a day,
 * but the check uses 1440 also for kinds of rule that count `actiontimediff` in seconds (docs/wire.md, "rule 4").
 */
const wholeDays = wholeDayRule('Automation rules 4', 'actionhour', 'actiontimediff');

/**
 * Creates a check of two attributes: if `hour` is set, the number in `timediff` must be 0 or a multiple of 1440. The interface requires
 * this in "Automation rules" 4, and for smsAutomation.
 * @param hour name of the attribute with the time of day
 * @param timediff name of the attribute with the offset from the event to the action
 */
export function wholeDayRule<A extends string>(section: string, hour: A, timediff: A): ValidationRule<A> {
  return {
    section,
    text: `If ${hour} is set, the number in ${timediff} must be 0 or a multiple of ${MINUTES_A_DAY}, even if ${timediff} is in seconds`,
    attributes: [hour, timediff],
    schema: () =>
      when(createRequiredAttributesSchema({ [hour]: { type: 'string' } }), {
        properties: { [timediff]: { multipleOf: MINUTES_A_DAY } },
      }),
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
