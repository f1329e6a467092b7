/** Wire, "Vendor names": names of fields, held against the tables of the interface. */
import { describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../src/protocol/naming.ts';
import { checkFieldNames } from '../../src/protocol/naming-fields.ts';
import { catalogue } from '../../src/resources/catalogue.ts';
import { transcript } from '../resources/transcript.ts';

const check = (fields: Readonly<Record<string, string>>) => () =>
  checkFieldNames(namingWithOverrides({ fields }), catalogue);

describe('valid names', () => {
  it.each([
    [{}],
    [{ enablecrm: 'enableacme' }],
    [{ enablecrm: 'enablecrm' }],
    [{ name: 'title', enablesocialnetworka: 'enablefriendface' }],
    // Two names that are exchanged.
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
  it('of a field that does not exist: similar ones are listed first, then all', () => {
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
        message: `naming.fields.name cannot be ${word}: ${word} is a parameter of queries`,
        hint: 'words of queries: sort, reverse, count, start',
      }),
    );
  });

  it.each([
    [{ name: 'subject' }, 'naming.fields.name cannot be subject: emailMessage has an attribute of that name'],
    [{ subject: 'id' }, 'naming.fields.subject cannot be id: account has an attribute of that name'],
    [{ name: 'x', subject: 'x' }, 'naming.fields gives name and subject the same name, x'],
  ])('include two fields with one name: %j', (fields, message) => {
    expect(check(fields)).toThrow(message);
  });
});
