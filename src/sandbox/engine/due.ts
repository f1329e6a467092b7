/** Defines the interface through which the engine runs due work (tasks, single SMS and queued actions), and lists this work. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { timedRuleById } from '../store/automations.ts';
import { type DueWorkItem, type DueWorkKind, type findFirstDueItem, listDueWork } from '../store/due-work.ts';
import type { Db } from '../store/open.ts';
import { findRowById, listRowsByIds } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';

/** Handles one kind of due work. Its state is only in the database, so that no work is lost if the process ends. */
export interface DueWorkHandler {
  readonly table: Parameters<typeof findFirstDueItem>[1];
  /**
   * Does one step of the item in its own transaction, and moves the item's `due` or ends the item; otherwise it would run for ever. `now` is
   * the item's own due time.
   */
  readonly runItem: (db: Db, item: DueWorkItem, now: number, context: EngineStepOptions) => Promise<void>;
}

export interface EngineStepOptions {
  /** Latest due time (Unix seconds) of further items, up to the next item of another kind. Default: that of the first item. */
  readonly until?: number;
  /** Called with each due time that a step reaches. After the step, the clock moves to the latest one. */
  readonly reached?: (time: number) => void;
  /** Registers a request to send after the step is committed. A request is sent at most once, and never for a step that was rolled back. */
  readonly requestAfterCommit: (effect: NotifyUrlRequest) => void;
}

export interface NotifyUrlRequest {
  readonly url: string;
  readonly deliveryId: number;
}

interface DueItemShown {
  /** Time at which the work is due, in Unix seconds. */
  readonly at: number;
  readonly kind: DueWorkKind;
  /** Id of the task, of the single SMS, or of the queued action. */
  readonly id: number;
  /** The rule's kind and id, such as `click:12`. Null if the work belongs to no rule. */
  readonly rule: string | null;
  readonly name: string | null;
  /** Step of the work: `start`, `continue`, `send`, `expire`, or the rule's `actiontype`. */
  readonly action: string;
  /** `list 3` or `search 4` of a task, the number of a single SMS, or the `actiontarget` or SMS message of a rule. */
  readonly target: string;
  readonly subscriber: number | null;
  readonly size: number | null;
}

type Described = Omit<DueItemShown, 'at' | 'kind' | 'id'>;

const NOTHING = { rule: null, name: null, subscriber: null, size: null };

/** Lists the work of an account that the engine still has to run, in that order. Reads each kind with one query, and each rule once. */
export async function listUpcomingDueWork(
  db: Db,
  accountId: number,
  page: Parameters<typeof listDueWork>[2],
): Promise<DueItemShown[]> {
  const entries = await listDueWork(db, accountId, page);
  const idsOf = (kind: DueWorkKind) => entries.filter((entry) => entry.kind === kind).map(({ id }) => id);
  const described: Readonly<Record<DueWorkKind, ReadonlyMap<number, Described>>> = {
    task: byId(await listRowsByIds(db, 'task', idsOf('task')), taskStep),
    sms: byId(await listRowsByIds(db, 'sms', idsOf('sms')), smsStep),
    rule: await ruleSteps(db, idsOf('rule')),
  };
  return entries.flatMap(({ due, kind, id }) => {
    const step = described[kind].get(id);
    return step ? [{ at: due, kind, id, ...step }] : [];
  });
}

function byId<T extends { readonly id: number }>(rows: readonly T[], describe: (row: T) => Described) {
  return new Map(rows.map((row) => [row.id, describe(row)]));
}

function taskStep({ name, size, list_id, search_id, started }: Row<'task'>): Described {
  const target = list_id === null ? `search ${search_id}` : `list ${list_id}`;
  return { ...NOTHING, name, action: started === 1 ? 'continue' : 'start', target, size };
}

/** A single SMS with a due time is sent, or expires after an attempt at `tried` that no network accepted. */
const smsStep = ({ msisdn, tried }: Row<'sms'>): Described => ({
  ...NOTHING,
  action: tried === null ? 'send' : 'expire',
  target: msisdn,
});

async function ruleSteps(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Described>> {
  const rules = new Map<string, Awaited<ReturnType<typeof actionOf>>>();
  const steps = new Map<number, Described>();
  for (const { id, rule_kind, rule_id, subscriber_id } of await listRowsByIds(db, 'queued_action', ids)) {
    const rule = `${rule_kind}:${rule_id}`;
    if (!rules.has(rule)) rules.set(rule, await actionOf(db, rule_kind, rule_id));
    const does = rules.get(rule);
    if (does) steps.set(id, { ...NOTHING, rule, ...does, subscriber: subscriber_id });
  }
  return steps;
}

/** Returns the present action of the rule, which the engine performs at the due time. Returns undefined if the rule was deleted. */
async function actionOf(db: Db, kind: RuleKind, id: number) {
  if (kind === 'sms') {
    const rule = await findRowById(db, 'sms_automation', id);
    return rule && { name: rule.name, action: 'sms_autoresponder', target: String(rule.message_id) };
  }
  const rule = await timedRuleById(db, kind, id);
  return rule && { name: rule.name, action: rule.actiontype, target: rule.actiontarget };
}
