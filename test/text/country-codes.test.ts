import { expect, it } from 'vitest';
import { COUNTRY_CODES } from '../../src/kit/text/country-codes.ts';

/** Codes that ICU names and that ISO 3166-1 does not assign: reserved for others, left to users, or withdrawn. */
const NOT_ASSIGNED = {
  reserved: 'AC CP CQ DG EA EU EZ IC TA UK UN',
  'left to users': 'QO XA XB XK',
  withdrawn: 'AN BU CS DD DY FX HV NH RH SU TP VD YD YU ZR',
};

// Interface, account: "Two-character country code (ISO 3166-1 alpha-2)". ICU is the second source of the list.
it('are the codes that ICU knows, without those that are not assigned to a country', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const named = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined);
  const others = Object.values(NOT_ASSIGNED).join(' ').split(' ');
  expect(COUNTRY_CODES).toEqual(named.filter((code) => !others.includes(code)));
  expect(COUNTRY_CODES).toHaveLength(250);
});
