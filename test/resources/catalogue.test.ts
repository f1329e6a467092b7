/** Compares the catalogue with the transcript of the interface's tables, cell by cell, in both directions. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../src/kit/schema/field.ts';
import { payloadAttributesFor, type Resource, supports } from '../../src/kit/schema/resource.ts';
import { catalogue, resourceNamed } from '../../src/service/resources/catalogue.ts';
import { documented, enumValues, presenceOf, rowsOf, TIMED, words } from './read-transcript.ts';
import { automationKinds, departures } from './transcript.ts';

/** The document's names of the resources, in the order of "General conventions". */
const NAMES =
  'account, accountFeatures, user, sms, smsMessage, smsDestination, smsAutomation, emailMessage, emailMessageLink, task, folder, doNotContact, form, subscriberProfileData, clickAutomation, openAutomation, subscriptionAutomation, dateAutomation';

describe('the catalogue holds exactly the resources of the interface', () => {
  it('by their names', () => {
    expect(catalogue.map((resource) => resource.name).sort()).toEqual(words(NAMES).sort());
    expect([...documented.keys()].sort()).toEqual(words(NAMES).sort());
  });
});

describe.each([...documented])('%s: the field table', (name, table) => {
  const resource = declared(name);
  const rows = rowsOf(table.fields);

  it('has exactly the fields of the table, and those of the sample response', () => {
    const sample = Object.keys(sampleOnly(name));
    expect(Object.keys(resource.fields).sort()).toEqual([...rows.keys(), ...sample].sort());
  });

  it.each([...rows])('%s', (attribute, row) => {
    const field = fieldOf(resource, attribute);
    const enumerated = enumValues(name, attribute);
    expect({
      type: typeOf(field, enumerated !== undefined && row.type !== 'enum' ? row.type : undefined),
      F: field.filter ? 'Y' : '',
      S: field.sort ? 'Y' : '',
    }).toEqual({
      type: row.type.replace('boolean', 'bool'),
      F: isDeparture(departures.filters, name, attribute) ? 'Y' : row.F,
      S: row.S,
    });
    if (enumerated) expect(field.values).toEqual(enumerated);
    expect(catalogueWords(field)).toEqual([...words(row.words, ';'), ...boundsOf(name, attribute)].sort());
  });
});

describe('a field that only the sample response has', () => {
  it.each(
    Object.entries(departures.sampleOnly).flatMap(([name, fields]) =>
      Object.entries(fields).map(([attribute, type]) => [name, attribute, type] as const),
    ),
  )('%s.%s', (name, attribute, type) => {
    const field = fieldOf(declared(name), attribute);
    expect([typeOf(field), field.sampleOnly]).toEqual([type, true]);
    const methods = declared(name).methods;
    expect([...(methods.post?.optional ?? []), ...(methods.post?.required ?? [])]).not.toContain(attribute);
  });
});

describe.each([...documented])('%s: the methods', (name, table) => {
  const resource = declared(name);

  it('are exactly those that the document supports', () => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'] as const)
      expect([method, supports(resource, method)]).toEqual([method, table[method] !== undefined]);
    expect(supports(resource, 'GET')).toBe(true);
    expect(resource.announced ?? []).toEqual(words(table.announced ?? ''));
  });

  it('HEAD accepts the listed attributes', () => {
    expect([...(resource.methods.head?.attributes ?? [])].sort()).toEqual(words(table.HEAD ?? '').sort());
    const one = table.atLeastOne ? words(table.HEAD ?? '') : undefined;
    expect([resource.methods.head?.oneOf, resource.methods.get?.oneOf]).toEqual([one, one]);
  });

  it.each(['POST', 'PUT'] as const)(
    '%s accepts the listed attributes, from company and partner',
    (method) => {
      const presence = presenceOf(name, table, method);
      const company = payloadAttributesFor(resource, method, 'company');
      const partner = payloadAttributesFor(resource, method, 'partner');
      expect([...company.required].sort()).toEqual([...presence.required].sort());
      expect([...company.optional].sort()).toEqual([...presence.optional].sort());
      expect([...partner.required].sort()).toEqual([...presence.required].sort());
      expect([...partner.optional].sort()).toEqual([...presence.optional, ...presence.partner].sort());
    },
  );

  it('the types that presence tables repeat are those of the field', () => {
    for (const list of [table.POST?.required, table.POST?.optional, table.PUT?.optional])
      for (const [, attribute = '', type = ''] of (list ?? '').matchAll(/([a-z_]+) \(([a-z/]+)\)/g))
        expect([attribute, typeOf(fieldOf(resource, attribute))]).toEqual([attribute, type]);
  });

  it('DELETE accepts the attributes that name what to delete', () => {
    expect([...(resource.methods.delete?.by ?? [])].sort()).toEqual(words(table.DELETE ?? '').sort());
    expect(resource.methods.delete?.exclusive).toBe(table.exclusive);
  });
});

describe('per kind of authentication', () => {
  it('"POST, PUT, DELETE: unsupported for company auth" of account; accountFeatures is partner-auth', () => {
    expect(declared('account').methods.post?.only).toBe('partner');
    expect(declared('accountFeatures').methods.put?.only).toBe('partner');
    expect(catalogue.filter((resource) => resource.partnerOnly).map((resource) => resource.name)).toEqual([
      'accountFeatures',
    ]);
    expect(
      catalogue
        .filter((resource) => resource.methods.post?.only ?? resource.methods.put?.only)
        .map((resource) => resource.name),
    ).toEqual(['account', 'accountFeatures']);
  });
});

describe('per-kind differences of automation rules', () => {
  it.each(TIMED)('%s: actiontype values and the unit of actiontimediff', (kind) => {
    const resource = declared(kind);
    expect([...(fieldOf(resource, 'actiontype').values ?? [])].sort()).toEqual(
      words(automationKinds[kind].actiontype).sort(),
    );
    expect(fieldOf(resource, 'actiontimediff').unit).toBe(automationKinds[kind].unit);
  });

  it('message_actiontimediff of smsAutomation is an "Offset in seconds"', () => {
    expect(fieldOf(declared('smsAutomation'), 'message_actiontimediff').unit).toBe('seconds');
  });
});

// Contract: "References to a resource that has a name take an id or an exact name".
it('a field that refers to a resource with names can be given by a name, and no other field', () => {
  const hasNames = (name: string): boolean =>
    name === 'message' || resourceNamed(name)?.calledBy !== undefined;
  const fields = catalogue.flatMap(({ name, fields }) =>
    Object.entries(fields).map(([attribute, field]) => ({ at: `${name}.${attribute}`, field })),
  );
  const wanted = fields.filter(({ field: { refersTo } }) => refersTo !== undefined && hasNames(refersTo));
  expect(fields.filter(({ field }) => field.byName).map(({ at }) => at)).toEqual(wanted.map(({ at }) => at));
  expect(wanted.length).toBeGreaterThan(5);
});

describe('names are "case-sensitive as written"', () => {
  it.each(['Account', 'accountfeatures', 'SMS', 'smsmessage', 'donotcontact', ''])(
    '%j is not a name',
    (name) => {
      expect(resourceNamed(name)).toBeUndefined();
    },
  );
});

function declared(name: string): Resource {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return resource;
}

function fieldOf(resource: Resource, attribute: string): Field {
  const field = resource.fields[attribute];
  if (!field) throw new Error(`${resource.name} has no ${attribute}`);
  return field;
}

/** Returns the type as the tables write it. `as` is the base type that the table writes for an enumerated type. */
function typeOf(field: Field, as?: string): string {
  if (as !== undefined) {
    const base = typeof field.values?.[0] === 'number' ? 'int' : 'string';
    return base + (field.nullable ? '/null' : '');
  }
  return field.kind + (field.nullable ? '/null' : '');
}

/** Returns default, bounds and marks in the words of the tables. */
function catalogueWords(field: Field): readonly string[] {
  return [
    ...('default' in field ? [`default ${field.default}`] : []),
    ...(field.min === 1 ? ['minimum 1'] : []),
    ...(field.writeOnly ? ['write-only'] : []),
    ...(field.deprecated ? ['deprecated'] : []),
  ].sort();
}

const boundsOf = (name: string, attribute: string): readonly string[] => {
  const bounds: Readonly<Record<string, Readonly<Record<string, string>>>> = departures.bounds;
  return words(bounds[name]?.[attribute] ?? '', ';');
};

const isDeparture = (
  list: Readonly<Record<string, readonly string[]>>,
  name: string,
  attribute: string,
): boolean => list[name]?.includes(attribute) ?? false;

const sampleOnly = (name: string): Readonly<Record<string, string>> =>
  (departures.sampleOnly as Readonly<Record<string, Readonly<Record<string, string>>>>)[name] ?? {};
