/** Second letters of the 249 country codes that ISO 3166-1 assigns, by first letter. */
const SECOND_LETTERS = {
  A: 'DEFGILMOQRSTUWXZ',
  B: 'ABDEFGHIJLMNOQRSTVWYZ',
  C: 'ACDFGHIKLMNORUVWXYZ',
  D: 'EJKMOZ',
  E: 'CEGHRST',
  F: 'IJKMOR',
  G: 'ABDEFGHILMNPQRSTUWY',
  H: 'KMNRTU',
  I: 'DELMNOQRST',
  J: 'EMOP',
  K: 'EGHIMNPRWYZ',
  L: 'ABCIKRSTUVY',
  M: 'ACDEFGHKLMNOPQRSTUVWXYZ',
  N: 'ACEFGILOPRUZ',
  O: 'M',
  P: 'AEFGHKLMNRSTWY',
  Q: 'A',
  R: 'EOSUW',
  S: 'ABCDEGHIJKLMNORSTVXYZ',
  T: 'CDFGHJKLMNORTVWZ',
  U: 'AGMSYZ',
  V: 'ACEGINU',
  W: 'FS',
  Y: 'ET',
  Z: 'AMW',
} as const;

/** Code of no country. ISO 3166-1 leaves it to users, and the service shows it for an account without a country. */
export const NO_COUNTRY = 'ZZ';

/** Codes that an account may have as its country, in alphabetical order. */
export const COUNTRY_CODES: readonly string[] = [
  ...Object.entries(SECOND_LETTERS).flatMap(([first, seconds]) =>
    Array.from(seconds, (second) => first + second),
  ),
  NO_COUNTRY,
];
