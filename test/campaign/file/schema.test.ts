/** Contract, "Campaigns as files": "its JSON Schema", compared with what the reader accepts and rejects. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type AttributeSpec,
  folderAttributeSpecs,
  messageAttributeSpecs,
  ruleAttributeSpecs,
  taskAttributeSpecs,
} from '../../../src/features/campaign/file/parts.ts';
import { readCampaign } from '../../../src/features/campaign/file/read.ts';
import { campaignSchema } from '../../../src/features/campaign/file/schema.ts';
import { emailMessage } from '../../../src/service/resources/email-message.ts';
import { depth } from '../../support/depth.ts';
import { ACCEPTED_RENAMES, REFUSED_RENAMES } from './rename-samples.ts';
import { ACCEPTED, REFUSED, variable } from './samples.ts';
import { ACCEPTED_SEQUENCES, REFUSED_SEQUENCES } from './sequence-samples.ts';
import { ACCEPTED_SERIES, REFUSED_SERIES } from './series-samples.ts';

const ALL_REFUSED = [
  ...REFUSED,
  ...[...REFUSED_SEQUENCES, ...REFUSED_RENAMES, ...REFUSED_SERIES].map((each) => ({
    beyond: undefined,
    ...each,
  })),
];

const check = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
}).compile(campaignSchema());

/** Checks a file as an editor does, which does not replace variables. */
const accepts = (yaml: string): boolean =>
  check(parse(yaml, { version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'silent' }));

type Base = Readonly<Record<string, string>>;

const RULE: Base = { name: 'R', actiontype: 'notify', actiontarget: 'a@shop.example' };
/** A valid item of each kind, by the names of its attributes. */
const ITEMS: readonly (readonly [
  kind: string,
  section: string,
  base: Base,
  specs: readonly AttributeSpec[],
])[] = [
  ['folder', 'folders', { name: 'F' }, folderAttributeSpecs],
  [
    'email',
    'messages',
    {
      channel: 'email',
      name: 'M',
      fromname: 'Shop',
      replyemail: 'a@shop.example',
      subject: 'Sale',
      html: 'a.html',
      text: 'a.txt',
    },
    messageAttributeSpecs('email'),
  ],
  [
    'sms',
    'messages',
    { channel: 'sms', name: 'M', fromname: 'Shop', message: 'a.txt' },
    messageAttributeSpecs('sms'),
  ],
  ['task', 'tasks', { name: 'T', message_id: '12', list_id: '7', scheduledtime: '+2d' }, taskAttributeSpecs],
  ['click', 'automations', { ...RULE, kind: 'click', link_id: '3' }, ruleAttributeSpecs('click')],
  ['open', 'automations', { ...RULE, kind: 'open', message_id: '3' }, ruleAttributeSpecs('open')],
  [
    'subscription',
    'automations',
    { ...RULE, kind: 'subscription', list_id: '7' },
    ruleAttributeSpecs('subscription'),
  ],
  ['date', 'automations', { ...RULE, kind: 'date', actiononweekend: 'true' }, ruleAttributeSpecs('date')],
  [
    'rule of kind sms',
    'automations',
    { name: 'R', kind: 'sms', list_id: '7', message_id: '3' },
    ruleAttributeSpecs('sms'),
  ],
];

const without = (base: Base, name: string): string =>
  Object.entries(base)
    .flatMap(([each, value]) => (each === name ? [] : [`    ${each}: ${value}\n`]))
    .join('');

const VALUES: readonly string[] = [
  ...['null', 'true', 'false', '""', '" "', 'word', '"two words"', '☃', '[]', '{}', '[1]'],
  ...['0', '1', '-1', '12', '"12"', '007', '1.5', '1e3', '0x1f', '+2', '90071992547409931', '1800000000'],
  ...['9000..11000', '2d', '"1h 30m"', '30m', '09:00:00', '"2027-03-20 09:00"', '+2d', 'monday 9:00'],
  ...[
    'a@shop.example',
    'https://shop.example/',
    '447700900123',
    '+447700900123',
    'email',
    'addtolist',
    'notify',
  ],
  ...['c/a.html', './a.html', 'a', 'a b.html', '..', '../a', '/a', 'a/../b', '"C:/a"', '"a\\nb"'],
  ...[variable('n'), `a ${variable('n')}`, `$${variable('n')}`],
];

/** Each attribute gets so many of the values, the next attribute others. `full` is twice their number, so that `.ci/run` tries them all. */
const TRIED_VALUES = Math.min(
  VALUES.length,
  depth('SVC_SCHEMA_VALUES', { few: Math.ceil(VALUES.length / 5), full: 2 * VALUES.length }),
);
const valuesOfTurn = (turn: number): readonly string[] =>
  VALUES.filter((_, index) => ((index + turn) * TRIED_VALUES) % VALUES.length < TRIED_VALUES);

describe('the JSON Schema', () => {
  it.each([...ACCEPTED, ...ACCEPTED_SEQUENCES, ...ACCEPTED_RENAMES, ...ACCEPTED_SERIES])(
    'accepts a file that the reader accepts: %s',
    (_, yaml) => {
      accepts(yaml);
      expect(check.errors ?? []).toEqual([]);
    },
  );

  it.each(ALL_REFUSED.filter(({ beyond }) => beyond === undefined))(
    'rejects a file that the reader rejects: $title',
    ({ yaml }) => {
      expect(accepts(yaml)).toBe(false);
    },
  );

  // Checks that the faults marked `beyond` really are beyond the schema.
  it.each(ALL_REFUSED.filter(({ beyond }) => beyond === 'value'))(
    'leaves this fault to the reader: $title',
    ({ yaml }) => {
      expect(accepts(yaml)).toBe(true);
    },
  );

  it.each(ITEMS)(
    'rejects no value that the reader accepts: each attribute of %s, with many values',
    async (_, section, base, specs) => {
      let taken = 0;
      let turn = 0;
      for (const { name, spellings } of specs)
        for (const spelling of spellings) {
          turn += 1;
          for (const value of valuesOfTurn(turn)) {
            const yaml = `version: 1\ncampaign: Sale\n${section}:\n  x:\n${without(base, name)}    ${spelling}: ${value}\n`;
            const found = await readCampaign(
              { path: 'a.yaml', octets: Buffer.from(yaml) },
              {
                env: {},
                set: new Map([['n', '500']]),
                readContent: async () => ({ octets: Buffer.from('Hello') }),
              },
            );
            if ('faults' in found) continue;
            taken += 1;
            if (!accepts(yaml)) expect([yaml, check.errors]).toEqual([yaml, []]);
          }
        }
      // One in ten values is accepted.
      expect(taken).toBeGreaterThan((TRIED_VALUES / 10) * specs.length);
    },
  );

  it("uses the interface's words for the texts of editors", () => {
    const { $defs } = campaignSchema() as { $defs: Record<string, { properties: Record<string, object> }> };
    expect($defs['email-message']?.properties).toMatchObject({
      channel: { const: 'email' },
      subject: { description: emailMessage.fields.subject.describe },
      from: { description: emailMessage.fields.fromemail.describe },
      fromemail: { description: 'The same as from' },
    });
    expect(Object.keys($defs['subscription-automation']?.properties ?? {})).not.toContain('before');
    expect(Object.keys($defs['date-automation']?.properties ?? {})).toContain('before');
    expect(Object.keys($defs['email-message']?.properties ?? {})).not.toContain('editable');
  });
});
