/** Interface, "Limits", and the rows of wire.md that define the exact limits: values at, below and above each. */
import { describe, expect, it } from 'vitest';
import { checkValue } from '../../src/kit/schema/validator.ts';
import { resourceNamed } from '../../src/service/resources/catalogue.ts';

/** Returns GSM text of this many characters. */
const gsm = (characters: number): string => 'a'.repeat(characters);
/** Returns text outside the GSM alphabet. */
const ucs2 = (characters: number): string => 'я'.repeat(characters);

const limits: readonly {
  readonly says: string;
  readonly of: readonly string[];
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}[] = [
  {
    says: 'Folder name: 1 to 40 octets',
    of: ['folder.name'],
    takes: ['x', 'x'.repeat(39), 'x'.repeat(40), 'é'.repeat(20), '😀'.repeat(10)],
    refuses: ['', 'x'.repeat(41), `${'é'.repeat(20)}x`, '😀'.repeat(11), null, 7],
  },
  {
    says: 'smsDestination keyword: 4 to 64 characters, no spaces; string/null',
    of: ['smsDestination.keyword'],
    takes: ['word', 'WORD', 'x'.repeat(63), 'x'.repeat(64), null],
    refuses: ['', 'abc', 'x'.repeat(65), 'two words', 'tab\tbed', ' word', 1234],
  },
  {
    says: 'smsAutomation keyword: 1 to 32 alphanumeric characters; string/null',
    of: ['smsAutomation.keyword'],
    takes: ['a', 'STOP1', 'x'.repeat(32), null],
    refuses: ['', 'x'.repeat(33), 'a b', 'a-b', 'é', 5],
  },
  {
    says: 'SMS sender: 11 alphanumeric characters or an MSISDN ([1-9][0-9]{6,14}, a leading + taken)',
    of: ['sms.fromaddress', 'smsMessage.fromname'],
    takes: ['a', 'ElevenChars', '447700900123', '+447700900123', '123456789012345'],
    refuses: ['', 'TwelveChars1', 'a b', 'a.b', 'é', '1234567890123456', '+44', null],
  },
  {
    says: 'MSISDN: [1-9][0-9]{6,14}, a leading + taken',
    of: ['sms.msisdn'],
    takes: ['1234567', '447700900123', '+447700900123', '123456789012345'],
    refuses: [
      '',
      '123456',
      '1234567890123456',
      '0447700900',
      '+0447700900',
      '44 (0)7700 900123',
      'abc',
      null,
    ],
  },
  {
    says: 'SMS parts: 160, 306, 459 GSM characters; outside the alphabet 70, then 67 a part; over 3 parts 400; empty 400',
    of: ['sms.message', 'smsMessage.message'],
    takes: [
      gsm(1),
      gsm(160),
      gsm(161),
      gsm(306),
      gsm(307),
      gsm(459),
      ucs2(70),
      ucs2(71),
      ucs2(201),
      '€'.repeat(228),
    ],
    refuses: ['', gsm(460), ucs2(202), '€'.repeat(229), null],
  },
  {
    says: 'Email text line: 1000 octets including CR LF, counted in Windows-1252, a lone LF as CR LF',
    of: ['emailMessage.text'],
    takes: [
      `${'x'.repeat(998)}\r\nnext`,
      `${'é'.repeat(998)}\r\nnext`,
      `${'x'.repeat(998)}\nnext`,
      `${'x'.repeat(998)}\r\n`.repeat(3),
    ],
    refuses: [
      `${'x'.repeat(999)}\r\nnext`,
      `${'x'.repeat(999)}\nnext`,
      `short\r\n${'€'.repeat(999)}\r\nnext`,
    ],
  },
  {
    says: 'html, text and subject are converted to the Windows-1252 character set',
    of: ['emailMessage.html', 'emailMessage.text', 'emailMessage.subject'],
    takes: ['plain', 'é ü ß €', '“quoted” – ™'],
    refuses: ['a → b', 'я', '😀', '\u0081', '\u009d'],
  },
  {
    says: 'Password: at least seven characters with letters and numbers; string/null',
    of: ['user.password'],
    takes: ['abcdef1', '1234567a', 'a longer one 1', 'é123456', 'пароль1', 'abcdef٣', null],
    refuses: ['!!!!!!1', 'пароль!', 'abcde1', 'abcdefg', '1234567', '', 1234567],
  },
  {
    says: 'actionhour: format HH:00:00; string/null',
    of: [
      'clickAutomation.actionhour',
      'openAutomation.actionhour',
      'subscriptionAutomation.actionhour',
      'dateAutomation.actionhour',
      'smsAutomation.message_actionhour',
    ],
    takes: ['00:00:00', '09:00:00', '23:00:00', null],
    refuses: ['24:00:00', '9:00:00', '09:30:00', '09:00:01', '09:00', '', 9],
  },
  {
    says: 'subscriber_limit: int/null; minimum 1',
    of: ['account.subscriber_limit', 'accountFeatures.subscriber_limit'],
    takes: [1, 2, null],
    refuses: [0, -1, 1.5, '1', true],
  },
  {
    says: 'limits that may be null: null means unlimited',
    of: [
      'account.automation_limit',
      'account.search_limit',
      'account.smsautomation_limit',
      'account.subscriberprofileattribute_limit',
      'accountFeatures.automation_limit',
      'accountFeatures.search_limit',
      'accountFeatures.smsautomation_limit',
      'accountFeatures.subscriberprofilefield_limit',
    ],
    takes: [0, 1, 1_000_000, null],
    refuses: [-1, 0.5, '5'],
  },
  {
    says: 'list_limit and user_limit are int, not int/null',
    of: [
      'account.list_limit',
      'account.user_limit',
      'accountFeatures.list_limit',
      'accountFeatures.user_limit',
    ],
    takes: [0, 200],
    refuses: [null, -1, 1.5, '200'],
  },
  {
    says: 'Task rate: optional maximum messages per hour; int/null',
    of: ['task.rate'],
    takes: [1, 3600, null],
    refuses: [0, -1, 2.5, '60'],
  },
  {
    says: 'country: two-character country code (ISO 3166-1 alpha-2)',
    of: ['account.country'],
    takes: ['GB', 'AU'],
    refuses: ['G', 'GBR', 'G1', 44, 'gb', 'AB', 'QQ', 'UK', 'EU', 'SU'],
  },
  {
    says: 'website: full URL starting with http; string/null',
    of: ['account.website'],
    takes: ['http://example.com', 'https://example.com/', null],
    refuses: ['example.com', 'ftp://example.com', 'http://', 'javascript:alert(1)'],
  },
  {
    says: 'timezone: TZ-format zone name',
    of: ['account.timezone', 'accountFeatures.timezone'],
    takes: ['Europe/London', 'Australia/Sydney', 'UTC'],
    refuses: ['London', 'Europe/Nowhere', '+01:00', '', null],
  },
  {
    says: 'contactdata: an email address, a domain name or an MSISDN',
    of: ['doNotContact.contactdata'],
    takes: ['someone@example.com', 'example.com', '447700900123', '+447700900123'],
    refuses: ['', 'someone', 'someone@', 'a b@example.com', '123', null, 447700900123],
  },
  {
    says: 'timestamps are Unix timestamps in seconds',
    of: ['task.scheduledtime', 'sms.senddate'],
    takes: [0, 1_796_115_600, 1_796_115_600.5],
    refuses: [-1, 1_796_115_600_000, '1796115600', '2026-12-01T09:00:00Z'],
  },
  {
    says: 'notifyurl receives an HTTP GET; string/null',
    of: ['smsAutomation.notifyurl'],
    takes: ['http://127.0.0.1/hook', 'https://example.com/hook?x=1', null],
    refuses: ['example.com/hook', 'ftp://example.com', 'file:///etc/passwd', ''],
  },
  {
    says: 'editor: 1 = HTML input, 2 = Classic Editor, 3 = Campaign Designer, 4 = Email Editor',
    of: ['emailMessage.editor'],
    takes: [1, 2, 3, 4],
    refuses: [0, 5, '1', null],
  },
  {
    says: 'custommaildomaintype: fixed_email or domain; string/null',
    of: ['accountFeatures.custommaildomaintype'],
    takes: ['fixed_email', 'domain', null],
    refuses: ['other', '', 1],
  },
];

describe.each(limits)('$says', ({ of, takes, refuses }) => {
  describe.each(of)('%s', (path) => {
    it.each(takes.map((value) => [brief(value), value]))('accepts %s', (_, value) => {
      expect(check(path, value)).toHaveProperty('value');
    });
    it.each(refuses.map((value) => [brief(value), value]))('rejects %s', (_, value) => {
      const attribute = path.split('.')[1];
      expect(check(path, value)).toMatchObject({ finding: { attribute } });
    });
  });
});

describe('the stored form of values', () => {
  it.each([
    ['sms.msisdn', '+447700900123', '447700900123'],
    ['sms.fromaddress', '+447700900123', '447700900123'],
    ['doNotContact.contactdata', '+447700900123', '447700900123'],
    ['doNotContact.contactdata', 'Someone@Example.COM', 'someone@example.com'],
    ['doNotContact.contactdata', 'Example.COM', 'example.com'],
  ])('%s: %s is stored as %s', (path, given, kept) => {
    expect(check(path, given)).toEqual({ value: kept });
  });
});

describe('the text of a refusal', () => {
  it('names the characters that do not fit Windows-1252 and their places', () => {
    const { reason } = findingOf('emailMessage.text', 'fits\r\nnot → here');
    expect(reason).toContain('→');
    expect(reason).toContain('2:5');
  });

  it('never repeats a password', () => {
    expect(JSON.stringify(check('user.password', 'secret'))).not.toContain('secret');
  });
});

function check(path: string, value: unknown) {
  const [name = '', attribute = ''] = path.split('.');
  const field = resourceNamed(name)?.fields[attribute];
  if (!field) throw new Error(`no field ${path}`);
  return checkValue(attribute, field, value);
}

function findingOf(path: string, value: unknown) {
  const result = check(path, value);
  if ('value' in result) throw new Error(`${path} takes it`);
  return result.finding;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 12)}… of ${String(value).length}`;
}
