import { isSmsSender, normaliseMsisdn, readUrl } from '../../kit/text/address.ts';
import { MAX_SMS_PARTS, measureSms, type SmsMeasure } from '../../kit/text/gsm.ts';
import {
  type CheaperText,
  type CostlyCharacter,
  costlyPlaces,
  describeReplacement,
  formatCharacterWithCode,
  formatCodePoints,
  formatOccurrences,
  joinFirstFive,
} from '../../kit/text/sms-characters.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import type { LintRule } from './finding.ts';
import { COUNTRY_RULES, COUNTRY_RULES_DATE, type CountryRule, countryRuleFor } from './sms-countries.ts';

interface SmsCheck extends LintRule {
  readonly check: (sms: SmsToCheck) => readonly SmsFinding[];
}

export interface SmsToCheck {
  readonly text: string | undefined;
  readonly extraOctets: number;
  readonly sender: string | undefined;
  readonly msisdn: string | undefined;
  readonly isSingle: boolean;
  readonly hasSubinfo: boolean;
  readonly measure: SmsMeasure;
  readonly costly: readonly CostlyCharacter[];
  readonly cheaper: CheaperText | undefined;
}

interface SmsFinding {
  readonly message: string;
  readonly at?: number;
  readonly instead?: string | null;
}

export const SMS_CHECKS: readonly SmsCheck[] = [
  {
    rule: 'sms-empty',
    severity: 'error',
    finds: 'the text is empty or has only spaces',
    instead: 'write a text',
    check: ({ text }) => (text?.trim() === '' ? [{ message: 'The text is empty.' }] : []),
  },
  {
    rule: 'sms-too-long',
    severity: 'error',
    finds: `the text needs more than ${MAX_SMS_PARTS} parts, including the unsubscribe text that subinfo adds`,
    instead: 'shorten the text, or use only the GSM alphabet',
    check: ({ measure, cheaper }) =>
      measure.parts > MAX_SMS_PARTS
        ? [
            {
              message: `The text needs ${partsOf(measure)}. The maximum is ${MAX_SMS_PARTS}.`,
              instead: cheaper && cheaper.measure.parts <= MAX_SMS_PARTS ? cheaper.text : null,
            },
          ]
        : [],
  },
  {
    rule: 'sms-parts',
    severity: 'info',
    finds: 'the text needs 2 or 3 parts. Each part costs a credit for every recipient',
    instead: 'shorten the text to one part if you can',
    check: ({ measure }) =>
      measure.parts > 1 && measure.parts <= MAX_SMS_PARTS
        ? [{ message: `The text needs ${partsOf(measure)}: ${measure.credits} credits for each recipient.` }]
        : [],
  },
  {
    rule: 'sms-ucs-2',
    severity: 'info',
    finds: 'the text has characters outside the GSM alphabet, so a part holds 70 characters instead of 160',
    instead: 'use characters of the GSM alphabet where possible',
    check: ({ text, measure, costly, cheaper }) => {
      if (text === undefined || measure.alphabet === 'GSM') return [];
      const [first] = costlyPlaces(text);
      const named = joinFirstFive(costly.map(({ character }) => formatCharacterWithCode(character)));
      const message = `Because of ${named}, the SMS is sent in the alphabet UCS-2, in which a part holds 70 characters instead of 160.`;
      const serves = cheaper?.measure.alphabet === 'GSM' ? cheaper.text : null;
      return [{ message, ...(first ? { at: first.at } : {}), instead: serves }];
    },
  },
  {
    rule: 'sms-decomposed',
    severity: 'warning',
    finds: 'the text has a letter with a separate accent character (not NFC), which takes more space',
    instead: 'write letter and accent together as one character, such as é',
    check: ({ costly, text }) => {
      const composed = costly
        .filter(({ character }) => isDecomposed(character))
        .map((each) => ({ ...each, instead: each.character.normalize('NFC') }));
      return placesOf(
        text,
        composed,
        ({ character, instead }) =>
          `The letter ${formatCharacterWithCode(instead)} is written as ${formatCodePoints(character)}, which counts as ${character.length}. Written as one character, the letter counts as ${instead.length}.`,
      );
    },
  },
  {
    rule: 'sms-costly-character',
    severity: 'warning',
    finds:
      'the text has a character outside the GSM alphabet, although a similar character would cost fewer credits',
    instead: 'use the similar character that svc shows',
    check: ({ text, costly, cheaper, measure }) => {
      if (measure.alphabet === 'GSM' || !cheaper || cheaper.saves === 0) return [];
      const saved = formatCountWithNoun(cheaper.saves, 'credit');
      return placesOf(
        text,
        costly.filter(({ character }) => !isDecomposed(character)).flatMap(servedFor),
        ({ character, count, instead }) =>
          `${formatCharacterWithCode(character)} occurs ${formatOccurrences(count)}. Replacing it with ${describeReplacement(character, instead)}${costly.length > 1 ? ', and the others likewise,' : ''} saves ${saved} for each recipient.`,
      );
    },
  },
  {
    rule: 'sms-counts-twice',
    severity: 'info',
    finds: 'the text has characters that count twice in the GSM alphabet and so add a part',
    instead: 'use other characters, such as ( and ) for [ and ]',
    check: ({ text, measure, costly, extraOctets }) => {
      if (text === undefined || measure.alphabet === 'UCS-2' || costly.length === 0) return [];
      const twice = costly.reduce((sum, { count }) => sum + count, 0);
      if (measureSms('x'.repeat(measure.characters), extraOctets).parts === measure.parts) return [];
      const named = joinFirstFive(costly.map(({ character }) => formatCharacterWithCode(character)));
      return placesOf(
        text,
        costly.slice(0, 1),
        () => `These characters count twice and add a part to the text: ${named} (${twice} in all).`,
      );
    },
  },
  {
    rule: 'sms-personalisation',
    severity: 'error',
    finds:
      'the text has personalisation ({{ field.City }}, {% if %}, %svc_optin%), which the service does not replace in SMS',
    instead: 'use the same text for everyone, or send e-mail',
    check: ({ text = '' }) =>
      matches(text, PERSONALISATION).map(({ word, at }) => ({
        at,
        message: `The service does not replace ${shortened(word)}: recipients see it as it is, because SMS messages do not support personalisation.`,
      })),
  },
  {
    rule: 'sms-placeholder',
    severity: 'warning',
    finds: 'the text has a placeholder that was not replaced (*|NAME|*, [First name], <<name>>, TODO)',
    instead: 'replace the placeholder with text',
    check: ({ text = '' }) =>
      matches(text, PLACEHOLDER).map(({ word, at }) => ({
        at,
        message: `${shortened(word)} looks like a placeholder. Recipients would see it as it is.`,
      })),
  },
  {
    rule: 'sms-sender',
    severity: 'error',
    finds: 'the sender has a wrong format: it must be a number, or 1 to 11 unaccented letters and digits',
    instead: 'use up to 11 letters and digits, or a number in international form',
    check: ({ sender }) => {
      if (sender === undefined || isSmsSender(sender)) return [];
      const number = normaliseMsisdn(sender);
      const bare = sender.normalize('NFD').replace(/[^A-Za-z0-9]/g, '');
      return [{ message: faultOfSender(sender), instead: number ?? (isSmsSender(bare) ? bare : null) }];
    },
  },
  {
    rule: 'sms-sender-national',
    severity: 'warning',
    finds: 'the sender is a number that begins with 0, so people abroad cannot reply',
    instead: 'use the number with its country code, such as 447700900123',
    check: ({ sender }) =>
      sender !== undefined && /^0[0-9]{5,10}$/.test(sender)
        ? [{ message: `The sender ${sender} is a number without a country code.` }]
        : [],
  },
  {
    rule: 'sms-sender-country',
    severity: 'warning',
    finds: 'the sender has letters, but the country of the recipient does not show such senders',
    instead: 'use a number as the sender, or register the sender in that country',
    check: ({ sender, msisdn }) => {
      const rule = msisdn !== undefined && isOfLetters(sender) ? countryRuleFor(msisdn) : undefined;
      return rule ? [{ message: `In ${rule.country}, ${ruleWords(rule)}`, instead: rule.instead }] : [];
    },
  },
  {
    rule: 'sms-sender-countries',
    severity: 'info',
    finds: `the sender has letters, and some countries do not show such senders (as of ${COUNTRY_RULES_DATE})`,
    instead: 'check whether you have recipients in one of these countries',
    check: ({ sender, msisdn }) =>
      msisdn === undefined && isOfLetters(sender)
        ? COUNTRY_RULES.map((rule) => ({
            message: `If you have recipients in ${rule.country}, ${ruleWords(rule)}`,
            instead: rule.instead,
          }))
        : [],
  },
  {
    rule: 'sms-link-local',
    severity: 'error',
    finds: 'the text has a link to localhost or to an address in a private network',
    instead: 'use an address that recipients can open',
    check: ({ text = '' }) =>
      linksIn(text).flatMap(({ word, at, url }) =>
        isLocal(url.hostname) ? [{ at, message: `Recipients cannot open ${shortened(word)}.` }] : [],
      ),
  },
  {
    rule: 'sms-link-http',
    severity: 'warning',
    finds: 'the text has a link that uses http instead of https',
    instead: 'use https',
    check: ({ text = '' }) =>
      linksIn(text).flatMap(({ word, at, url }) =>
        url.protocol === 'http:' && !isLocal(url.hostname)
          ? [
              {
                at,
                message: `The link ${shortened(word)} uses http. Others can read and change the page in transit.`,
                instead: word.replace(/^http:/i, 'https:'),
              },
            ]
          : [],
      ),
  },
  {
    rule: 'sms-opt-out',
    severity: 'info',
    finds: 'a message to many recipients does not say how to opt out',
    instead: 'set subinfo, or add a phrase such as "Stop: reply STOP"',
    check: ({ text, isSingle, hasSubinfo }) =>
      text === undefined || text.trim() === '' || isSingle || hasSubinfo || OPT_OUT.test(text)
        ? []
        : [{ message: 'The text does not say how recipients can opt out.' }],
  },
];

function placesOf<T extends CostlyCharacter>(
  text: string | undefined,
  characters: readonly T[],
  say: (character: T) => string,
): readonly SmsFinding[] {
  if (text === undefined || characters.length === 0) return [];
  const first = new Map<string, number>();
  for (const { character, at } of costlyPlaces(text)) if (!first.has(character)) first.set(character, at);
  return characters.map((each) => {
    const at = first.get(each.character);
    return { message: say(each), ...(at === undefined ? {} : { at }), instead: each.instead };
  });
}

const servedFor = (each: CostlyCharacter): readonly (CostlyCharacter & { readonly instead: string })[] =>
  each.instead === null ? [] : [{ ...each, instead: each.instead }];

const isDecomposed = (character: string): boolean => character.normalize('NFC').length < character.length;

const partsOf = ({ parts, septets, alphabet }: SmsMeasure): string =>
  `${parts} parts (${septets} characters of ${alphabet})`;

const MAX_SHOWN_LENGTH = 60;
const shortened = (word: string): string =>
  word.length > MAX_SHOWN_LENGTH ? `${word.slice(0, MAX_SHOWN_LENGTH)}…` : word;

function faultOfSender(sender: string): string {
  if (sender === '') return 'The sender is empty.';
  const outside = [...new Set(sender.replace(/[A-Za-z0-9]/g, ''))];
  if (outside.length === 0)
    return `The sender ${shortened(sender)} has ${sender.length} characters. The maximum is 11.`;
  return `The sender ${shortened(sender)} contains ${joinFirstFive(outside.map(formatCharacterWithCode))}. Use only unaccented letters and digits, or a number.`;
}

const isOfLetters = (sender: string | undefined): sender is string =>
  sender !== undefined && isSmsSender(sender) && /[A-Za-z]/.test(sender);

const ruleWords = ({ rule, source }: CountryRule): string =>
  `${rule} (as of ${COUNTRY_RULES_DATE}, ${source}).`;

interface Match {
  readonly word: string;
  readonly at: number;
}

const matches = (text: string, pattern: RegExp): readonly Match[] =>
  Array.from(text.matchAll(pattern), (match) => ({ word: match[0], at: match.index }));

// These are bounded, so that no text makes the search slow. src/service/protocol/README.md, "Dynamic content", has the tags of an e-mail.
const PERSONALISATION = /\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{0,200}%\}|%svc_[a-z]{1,40}%/g;
const PLACEHOLDER =
  /\*\|[A-Za-z0-9_:.-]{1,60}\|\*|<<[A-Za-z0-9_](?:[A-Za-z0-9_ .-]{0,58}[A-Za-z0-9_])?>>|\$\{[^{}\n]{0,200}\}|\[(?:[A-Za-z]{1,20}[ _-]?)?name\]|%(?:[a-z]{1,20}[_-]?)?name%|\bTODO\b|\blorem ipsum\b/gi;
const LINK = /\bhttps?:\/\/[^\s<>"']{1,2000}/gi;
const OPT_OUT =
  /\b(?:stop|unsub(?:scribe)?|opt[ -]?out|abmelden|abbestellen|d[ée]sabonner|desinscription|cancelar|baja|disiscriv\w*|afmelden|avsluta|afmeld)\b/iu;

interface Link extends Match {
  readonly url: URL;
}

function linksIn(text: string): readonly Link[] {
  return matches(text, LINK).flatMap(({ word: found, at }) => {
    // Punctuation that ends the sentence is not part of the address.
    const word = found.replace(/[.,;:!?)\]}]+$/, '');
    const url = readUrl(word);
    return url ? [{ word, at, url }] : [];
  });
}

const LOCAL =
  /^(?:localhost|.*\.(?:localhost|local|internal|test|invalid)|(?:127|10)(?:\.[0-9]+){3}|(?:192\.168|172\.(?:1[6-9]|2[0-9]|3[01])|169\.254)(?:\.[0-9]+){2}|0\.0\.0\.0|\[::1?\]|\[f[cd].*|\[fe80:.*)$/;

/**
 * Reports whether a host is local, by its name alone. `URL` has already normalised IPv4 numbers. A name without a dot belongs to a private
 * network.
 */
const isLocal = (host: string): boolean => LOCAL.test(host) || !/[.:]/.test(host);
