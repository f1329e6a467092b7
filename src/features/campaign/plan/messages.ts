import { FOLDER_CAMPAIGN_MARK_OCTETS } from '../../../service/resources/campaign-mark.ts';
import { computeWantedMessageHash, toValue } from '../content.ts';
import type { AttributeChange, Step, Value, WantedFolder, WantedMessage } from '../model.ts';
import { keyInFile } from '../series.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from './situation.ts';

export function planFolder(situation: PlanningSituation, { key, name }: WantedFolder): Step {
  const step = { kind: 'folder', key, name } as const;
  const [found, ...others] = situation.own('folder', key);
  if (!found) return { ...step, action: 'create' };
  const id = formatIdWithRuleKind(found);
  if (!found.isAsWritten && !situation.options.overwrite)
    return blockedStep({ ...step, id }, 'drift', `folder ${id} was renamed by hand: ${found.name}`);
  // Deleting a folder deletes its lists, so spare folders are never deleted automatically.
  const spare =
    others.length > 0
      ? { reason: `another run has also created folder ${others.map(formatIdWithRuleKind).join(', ')}` }
      : {};
  if (found.name === name && found.isAsWritten) return { ...step, action: 'keep', id, ...spare };
  return { ...step, action: 'change', id, changes: [{ attribute: 'name', from: found.name, to: name }] };
}

export const MAX_FOLDER_NAME_OCTETS = 40 - FOLDER_CAMPAIGN_MARK_OCTETS;

/** The versions of a message are records of their own, because the service does not allow changes of a message in use. */
export interface PlannedMessage {
  readonly step: Step;
  /** Undefined if the step creates a new version. */
  readonly current: RecordOwnedByCampaign<'message'> | undefined;
  /** Further records of that version, which overlapping runs made. Tasks and rules that use one keep it. */
  readonly alike?: readonly RecordOwnedByCampaign<'message'>[];
}

export const isVersionInUse = (planned: PlannedMessage | undefined, id: unknown): boolean =>
  [planned?.current, ...(planned?.alike ?? [])].some((each) => each && String(each.record.id) === String(id));

/** A message is editable until a task or a rule uses it. A locked message is replaced by a new version. */
export function planVersion(situation: PlanningSituation, wanted: WantedMessage): PlannedMessage {
  const { key, name, channel } = wanted;
  const step = { kind: 'message', key, name } as const;
  const versions = situation.own('message', key).filter((each) => each.channel === channel);
  const content = computeWantedMessageHash(wanted);
  const wantedOnes = versions.filter(({ mark }) => mark.contentHashOrReason === content);
  const current = wantedOnes.find(({ isAsWritten }) => isAsWritten) ?? wantedOnes[0] ?? versions.at(-1);
  if (!current) {
    const reason = describeVanishedMessage(situation, wanted);
    return { step: { ...step, action: 'create', ...(reason === undefined ? {} : { reason }) }, current };
  }
  const id = formatIdWithRuleKind(current);
  const isWanted = current.mark.contentHashOrReason === content;
  if (!current.isAsWritten && !situation.options.overwrite) {
    const reason = `${channel} message ${id} was changed by hand`;
    return { step: blockedStep({ ...step, id }, 'drift', reason), current };
  }
  if (isWanted && current.isAsWritten) {
    const alike = wantedOnes.filter((each) => each !== current && each.isAsWritten);
    return { step: { ...step, action: 'keep', id }, current, alike };
  }
  const changes = changesOf(wanted, current);
  // `editable` is an int in smsMessage (interface, smsMessage) and a bool in e-mail messages.
  if (Number(current.record.editable) === 1)
    return { step: { ...step, action: 'change', id, changes }, current };
  const reason = `${channel} message ${id} is in use, so it cannot be changed`;
  return { step: { ...step, action: 'replace', id, reason, changes }, current: undefined };
}

const CONTENTS: readonly string[] = ['html', 'text', 'message', 'tracktextlinks'];

function changesOf(
  { name, values }: WantedMessage,
  current: RecordOwnedByCampaign<'message'>,
): readonly AttributeChange[] {
  const wanted: [string, Value][] = [['name', name], ...Object.entries(values)];
  return wanted.flatMap(([attribute, to]) => {
    if (CONTENTS.includes(attribute)) return [];
    const from = attribute === 'name' ? current.name : toValue(current.record[attribute]);
    return from === to ? [] : [{ attribute, from, to }];
  });
}

export const formatIdWithRuleKind = ({
  record,
  rule,
}: Pick<RecordOwnedByCampaign, 'record' | 'rule'>): string =>
  rule === undefined ? String(record.id) : `${rule}:${record.id}`;

/** Says first how to keep a record under its new key. @param id with the kind of a rule: `click:3` */
export const describeNewKey = (key: string, id: string): string =>
  `if ${keyInFile(key)} is its new key, write renamed-from with the earlier key at ${keyInFile(key)} in the file, or, if you no longer know that key, add --adopt ${key}=${id}`;

/** Returns the reason for a step that creates a message whose content a message has that the file no longer names. */
function describeVanishedMessage({ unnamed }: PlanningSituation, wanted: WantedMessage): string | undefined {
  const content = computeWantedMessageHash(wanted);
  const found = unnamed.find(
    (own) => own.kind === 'message' && own.channel === wanted.channel && own.currentHash === content,
  );
  return (
    found &&
    `${wanted.channel} message ${formatIdWithRuleKind(found)}, which the file no longer names, is the same: ${describeNewKey(wanted.key, formatIdWithRuleKind(found))}`
  );
}

export const blockedStep = (
  step: Omit<Step, 'action'>,
  blockedBy: NonNullable<Step['blockedBy']>,
  reason: string,
): Step => ({ ...step, action: 'blocked', blockedBy, reason });
