import { truncateText } from '../../kit/text/words.ts';

export interface SecretRedactor {
  readonly redact: (text: string) => string;
  /** Ignores undefined and very short texts. */
  readonly hide: (secrets: readonly (string | undefined)[]) => void;
  /** Registers an API key, even if it is very short. */
  readonly hideKey: (key: string) => void;
}

/** Redacting a word of two letters would make every text unreadable and keep no secret. */
const SHORTEST_SECRET = 4;

export function createSecretRedactor(initialSecrets: readonly (string | undefined)[]): SecretRedactor {
  const secrets = new Set<string>();
  // Building a redactor takes longer than using it, and every line of the journal is redacted several times.
  let redactor: ((text: string) => string) | undefined;
  const add = (secret: string): void => {
    if (secrets.has(secret)) return;
    secrets.add(secret);
    redactor = undefined;
  };
  const hide = (more: readonly (string | undefined)[]): void => {
    for (const each of more) if (each !== undefined && each.length >= SHORTEST_SECRET) add(each);
  };
  hide(initialSecrets);
  return {
    redact: (text) => {
      redactor ??= createRedactor([...secrets]);
      return redactor(text);
    },
    hide,
    hideKey: add,
  };
}

/** Finds secrets in any case of letters (acceptance, S1): as they are, as in JSON, percent-encoded, in hexadecimal and in base64. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  if (forms.length === 0) return (text) => text;
  // Longest first; otherwise a short form would leave the end of a longer one visible.
  forms.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(patternOf).join('|'), 'gi');
  return (text) => text.replace(pattern, '[redacted]');
}

function formsOf(wholeSecret: string): readonly string[] {
  // `patternOf` uses only the beginning of a long form. Every form of this beginning is still a long form.
  const secret = wholeSecret.slice(0, 2 * MAX_PATTERN_LENGTH);
  const octets = Buffer.from(secret, 'utf8');
  const hex = octets.toString('hex');
  const percent = percentEncoded(octets);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.replace(/../g, '%$&'),
    percent,
    percent.replaceAll('%20', '+'),
    ...base64Forms(octets),
  ];
}

/** For a long form, matches its beginning, and up to the next space. */
function patternOf(form: string): string {
  const beginning = form.slice(0, MAX_PATTERN_LENGTH).replace(/[^A-Za-z0-9]/g, escapeUnit);
  return form.length > MAX_PATTERN_LENGTH ? `${beginning}\\S*` : beginning;
}

const MAX_PATTERN_LENGTH = 1000;

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function percentEncoded(octets: Buffer): string {
  return Array.from(octets, (octet) => {
    const character = String.fromCharCode(octet);
    return /[A-Za-z0-9._~-]/.test(character)
      ? character
      : `%${octet.toString(16).padStart(2, '0').toUpperCase()}`;
  }).join('');
}

/** The secret may begin at each octet of a group of three, so characters that depend on the octets around it are omitted. */
function base64Forms(octets: Buffer): readonly string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), octets])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + octets.length) * 4) / 3));
    return before === 0 ? [whole, inner] : [inner];
  });
  const telling = forms.filter((form) => form.length >= SHORTEST_BASE64);
  return telling.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** Shorter forms would match ordinary words. */
const SHORTEST_BASE64 = 6;

/** Shortens the words of a command line as `shortenValue` does. @param redact removes secrets from them as it did from the text */
export function createArgumentShortener(
  argv: readonly string[],
  redact: (text: string) => string,
): (text: string) => string {
  const long = argv
    .flatMap((word) => [word, word.replace(/^[^=]*=/, '')])
    .filter((word) => word.length > MAX_VALUE_LENGTH)
    .map(redact);
  return (text) => long.reduce((rest, word) => rest.replaceAll(word, () => shortenValue(word)), text);
}

export const shortenValue = (text: string): string =>
  text.length <= MAX_VALUE_LENGTH ? text : truncateText(text, 41);

const MAX_VALUE_LENGTH = 200;
