/** The rules of the interface that concern several attributes and need no stored data. */
import { describe, expect, it } from 'vitest';
import { METHODS, payloadAttributesFor, type Resource } from '../../src/kit/schema/resource.ts';
import { checkPayload, checkValidationRules } from '../../src/kit/schema/validator.ts';
import { catalogue, resourceNamed } from '../../src/service/resources/catalogue.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the attributes that the findings of a POST name, or [] without findings. */
const post = (name: string, body: Body): string[] => faults(name, 'POST', body);
const put = (name: string, body: Body): string[] => faults(name, 'PUT', body);

const TIMED = {
  clickAutomation: { link_id: 1, message_id: null },
  openAutomation: { message_id: 1 },
  subscriptionAutomation: { list_id: 1 },
  dateAutomation: {},
} as const;
type Kind = keyof typeof TIMED;
const KINDS = Object.keys(TIMED) as Kind[];
/** Returns a rule that breaks none of the numbered ones: `notify` may run at once. */
const rule = (kind: Kind, more: Body = {}): Body => ({
  ...TIMED[kind],
  name: 'R',
  summary: null,
  actiontype: 'notify',
  actiontarget: 'office@example.com',
  ...more,
});

describe.each(KINDS)('Automation rules, %s', (kind) => {
  it('accepts a rule that breaks none', () => {
    expect(post(kind, rule(kind))).toEqual([]);
  });

  describe('1: "actiononweekend is required when actionhour or actiontimediff is set and actiontimediff is not 0"', () => {
    it.each<readonly [string, Body, readonly string[]]>([
      ['neither set, weekend left out', {}, []],
      ['neither set, weekend true', { actiononweekend: true }, []],
      [
        'neither set, weekend false: "cannot be set to false"',
        { actiononweekend: false },
        ['actiononweekend'],
      ],
      ['timediff 0, weekend left out', { actiontimediff: 0 }, []],
      ['hour null, weekend left out', { actionhour: null }, []],
      ['hour set, weekend left out', { actionhour: '09:00:00' }, ['actiononweekend']],
      [
        'hour set, timediff 0, weekend left out',
        { actionhour: '09:00:00', actiontimediff: 0 },
        ['actiononweekend'],
      ],
      ['timediff set, weekend left out', { actiontimediff: 60 }, ['actiononweekend']],
      ['hour set, weekend false', { actionhour: '09:00:00', actiononweekend: false }, []],
      ['hour set, weekend true', { actionhour: '09:00:00', actiononweekend: true }, []],
      ['timediff set, weekend false', { actiontimediff: 60, actiononweekend: false }, []],
      [
        'both set, weekend false',
        { actiontimediff: 1440, actionhour: '09:00:00', actiononweekend: false },
        [],
      ],
    ])('%s', (_, more, expected) => {
      expect(post(kind, rule(kind, more))).toEqual(expected);
    });
  });

  describe('2, 3: offsets that an action may have', () => {
    const delayed =
      kind === 'subscriptionAutomation' ? ['copytolist', 'movetolist', 'removefromlist'] : ['addtolist'];
    const others = ['email_autoresponder', 'sms_autoresponder', 'notify'];
    const targets: Readonly<Record<string, string>> = { removefromlist: '0', notify: 'office@example.com' };
    const target = (actiontype: string): string => targets[actiontype] ?? '2';
    const withAction = (actiontype: string, actiontimediff: number): Body =>
      rule(kind, { actiontype, actiontarget: target(actiontype), actiononweekend: true, actiontimediff });

    it.each(delayed)('%s: "must be non-zero"', (actiontype) => {
      expect(post(kind, withAction(actiontype, 0))).toEqual(['actiontimediff']);
      expect(post(kind, rule(kind, { actiontype, actiontarget: target(actiontype) }))).toEqual([
        'actiontimediff',
      ]);
      expect(post(kind, withAction(actiontype, 1))).toEqual([]);
    });

    it.each(others)('%s: "Otherwise it must be 0 or greater"', (actiontype) => {
      expect(post(kind, withAction(actiontype, 0))).toEqual([]);
      expect(post(kind, withAction(actiontype, 1))).toEqual([]);
    });

    it.each([...delayed, ...others])(
      '%s before the event: only "date rules may be negative"',
      (actiontype) => {
        const expected = kind === 'dateAutomation' ? [] : ['actiontimediff'];
        expect(post(kind, withAction(actiontype, -1))).toEqual(expected);
        expect(post(kind, withAction(actiontype, -1440))).toEqual(expected);
      },
    );
  });

  describe('4: "When actionhour is set, actiontimediff must be 0 or divisible by 1440"', () => {
    it.each([
      [0, true],
      [1440, true],
      [2880, true],
      [14_400, true],
      [1, false],
      [60, false],
      [720, false],
      [1439, false],
      [1441, false],
      [86_400, true],
      [86_399, false],
    ])('%i', (actiontimediff, good) => {
      const timed = rule(kind, { actiononweekend: true, actiontimediff });
      expect(post(kind, { ...timed, actionhour: '09:00:00' })).toEqual(good ? [] : ['actiontimediff']);
      expect(post(kind, { ...timed, actionhour: null })).toEqual([]);
      expect(post(kind, timed)).toEqual([]);
    });
  });

  it('a PUT is checked only by its own attributes, so one attribute out of several breaks no rule', () => {
    for (const part of [
      { actionhour: '09:00:00' },
      { actiontimediff: 60 },
      { actiononweekend: false },
      { actiontype: 'addtolist' },
    ])
      expect(put(kind, { id: 1, ...(kind === 'subscriptionAutomation' ? { name: 'R' } : part) })).toEqual([]);
  });

  it('a PUT with enough attributes is checked', () => {
    expect(put(kind, { actionhour: '09:00:00', actiontimediff: 61 })).toEqual(['actiontimediff']);
  });

  it('rules apply to the record as it would be after the change', () => {
    const resource = declared(kind);
    const record = { ...rule(kind), actiononweekend: false, actionhour: '09:00:00', actiontimediff: 0 };
    expect(checkValidationRules(resource, record)).toEqual([]);
    expect(checkValidationRules(resource, { ...record, actionhour: null })).toMatchObject([
      { attribute: 'actiononweekend' },
    ]);
  });
});

describe('dateAutomation, rule 4', () => {
  it('"including -1440" of date rules', () => {
    const timed = rule('dateAutomation', { actiononweekend: true, actionhour: '09:00:00' });
    expect(post('dateAutomation', { ...timed, actiontimediff: -1440 })).toEqual([]);
    expect(post('dateAutomation', { ...timed, actiontimediff: -2880 })).toEqual([]);
    expect(post('dateAutomation', { ...timed, actiontimediff: -1439 })).toEqual(['actiontimediff']);
  });
});

describe('click: "only one may be non-null"; neither could match nothing', () => {
  it.each<readonly [unknown, unknown, boolean]>([
    [1, null, true],
    [null, 1, true],
    [1, 1, false],
    [null, null, false],
  ])('link_id %j, message_id %j', (link_id, message_id, good) => {
    const found = post('clickAutomation', rule('clickAutomation', { link_id, message_id }));
    expect(found.length === 0).toBe(good);
    if (!good) expect(['link_id', 'message_id']).toContain(found[0]);
  });

  it('"both required keys"', () => {
    const { link_id: _, ...noLink } = rule('clickAutomation') as Record<string, unknown>;
    expect(post('clickAutomation', noLink)).toEqual(['link_id']);
    expect(post('clickAutomation', { ...noLink, link_id: 1, message_id: undefined })).not.toEqual([]);
  });
});

describe('Automation rules 10, subscription', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['removefromlist', '0', []],
    ['removefromlist', '2', ['actiontarget']],
    ['copytolist', '2', []],
    ['copytolist', '1', ['actiontarget']],
    ['movetolist', '2', []],
    ['movetolist', '1', ['actiontarget']],
    ['email_autoresponder', '1', []],
  ])('%s of list 1 with actiontarget %j', (actiontype, actiontarget, expected) => {
    const timed = { actiontype, actiontarget, actiontimediff: 5, actiononweekend: true };
    expect(post('subscriptionAutomation', rule('subscriptionAutomation', timed))).toEqual(expected);
  });
});

describe('task: "Exactly one of list_id and search_id must be non-null"', () => {
  const task = { channel: 'email', message_id: 1, name: 'T', scheduledtime: 1_796_115_600 };
  it.each<readonly [unknown, unknown, boolean]>([
    [1, null, true],
    [null, 1, true],
    [1, 1, false],
    [null, null, false],
  ])('list_id %j, search_id %j', (list_id, search_id, good) => {
    for (const found of [
      post('task', { ...task, list_id, search_id }),
      put('task', { id: 1, list_id, search_id }),
    ]) {
      expect(found.length === 0).toBe(good);
      if (!good) expect(['list_id', 'search_id']).toContain(found[0]);
    }
  });
  it('both keys are required by POST', () => {
    expect(post('task', { ...task, list_id: 1 })).toEqual(['search_id']);
    expect(post('task', { ...task, search_id: 1 })).toEqual(['list_id']);
    expect(post('task', task).sort()).toEqual(['list_id', 'search_id']);
  });
});

describe('accountFeatures PUT: conditional settings', () => {
  it.each([
    ['enablecustommaildomain', 'custommaildomaintype', 'domain'],
    ['enablecustommaildomain', 'maildomainprimary', 'mail.example.com'],
    ['enablesendbulkemail', 'enablesplittest', true],
    ['enablesubscriberprofilefields', 'subscriberprofilefield_limit', 5],
    ['enablesms', 'enablesubscriptionmo', true],
  ])('with %s false, %s can only be null', (condition, attribute, value) => {
    const set = (body: Body): string[] => faults('accountFeatures', 'PUT', { id: 1, ...body }, 'partner');
    expect(set({ [condition]: false, [attribute]: value })).toEqual([attribute]);
    expect(set({ [condition]: false, [attribute]: null })).toEqual([]);
    expect(set({ [condition]: true, [attribute]: value })).toEqual([]);
    expect(set({ [attribute]: value })).toEqual([]);
    expect(
      checkValidationRules(declared('accountFeatures'), { [condition]: false, [attribute]: value as never }),
    ).toMatchObject([{ attribute }]);
  });

  it('accepts one without enablesubscriptionmo (wire: "The sandbox also accepts a PUT without it")', () => {
    expect(faults('accountFeatures', 'PUT', { id: 1, locked: true }, 'partner')).toEqual([]);
  });
});

describe('emailMessage: "when customoptin is set to true"', () => {
  const message = {
    fromemail: null,
    fromname: 'Us',
    name: 'N',
    replyemail: 'us@example.com',
    subject: 'S',
    customoptin: true,
  };
  const html = '<p><svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link></p>';
  const text = '<svc_name value="optin" alt="">';
  it.each([
    ['both as the document says', html, text, []],
    [
      'attributes in another order, single quotes',
      "<svc_link name='opt-in' value='%svc_optin%'>Go</svc_link>",
      "<svc_name alt='' value='optin'>",
      [],
    ],
    ['no link', '<p>Hello</p>', text, ['html']],
    ['another tag', '<a value="%svc_optin%" name="opt-in">Confirm</a>', text, ['html']],
    ['another value', '<svc_link value="%other%" name="opt-in">Confirm</svc_link>', text, ['html']],
    ['another name', '<svc_link value="%svc_optin%" name="optin">Confirm</svc_link>', text, ['html']],
    ['no link text', '<svc_link value="%svc_optin%" name="opt-in"></svc_link>', text, ['html']],
    ['a link that is not closed', '<svc_link value="%svc_optin%" name="opt-in">Confirm', text, ['html']],
    ['no element in the text', html, 'Hello', ['text']],
    ['alt that is not empty', html, '<svc_name value="optin" alt="x">', ['text']],
    ['no alt', html, '<svc_name value="optin">', ['text']],
    ['another value in the text', html, '<svc_name value="opt-in" alt="">', ['text']],
    ['neither', '<p>Hello</p>', 'Hello', ['html', 'text']],
  ])('%s', (_, htmlPart, textPart, expected) => {
    expect(post('emailMessage', { ...message, html: htmlPart, text: textPart })).toEqual(expected);
    expect(post('emailMessage', { ...message, customoptin: false, html: htmlPart, text: textPart })).toEqual(
      [],
    );
  });
});

describe('smsMessage: subinfo "adds 30 bytes to the message length"', () => {
  const message = { fromname: 'Us', name: 'N' };
  it.each([
    [429, true, []],
    [430, true, ['message']],
    [459, false, []],
    [460, false, ['message']],
    [460, true, ['message']],
  ])('%i characters, subinfo %j', (characters, subinfo, expected) => {
    expect(post('smsMessage', { ...message, subinfo, message: 'a'.repeat(characters) })).toEqual(expected);
  });
});

describe('smsAutomation rules', () => {
  const base = { keyword: null, list_id: 1, name: 'R', summary: null };
  it.each<readonly [string, Body, readonly string[]]>([
    ['neither message nor its settings', {}, []],
    ['only message_id', { message_id: 1 }, []],
    ['hour without message_id', { message_actionhour: '09:00:00' }, ['message_actionhour']],
    ['timediff without message_id', { message_actiontimediff: 60 }, ['message_actiontimediff']],
    ['weekend without message_id', { message_actiononweekend: true }, ['message_actiononweekend']],
    ['weekend false without message_id', { message_actiononweekend: false }, ['message_actiononweekend']],
    [
      'settings with message_id null',
      { message_id: null, message_actionhour: '09:00:00', message_actiontimediff: 0 },
      ['message_actionhour', 'message_actiontimediff'],
    ],
    [
      'all settings null without message_id',
      { message_actionhour: null, message_actiontimediff: null, message_actiononweekend: null },
      [],
    ],
    ['timediff 0', { message_id: 1, message_actiontimediff: 0 }, []],
    ['timediff negative', { message_id: 1, message_actiontimediff: -1 }, ['message_actiontimediff']],
    ['hour and 1440', { message_id: 1, message_actionhour: '09:00:00', message_actiontimediff: 1440 }, []],
    ['hour and 0', { message_id: 1, message_actionhour: '09:00:00', message_actiontimediff: 0 }, []],
    [
      'hour and 60',
      { message_id: 1, message_actionhour: '09:00:00', message_actiontimediff: 60 },
      ['message_actiontimediff'],
    ],
    ['weekend true with only message_id', { message_id: 1, message_actiononweekend: true }, []],
    [
      'weekend false with only message_id',
      { message_id: 1, message_actiononweekend: false },
      ['message_actiononweekend'],
    ],
    [
      'weekend false with the hour',
      { message_id: 1, message_actiononweekend: false, message_actionhour: '09:00:00' },
      [],
    ],
    [
      'weekend false with timediff',
      { message_id: 1, message_actiononweekend: false, message_actiontimediff: 60 },
      [],
    ],
  ])('%s', (_, more, expected) => {
    expect(post('smsAutomation', { ...base, ...more }).sort()).toEqual([...expected].sort());
  });
});

describe('subscriberProfileData PUT: keys "are mandatory unless id is given"', () => {
  it.each<readonly [Body, readonly string[]]>([
    [{ id: '1_2', value: 'x' }, []],
    [{ subscriber_id: 2, subscriberprofilefield_id: 1, value: 'x' }, []],
    [{ subscriber_id: 2, value: 'x' }, ['subscriberprofilefield_id']],
    [{ subscriberprofilefield_id: 1, value: 'x' }, ['subscriber_id']],
    [{ id: '1_2' }, ['value']],
  ])('%j', (body, expected) => {
    expect(put('subscriberProfileData', body)).toEqual(expected);
  });
});

describe.each(
  catalogue.flatMap((resource) =>
    (['POST', 'PUT'] as const)
      .filter((method) => (method === 'POST' ? resource.methods.post : resource.methods.put))
      .flatMap((method) => (['company', 'partner'] as const).map((as) => ({ resource, method, as }))),
  ),
)('$method $resource.name as $as', ({ resource, method, as }) => {
  const { required, optional } = payloadAttributesFor(resource, method, as);
  const taken = new Set([...required, ...optional, ...(method === 'PUT' ? ['id'] : [])]);

  it('reports every missing required attribute at once', () => {
    const found = faults(
      resource.name,
      method,
      method === 'PUT' && required.length === 0 ? { id: 1 } : {},
      as,
    );
    expect(found).toEqual(expect.arrayContaining([...required]));
    for (const attribute of found) expect(Object.keys(resource.fields)).toContain(attribute);
  });

  it('rejects read-only and unknown attributes, with the name of each (wire: "as unknown ones")', () => {
    const refused = Object.keys(resource.fields).filter((attribute) => !taken.has(attribute));
    const body = Object.fromEntries(
      [...refused, 'colour', '__proto__x'].map((attribute) => [attribute, null]),
    );
    expect(faults(resource.name, method, body, as)).toEqual(
      expect.arrayContaining([...refused, 'colour', '__proto__x']),
    );
  });

  it('accepts null exactly if the field is marked null', () => {
    for (const attribute of [...required, ...optional]) {
      const found = faults(resource.name, method, { [attribute]: null }, as);
      const field = resource.fields[attribute];
      if (!field?.nullable) expect(found).toContain(attribute);
    }
  });
});

it('METHODS are those of the document', () => {
  expect([...METHODS].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'POST', 'PUT']);
});

function faults(
  name: string,
  method: 'POST' | 'PUT',
  body: Body,
  as: 'company' | 'partner' = 'company',
): string[] {
  return checkPayload(declared(name), method, as, body).findings.map(({ attribute }) => attribute);
}

function declared(name: string): Resource {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return resource;
}
