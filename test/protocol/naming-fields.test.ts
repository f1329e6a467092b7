/** Wire, "Vendor names": names of fields, compared with the tables of the interface. */
import { describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { checkFieldNames } from '../../src/service/protocol/naming-fields.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { transcript } from '../resources/transcript.ts';

const check = (fields: Readonly<Record<string, string>>) => () =>
  checkFieldNames(namingWithOverrides({ fields }), catalogue);

describe('valid names', () => {
  it.each([
    [{}],
    [{ enablecrm: 'enableacme' }],
    [{ enablecrm: 'enablecrm' }],
    [{ name: 'title', enablesocialnetworka: 'enablefriendface' }],
    // Two names that are swapped.
    [{ name: 'subject', subject: 'name' }],
  ])('%j', (fields) => {
    expect(check(fields)).not.toThrow();
  });

  it('can be given to every attribute of the interface', () => {
    const rows = Object.values(transcript).flatMap(({ fields }) => fields.trim().split('\n'));
    const attributes = rows.map((row) => row.split('|')[0]?.trim() ?? '');
    expect(attributes).toEqual(expect.arrayContaining(['id', 'enablesocialnetworkb', 'smsuniquebounces']));
    const fields = Object.fromEntries(attributes.map((name) => [name, `own_${name}`]));
    expect(check(fields)).not.toThrow();
  });
});

describe('invalid names', () => {
  it('include a field that does not exist: the message lists similar ones first, then all', () => {
    expect(check({ enablecmr: 'x' })).toThrow(
      expect.objectContaining({
        message: 'naming.fields: unknown attribute enablecmr',
        hint: expect.stringMatching(
          /^did you mean enablecms or enablecrm or enablesms\? attributes: .*, actiontarget, .*, website/,
        ),
      }),
    );
    expect(check({ constructor: 'x' })).toThrow('unknown attribute constructor');
  });

  it.each(['sort', 'reverse', 'count', 'start'])('include the word %s of queries', (word) => {
    expect(check({ name: word })).toThrow(
      expect.objectContaining({
        message: `naming.fields cannot rename the attribute name to ${word}: a query parameter has the name ${word}`,
        hint: 'names of query parameters: sort, reverse, count, start',
      }),
    );
  });

  it.each([
    [
      { name: 'subject' },
      'naming.fields cannot rename the attribute name to subject: emailMessage has an attribute with the name subject',
    ],
    [
      { subject: 'id' },
      'naming.fields cannot rename the attribute subject to id: account has an attribute with the name id',
    ],
    [
      { name: 'x', subject: 'x' },
      'naming.fields renames two attributes, name and subject, to the same name: x',
    ],
  ])('include two fields with one name: %j', (fields, message) => {
    expect(check(fields)).toThrow(message);
  });
});
