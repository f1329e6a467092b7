/** Contract, "Campaigns as files": the shape and digest of a plan, and the refusal of every other byte. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CampaignError } from '../../../src/features/campaign/errors.ts';
import {
  checkPlanNotExpired,
  formatPlanFile,
  makePlan,
  readPlan,
} from '../../../src/features/campaign/plan-file/plan-file.ts';
import { canonicalJson } from '../../../src/features/campaign/plan-file/plan-parts.ts';
import { planParts } from '../../support/plans.ts';
import { NOW } from '../../support/sandbox.ts';

const text = formatPlanFile(planParts);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof CampaignError && error.kind === 'refused') return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('the file', () => {
  it('has the members of the contract, in its order', () => {
    expect(Object.keys(JSON.parse(text))).toEqual([
      ...['version', 'origin', 'naming', 'campaign', 'company', 'made', 'validUntil'],
      ...['inputs', 'observed', 'steps', 'sha256'],
    ]);
    expect(JSON.parse(text)).toMatchObject({ version: 1, company: { id: '1', name: 'Harbour Coffee' } });
  });

  it('has a hexadecimal sha256 over the canonical JSON of everything else', () => {
    const { sha256, ...rest } = JSON.parse(text);
    expect(sha256).toBe(createHash('sha256').update(canonicalJson(rest)).digest('hex'));
  });

  it('has the same text for the same parts, whatever the order of their creation', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, each]) => [name, turned(each)]),
      );
    };
    expect(formatPlanFile(turned(planParts) as typeof planParts)).toBe(text);
  });

  it('is read back unchanged, and is the output of -o json', () => {
    const plan = readPlan(text);
    const { version, sha256, ...parts } = plan;
    expect([version, parts]).toEqual([1, planParts]);
    expect(plan).toEqual(makePlan(planParts));
    expect(`${JSON.stringify(makePlan(planParts), undefined, 2)}\n`).toBe(text);
  });

  it('cannot contain a text with half of a surrogate pair', () => {
    const company = { id: '1', name: 'a\ud800' };
    expect(() => formatPlanFile({ ...planParts, company })).toThrow(
      expect.objectContaining({ name: 'CampaignError', kind: 'input' }),
    );
  });

  it('omits an undefined member, and keeps the digits of a number beyond 2^53', () => {
    const [first, message, ...more] = planParts.steps;
    const odd = {
      ...message,
      reason: undefined,
      changes: [{ attribute: 'name', from: 2n ** 60n, to: 'Offer' }],
    };
    const plan = readPlan(formatPlanFile({ ...planParts, steps: [first, odd, ...more] as never }));
    expect(plan.steps[1]).toEqual({
      ...message,
      changes: [{ attribute: 'name', from: '1152921504606846976', to: 'Offer' }],
    });
  });
});

describe('any other byte', () => {
  it('is refused, whichever one is changed, omitted or added', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('change', 'drop', 'add'), (at, how) => {
        const changed = { change: 'x', drop: '', add: `${text[at]}${text[at]}` }[how] ?? '';
        fc.pre(changed !== text[at]);
        refusal(() => readPlan(text.slice(0, at) + changed + text.slice(at + 1)));
      }),
      { numRuns: 500 },
    );
  });

  const value = JSON.parse(text);
  it.each([
    ['no line end', text.trimEnd()],
    ['another line end', text.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${text}`],
    ['other blanks', JSON.stringify(value)],
    ['another order', JSON.stringify({ sha256: value.sha256, ...value }, undefined, 2)],
    ["an escape that isn't needed", text.replace('Harbour', '\\u0048arbour')],
    ['a number in other words', text.replace('"version": 1,', '"version": 1.0,')],
    ['a member twice', text.replace('"campaign": "spring"', '"campaign": "evil",\n  "campaign": "spring"')],
    ['an unknown member', text.replace('"version": 1,', '"version": 1,\n  "note": "x",')],
    ['a digest in upper case', text.replace(value.sha256, value.sha256.toUpperCase())],
    ['text after the end', `${text}\n`],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a thousand brackets', '['.repeat(100_000)],
    ['a thousand brackets that close', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('%s', (_, changed) => {
    refusal(() => readPlan(changed));
  });

  it('gives an error that says that the plan was changed, or comes from a newer svc', () => {
    expect(refusal(() => readPlan(text.replace('Harbour', 'Harbor')))).toContain(
      'was changed after it was made',
    );
    expect(refusal(() => readPlan(text.replace('"version": 1', '"version": 2')))).toBe(
      'the plan was written by a newer svc (version 2 of the file)',
    );
  });
});

describe('with a correct digest but invalid content', () => {
  interface Draft {
    readonly company: object;
    readonly inputs: { readonly wanted: { readonly items: object[] } };
    readonly observed: { readonly items: object; readonly references: object };
    readonly steps: Record<string, unknown>[];
  }
  const forged = (change: (draft: Draft) => void): string => {
    const parts = structuredClone(planParts);
    change(parts as unknown as Draft);
    return formatPlanFile(parts);
  };
  const [first, task] = [0, 2];

  it.each<[string, (draft: Draft) => void, string]>([
    ['an id that is a number', ({ company }) => Object.assign(company, { id: 1 }), 'company.id must be'],
    [
      'a step without an action',
      ({ steps }) => delete steps[first]?.['action'],
      'steps[0].action is missing',
    ],
    [
      'an unknown action',
      ({ steps }) => Object.assign(steps[first] ?? {}, { action: 'send' }),
      'steps[0].action',
    ],
    ['an unknown member', ({ inputs }) => Object.assign(inputs, { more: 1 }), 'inputs has no member "more"'],
    [
      'a reference to two things',
      ({ inputs }) => Object.assign(inputs.wanted.items[task] ?? {}, { message: { key: 'offer', id: '7' } }),
      'inputs.wanted.items[2].message has no member "id"',
    ],
    [
      'a name of the prototype',
      ({ inputs }) => Object.assign(inputs, { toString: 1 }),
      'no member "toString"',
    ],
    [
      'a task that no step shows',
      ({ steps }) => steps.splice(task, 1),
      'the steps do not match the items of the campaign',
    ],
    [
      'two steps for a task',
      ({ steps }) => steps.splice(task, 0, { ...steps[task] }),
      'the steps do not match the items of the campaign',
    ],
    [
      'a task that is marked as orphaned',
      ({ steps }) => Object.assign(steps[task] ?? {}, { action: 'orphaned' }),
      'task send is in the campaign file, but its step is orphaned',
    ],
    [
      'a record without a name in the file, made',
      ({ steps }) => Object.assign(steps[4] ?? {}, { action: 'create' }),
      'the plan has an unnecessary step for folder 4',
    ],
    [
      'the name of an item',
      ({ steps }) => Object.assign(steps[task] ?? {}, { name: 'Test' }),
      'has another name',
    ],
    [
      'the time of a task',
      ({ steps }) => Object.assign(steps[task] ?? {}, { time: NOW + 7200 }),
      'task send has another send time in its step than "+1d"',
    ],
    [
      'a size without a count',
      ({ steps }) => Object.assign(steps[task] ?? {}, { size: 3 }),
      'task send has a size before the service has counted it',
    ],
    [
      'a value that the file does not contain',
      ({ steps }) =>
        Object.assign(steps[1] ?? {}, { changes: [{ attribute: 'subject', from: 'a', to: 'b' }] }),
      'message offer has a step that changes subject to a value that the file does not contain',
    ],
    [
      'an earlier key that the file does not name',
      ({ steps }) => Object.assign(steps[1] ?? {}, { renamedFrom: { key: 'spring' } }),
      'message offer has a step that renames key "spring", which the file does not name',
    ],
    [
      'an earlier campaign that the file does not name',
      ({ steps }) => Object.assign(steps[1] ?? {}, { renamedFrom: { campaign: 'Winter' } }),
      'message offer has a step that renames campaign "Winter", which the file does not name',
    ],
    [
      'a rename without an earlier key',
      ({ steps }) => Object.assign(steps[1] ?? {}, { action: 'rename', changes: [] }),
      'message offer is to be renamed, but the file gives it no earlier key',
    ],
    [
      'another record',
      ({ steps }) => Object.assign(steps[1] ?? {}, { id: '8' }),
      'message offer has a step for record 8, which the plan did not observe',
    ],
    [
      'no observations',
      (draft) => Object.assign(draft, { observed: { items: {}, references: {} } }),
      'the state of folder all is missing',
    ],
    [
      'more than was observed',
      ({ observed }) => Object.assign(observed.items, { 'task other': [] }),
      'the plan records the state of task other, but has no step for that record',
    ],
    [
      'a message that the file does not refer to',
      ({ observed }) =>
        Object.assign(observed.references, { 'task send message': { id: '7', content: 'x' } }),
      'the plan records a message for task send message',
    ],
    [
      'a line feed in the name of the campaign',
      (draft) => {
        Object.assign(draft, { campaign: 'a\nb' });
        Object.assign(draft.inputs.wanted, { campaign: 'a\nb' });
      },
      'contains a control character',
    ],
    [
      'an end too far in the future',
      (draft) => Object.assign(draft, { validUntil: NOW + 30 * 86_400 + 1 }),
      'the validity period exceeds the maximum of 30 days',
    ],
    [
      'an origin with a path',
      (draft) => Object.assign(draft, { origin: 'https://a.example/x' }),
      'origin must be',
    ],
    [
      'an invalid naming',
      (draft) => Object.assign(draft, { naming: { headerPrefix: '\n' } }),
      'naming is not',
    ],
    [
      'a naming that says nothing',
      (draft) => Object.assign(draft, { naming: { case: 'exact' } }),
      'naming must hold',
    ],
    [
      'another file',
      ({ inputs }) => Object.assign(inputs, { file: 'x/other.yaml' }),
      'the plan contains two different file names of the campaign file',
    ],
    [
      'another campaign',
      ({ inputs }) => Object.assign(inputs.wanted, { campaign: 'x' }),
      'two campaign names',
    ],
    ['another company', ({ inputs }) => Object.assign(inputs.wanted, { company: 2 }), 'for company 2'],
    [
      'an item twice',
      ({ inputs: { wanted }, steps }) => {
        wanted.items.push({ ...wanted.items[task] });
        steps.splice(4, 0, { ...steps[task] });
      },
      'task send occurs twice',
    ],
  ])('%s', (_, change, words) => {
    expect(refusal(() => readPlan(forged(change)))).toContain(words);
  });
});

describe("Expiry uses the service's clock", () => {
  const plan = makePlan(planParts);
  it('is valid until the second before', () => {
    expect(() => checkPlanNotExpired(plan, plan.validUntil - 1)).not.toThrow();
  });
  it('is valid for at most 30 days', () => {
    const ahead = plan.validUntil - 30 * 86_400;
    expect(() => checkPlanNotExpired(plan, ahead)).not.toThrow();
    expect(refusal(() => checkPlanNotExpired(plan, ahead - 1))).toContain('valid for at most 30 days');
  });
  it.each([0, 1, 1e9])('is not valid %d s later', (late) => {
    expect(refusal(() => checkPlanNotExpired(plan, plan.validUntil + late))).toBe(
      'the plan has expired: it was valid until Wed 2026-12-02 09:00:00 +00:00 (UTC)',
    );
  });
});
