/** The common parts of click, open, subscription and date rules (interface, "Automation rules"). `timed-automations.ts` has each kind. */
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
  type Scalar,
  sortable,
  string,
} from '../../kit/schema/field.ts';
import { ID_PATTERN, readIdText } from '../../kit/schema/integer.ts';
import { phrase } from '../../kit/schema/reason.ts';
import {
  defineValidationRule,
  type Finding,
  type JsonSchema,
  type Methods,
  type Resource,
  type ValidationRule,
} from '../../kit/schema/resource.ts';
import { createRequiredAttributesSchema, when } from '../../kit/schema/rules.ts';
import { isEmailAddress } from '../../kit/text/address.ts';
import { keysOf } from '../../kit/text/json-object.ts';

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
 * Defaults of a POST. It must contain `actiononweekend` if `actionhour` is set or `actiontimediff` is not 0 (interface, "Automation rules" 1).
 * The default of `actiontimediff` is in docs/wire.md.
 */
export const AUTOMATION_RULE_DEFAULTS = {
  actiononweekend: true,
  actionhour: null,
  actiontimediff: 0,
  paused: false,
};

/** The common attributes of timed rules, in the order of the interface's table. */
type TimedFields = { readonly id: ReturnType<typeof id> } & ReturnType<typeof sharedFields>;
type SharedAttribute = keyof TimedFields;

interface Kind<O extends Readonly<Record<string, Field>>> {
  readonly unit: 'seconds' | 'minutes';
  readonly actions: readonly string[];
  /** Actions of a rule that need an offset other than 0 (interface, "Automation rules" 3). */
  readonly delayed: readonly string[];
  readonly mayPrecede?: true;
  /** Fields that only this kind of rule has. POST requires all of these fields. */
  readonly own: O;
  readonly rules?: readonly ValidationRule<SharedAttribute | NoInfer<keyof O & string>>[];
}

/** Returns the declaration of a timed rule. `names` and `kind` hold what differs between the kinds. */
export function defineTimedAutomation<
  const N extends string,
  O extends Readonly<Record<string, Field>> = Readonly<Record<never, Field>>,
>(
  names: { readonly name: N; readonly variant: string; readonly describe: string },
  kind: Kind<O>,
): Resource<SharedAttribute | (keyof O & string), N> & { readonly fields: TimedFields & O } {
  const own = keysOf(kind.own);
  return {
    ...names,
    noun: 'automation',
    singular: `a rule of kind ${names.variant}`,
    plural: `rules of kind ${names.variant}`,
    fields: { id: id('Rule id'), ...kind.own, ...sharedFields(kind) },
    methods: timedMethods(own),
    rules: [
      ...(kind.rules ?? []),
      targetFits,
      weekendIsSaid,
      weekendRule('Automation rules 1', 'actiononweekend', 'actionhour', 'actiontimediff'),
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
    user_id: int('User who created the rule', { ...filterable, refersTo: 'user', byName: true }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  };
}

function timedMethods<O extends string>(own: readonly O[]): Methods<SharedAttribute | O> {
  const required = [...own, 'actiontype', 'actiontarget', 'name', 'summary'] as const;
  const optional = ['actiononweekend', 'actionhour', 'actiontimediff', 'paused'] as const;
  return {
    get: {},
    head: { attributes: ['id', 'actiononweekend', 'name', 'paused', 'user_id'] },
    post: { required, optional },
    put: { optional: [...required, ...optional] },
    delete: { by: ['id'] },
  };
}

/** The target is an address for `notify`, otherwise an id (interface, docs/wire.md). `removefromlist` has another check. */
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
      reason: {
        kind: 'form',
        form: `${isAddress ? 'an e-mail address' : 'an id'} for ${String(actiontype)}`,
      },
      instead: isAddress ? 'give the address to notify' : `give the id of the ${targetOf(actiontype)}`,
    };
  },
});

const withAction = (actiontype: JsonSchema): JsonSchema => createRequiredAttributesSchema({ actiontype });
const withTarget = (actiontarget: JsonSchema): JsonSchema => ({ properties: { actiontarget } });

/** Matches a rule with an hour, or with an offset other than 0. */
const timedSchema = (hour: string, timediff: string): JsonSchema => ({
  anyOf: [
    createRequiredAttributesSchema({ [hour]: { type: 'string' } }),
    createRequiredAttributesSchema({ [timediff]: { not: { enum: [0, null] } } }),
  ],
});

const targetOf = (actiontype: unknown): string =>
  String(actiontype).endsWith('autoresponder') ? 'message' : 'list';

const isTimed = (hour: Scalar | undefined, timediff: Scalar | undefined): boolean =>
  typeof hour === 'string' || Number(timediff ?? 0) !== 0;

const weekendIsSaid = defineValidationRule({
  section: 'Automation rules 1',
  text: 'actiononweekend is required when actionhour is given, or actiontimediff is given and not 0',
  attributes: ['actiononweekend', 'actionhour', 'actiontimediff'],
  schema: () => when(timedSchema('actionhour', 'actiontimediff'), { required: ['actiononweekend'] }),
  check: ({ actiononweekend, actionhour, actiontimediff }) =>
    isTimed(actionhour, actiontimediff) && actiononweekend === undefined
      ? {
          attribute: 'actiononweekend',
          reason: phrase`is required with ${typeof actionhour === 'string' ? 'actionhour' : 'actiontimediff'}`,
          instead: 'use true or false',
        }
      : undefined,
});

/** Returns the rule that only a rule with an hour or an offset can leave out weekends. */
export const weekendRule = <A extends string>(
  section: string,
  weekend: A,
  hour: A,
  timediff: A,
): ValidationRule<A> => ({
  section,
  text: `${weekend} can be false only if ${hour} or ${timediff} is set`,
  attributes: [weekend, hour, timediff],
  schema: () =>
    when(createRequiredAttributesSchema({ [weekend]: { const: false } }), timedSchema(hour, timediff)),
  check: ({ [weekend]: value, [hour]: atHour, [timediff]: offset }): Finding | undefined => {
    if (value !== false || isTimed(atHour, offset)) return undefined;
    const reason = phrase`can be false only if ${hour} or ${timediff} is set`;
    const instead = phrase`set ${weekend} to true, or set ${hour} or ${timediff}`;
    return { attribute: weekend, value, reason, instead };
  },
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
    check: ({ actiontype, actiontimediff: value = 0 }) =>
      actions.includes(String(actiontype)) && Number(value) === 0
        ? {
            attribute: 'actiontimediff',
            value: value ?? 0,
            reason: `must not be 0 for ${String(actiontype)}`,
            instead: 'give the time between event and action',
          }
        : undefined,
  });
}

/** 1440 minutes are a day, but the rule also applies to offsets in seconds (docs/wire.md, "rule 4"). */
const wholeDays = wholeDayRule('Automation rules 4', 'actionhour', 'actiontimediff');

/** Creates the rule that `timediff` is 0 or a multiple of 1440 if `hour` is set (interface, "Automation rules" 4, and smsAutomation). */
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
        reason: phrase`must be 0 or a multiple of ${{ amount: MINUTES_A_DAY, of: timediff }} when ${hour} is set`,
        instead: phrase`use ${{ amount: Math.round(offset / MINUTES_A_DAY) * MINUTES_A_DAY, of: timediff }}, or ${{ unset: hour }}`,
      };
    },
  };
}

/** Usual spellings of actions, which flags and campaign files accept besides those of the interface. */
const USUAL_ACTIONS: Readonly<Record<string, string>> = {
  'add-to-list': 'addtolist',
  'copy-to-list': 'copytolist',
  'move-to-list': 'movetolist',
  'remove-from-list': 'removefromlist',
  autoresponder: 'email_autoresponder',
  'email-autoresponder': 'email_autoresponder',
  'sms-autoresponder': 'sms_autoresponder',
};

/** Returns the usual spellings of the field's values. */
export const usualSpellings = ({ values }: Field): readonly string[] =>
  Object.entries(USUAL_ACTIONS).flatMap(([word, action]) => (values?.includes(action) ? [word] : []));

/** Returns `addtolist` for `add-to-list`, and `09:00:00` for `9`. Any other text is checked later. */
export function interfaceSpelling({ format, values }: Field, text: string): string {
  const word = text.toLowerCase();
  const action = Object.hasOwn(USUAL_ACTIONS, word) ? USUAL_ACTIONS[word] : undefined;
  if (action !== undefined && values?.includes(action)) return action;
  if (format !== 'actionhour') return text;
  const hour = /^([0-9]{1,2})(?::00){0,2}$/.exec(text)?.[1];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:00:00`;
}
