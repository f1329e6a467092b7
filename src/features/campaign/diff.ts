import { createTwoFilesPatch } from 'diff';
import type { WantedMessage } from './model.ts';
import { restoreLinks } from './original-links.ts';
import type { CampaignPlan } from './plan/plan.ts';

export interface ContentDiff {
  readonly key: string;
  readonly attribute: string;
  readonly file: string | undefined;
  readonly unified: string;
}

export function contentDiffs({ steps, situation }: CampaignPlan): readonly ContentDiff[] {
  return situation.campaign.items.flatMap((item) => {
    if (item.kind !== 'message') return [];
    const step = steps.find(({ kind, key }) => kind === 'message' && key === item.key);
    if (step?.id === undefined || (step.action !== 'change' && step.action !== 'replace')) return [];
    const rows = situation.observed.messages[item.channel];
    const record = rows.find(({ id }) => String(id) === step.id);
    return record ? diffsOf(item, record, situation.observed.links.get(step.id) ?? []) : [];
  });
}

function diffsOf(
  { key, channel, values, files }: WantedMessage,
  record: Readonly<Record<string, unknown>>,
  links: Parameters<typeof restoreLinks>[1],
): readonly ContentDiff[] {
  const attributes = channel === 'email' ? (['html', 'text'] as const) : (['message'] as const);
  return attributes.flatMap((attribute) => {
    const stored = String(record[attribute] ?? '').replaceAll('\r\n', '\n');
    const before = attribute === 'message' ? stored : restoreLinks(stored, links, attribute).text;
    const after = String(values[attribute] ?? '').replaceAll('\r\n', '\n');
    if (before === after) return [];
    const name = files[attribute] ?? attribute;
    const patch = createTwoFilesPatch(`service/${name}`, name, before, after, '', '', { context: 3 });
    return [{ key, attribute, file: files[attribute], unified: patch.split('\n').slice(1).join('\n') }];
  });
}
