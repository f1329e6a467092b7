/**
 * Contract, "Insight": the findings of lint in an SMS. Every rule has texts that it must find and texts that it must not find. The
 * interface defines the errors: smsMessage, and Limits ('SMS parts', 'SMS sender name/address', 'subinfo overhead').
 */
import { describe, expect, it } from 'vitest';
import { lintSms, SMS_RULES } from '../../src/service/lint/sms.ts';
import { COUNTRY_RULES, COUNTRY_RULES_DATE } from '../../src/service/lint/sms-countries.ts';

type Values = Readonly<Record<string, unknown>>;

const lint = (values: Values) => lintSms(values, { file: null });
const rulesIn = (values: Values) => new Set(lint(values).map(({ rule }) => rule));
const text = (message: string, more: Values = {}): Values => ({ message, ...more });
const sender = (fromname: string): Values => ({ fromname });

const BOTH: Readonly<Record<string, readonly [finds: readonly Values[], not: readonly Values[]]>> = {
  'sms-empty': [
    [text(''), text(' \n')],
    [text('Hi'), sender('Example')],
  ],
  // Interface, Limits: 459 GSM characters are 3 parts; subinfo adds 30 bytes.
  'sms-too-long': [
    [text('x'.repeat(460)), text('ж'.repeat(202)), text('x'.repeat(430), { subinfo: true })],
    [text('x'.repeat(459)), text('ж'.repeat(201)), text('x'.repeat(429), { subinfo: true })],
  ],
  'sms-parts': [
    [text('x'.repeat(161)), text('x'.repeat(131), { subinfo: true }), text('x'.repeat(459))],
    [text('x'.repeat(160)), text('x'.repeat(130), { subinfo: true }), text('x'.repeat(460))],
  ],
  'sms-ucs-2': [[text('Sale 😀'), text('It’s on')], [text("It's on, [really] for 5 €")]],
  'sms-decomposed': [
    [text('Cafe\u0301'), text('и\u0306')],
    [text('Café'), text('🇬🇧 ❤️ й')],
  ],
  'sms-costly-character': [
    [text(`It’s on${'x'.repeat(80)}`), text(`a\u00a0b${'x'.repeat(80)}`)],
    // In a text of one part the character costs nothing extra. Beside an emoji a replacement saves nothing.
    [text('It’s on'), text(`It’s on 😀${'x'.repeat(80)}`), text(`It's on${'x'.repeat(80)}`)],
  ],
  'sms-counts-twice': [[text(`[${'x'.repeat(158)}]`)], [text(`[${'x'.repeat(156)}]`), text('x'.repeat(161))]],
  // Interface, smsMessage: "Personalisation is not supported in SMS messages."
  'sms-personalisation': [
    [
      text('Hi {{ field.Name | there }}'),
      text('{% if field.City %}Hi{% endif %}'),
      text('Confirm: %svc_optin%'),
    ],
    [text('50% off, 20% more'), text('{ curly }'), text('{{ never closed')],
  ],
  'sms-placeholder': [
    [
      text('Hi *|FNAME|*'),
      text('Hi [First name]'),
      text('Hi <<name>>'),
      text('TODO: write'),
      text('Hi %name%'),
    ],
    [text('Hi * | *'), text('[sic] 5% name'), text('a << b >> c; todos')],
  ],
  'sms-sender': [
    [
      sender(''),
      sender('A & B'),
      sender('Twelve Chars'),
      sender('Longer12chars'),
      sender('Café'),
      { fromaddress: '+0123' },
    ],
    [sender('Example'), sender('447700900123'), { fromaddress: '+447700900123' }, sender('12345'), {}],
  ],
  'sms-sender-national': [[sender('07700900123')], [sender('447700900123'), sender('0'), sender('Shop0')]],
  'sms-sender-country': [
    [
      { fromaddress: 'Example', msisdn: '12025550123' },
      { fromaddress: 'Example', msisdn: '+8613800138000' },
      { fromaddress: 'Example', msisdn: '6581234567' },
    ],
    [
      { fromaddress: 'Example', msisdn: '447700900123' },
      { fromaddress: '12025550100', msisdn: '12025550123' },
      // Jamaica belongs to the same numbering plan.
      { fromaddress: 'Example', msisdn: '18765550123' },
      sender('Example'),
    ],
  ],
  'sms-sender-countries': [
    [sender('Example')],
    [sender('447700900123'), { fromaddress: 'Example', msisdn: '447700900123' }, sender('A & B')],
  ],
  'sms-link-local': [
    [
      text('See http://localhost:3000/sale'),
      text('https://192.168.1.5/x'),
      text('http://[::1]/'),
      text('https://shop.local'),
      text('https://intranet/sale'),
    ],
    [text('https://shop.example.com/local'), text('https://10.example.com'), text('localhost')],
  ],
  'sms-link-http': [
    [text('See http://example.com.')],
    [text('https://example.com/?u=http:'), text('http://localhost'), text('http is a protocol')],
  ],
  'sms-opt-out': [
    [text('Sale today')],
    [
      text('Sale today. Reply STOP to end'),
      text('Sale', { subinfo: true }),
      text('Your table is ready', { msisdn: '447700900123' }),
      text(''),
      sender('Example'),
    ],
  ],
};

describe('every rule', () => {
  it('has a text that it reports and one that it does not', () => {
    expect(Object.keys(BOTH)).toEqual(SMS_RULES.map(({ rule }) => rule));
    for (const sides of Object.values(BOTH)) for (const side of sides) expect(side.length).toBeGreaterThan(0);
  });

  it.each(SMS_RULES)('$rule reports $finds', ({ rule, severity }) => {
    const [finds = [], not = []] = BOTH[rule] ?? [];
    for (const values of finds) {
      const found = lint(values).filter((each) => each.rule === rule);
      expect(found.length, JSON.stringify(values)).toBeGreaterThan(0);
      for (const each of found) {
        expect(each.severity).toBe(severity);
        expect(each.message).toMatch(/^\P{Ll}.*\.$/su);
      }
    }
    for (const values of not) expect(rulesIn(values), JSON.stringify(values)).not.toContain(rule);
  });

  it('is named in kebab-case, once, and says what to do', () => {
    expect(new Set(SMS_RULES.map(({ rule }) => rule)).size).toBe(SMS_RULES.length);
    for (const { rule, finds, instead } of SMS_RULES) {
      expect(rule).toMatch(/^sms(-[a-z0-9]+)+$/);
      expect([finds, instead].every((words) => /^[^A-Z].*[^.]$/s.test(words))).toBe(true);
    }
  });
});

describe('a finding', () => {
  it('has its file, line and column in characters, and what to write instead', () => {
    const message = `😀 first\n😀 It’s ${'x'.repeat(80)} http://example.com/a?b=1, ok. STOP`;
    const found = lintSms({ message: message.replaceAll('😀', '-') }, { file: 'sale.txt' });
    const places = found.map(({ rule, file, line, column, instead }) => ({
      rule,
      file,
      line,
      column,
      instead,
    }));
    const file = 'sale.txt';
    expect(places).toEqual([
      { rule: 'sms-parts', file, line: null, column: null, instead: null },
      {
        ...{ rule: 'sms-ucs-2', file, line: 2, column: 5 },
        instead: message.replaceAll('😀', '-').replace('’', "'"),
      },
      { rule: 'sms-costly-character', file, line: 2, column: 5, instead: "'" },
      { rule: 'sms-link-http', file, line: 2, column: 89, instead: 'https://example.com/a?b=1' },
    ]);
    // An emoji counts as one character, as in an editor.
    const [emoji] = lintSms({ message: '😀😀http://example.com STOP' }, { file }).slice(-1);
    expect(emoji).toMatchObject({ rule: 'sms-link-http', line: 1, column: 3 });
  });

  it('suggests the composed letter for a decomposed one, and changes nothing by itself', () => {
    const values = { message: 'Cafe\u0301 и\u0306 STOP' };
    const found = lint(values).filter(({ rule }) => rule === 'sms-decomposed');
    expect(found.map(({ column, instead }) => [column, instead])).toEqual([
      [4, 'é'],
      [7, 'й'],
    ]);
    expect(found[0]?.message).toBe(
      'The letter é (U+00E9) is written as U+0065 U+0301, which counts as 2. Written as one character, the letter counts as 1.',
    );
    expect(values.message).toContain('e\u0301');
  });

  it('names the characters that cost more, how often they occur, and the savings', () => {
    const message = `It’s on – it’s ${'x'.repeat(150)} STOP`;
    expect(lint({ message }).map(({ rule, message: words }) => `${rule}: ${words}`)).toEqual([
      'sms-parts: The text needs 3 parts (170 characters of UCS-2): 3 credits for each recipient.',
      'sms-ucs-2: Because of ’ (U+2019) and – (U+2013), the SMS is sent in the alphabet UCS-2, in which a part holds 70 characters instead of 160.',
      "sms-costly-character: ’ (U+2019) occurs 2 times. Replacing it with ', and the others likewise, saves 1 credit for each recipient.",
      'sms-costly-character: – (U+2013) occurs once. Replacing it with -, and the others likewise, saves 1 credit for each recipient.',
    ]);
  });

  it('names the characters if a sender is too long or has invalid ones', () => {
    const said = (name: string) => lint(sender(name)).find(({ rule }) => rule === 'sms-sender');
    expect(said('Longer12chars')?.message).toBe(
      'The sender Longer12chars has 13 characters. The maximum is 11.',
    );
    expect(said('Café')).toMatchObject({
      message: 'The sender Café contains é (U+00E9). Use only unaccented letters and digits, or a number.',
      instead: 'Cafe',
    });
    expect(said('+44 7700 900123')).toMatchObject({ instead: '447700900123' });
    expect(said('')?.message).toBe('The sender is empty.');
  });
});

describe('rules of countries', () => {
  it('are dated, and each has its source, which the finding names', () => {
    expect(COUNTRY_RULES_DATE).toMatch(/^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/);
    for (const { prefix, source } of COUNTRY_RULES) {
      expect(source).toMatch(/^https:\/\/[a-z0-9.-]+\/\S+$/);
      const [finding] = lint({ fromaddress: 'Example', msisdn: `${prefix}2025550123` });
      expect(finding).toMatchObject({ rule: 'sms-sender-country', severity: 'warning' });
      expect(finding?.message).toContain(`(as of ${COUNTRY_RULES_DATE}, ${source})`);
    }
  });

  it('are listed together, as information, if the recipients are unknown', () => {
    const found = lint(sender('Example')).filter(({ rule }) => rule === 'sms-sender-countries');
    expect(found).toHaveLength(COUNTRY_RULES.length);
    expect(found[0]?.message).toContain('If you have recipients in the United States and Canada');
  });
});

it('checks only given values, and only valid ones', () => {
  expect(lint({})).toEqual([]);
  expect(lint({ message: null, fromname: 12, subinfo: 'yes' })).toEqual([]);
});

it('checks a text of 100 kB without slowing down at brackets, stars and percent signs', () => {
  for (const opening of ['{{ ', '{% ', '*|', '[', '%', '<<', '${', 'http://'])
    expect(rulesIn(text(opening.repeat(100_000 / opening.length)))).toContain('sms-too-long');
});
