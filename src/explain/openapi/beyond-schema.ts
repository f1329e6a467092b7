/**
 * Lists the reasons for which the service may refuse a request with 400 although the request matches the schemas of the OpenAPI document.
 * A test with random bodies and queries checks that there are no other reasons.
 */
import type { ResourceName } from '../../resources/catalogue.ts';
import type { Resource } from '../../schema/resource.ts';
import { FORMAT_RULES_NOT_IN_SCHEMA } from '../../schema/value-schema.ts';

interface RuleBeyondSchema {
  /** Sentence for developers of a client. */
  readonly text: string;
  /** Section of the interface, or place in wire.md. */
  readonly section: string;
  readonly applies: (resource: Resource<string, ResourceName>) => boolean;
}

const hasFormat =
  (...formats: readonly string[]) =>
  ({ fields }: Resource): boolean =>
    Object.values(fields).some(({ format }) => format !== undefined && formats.includes(format));
const isNamed =
  (...names: readonly ResourceName[]) =>
  ({ name }: Resource): boolean =>
    names.some((each) => each === name);
const isTimedRule = ({ fields }: Resource): boolean => Object.hasOwn(fields, 'actiontarget');

export const RULES_NOT_IN_SCHEMA = {
  references: {
    text: 'An attribute that refers to another record, such as list_id, must have the id of an existing record of that kind.',
    section: 'wire, "a reference to what is not there"',
    applies: ({ fields }) => Object.values(fields).some(({ refersTo }) => refersTo !== undefined),
  },
  change: {
    text: 'After a PUT, the whole record must be valid: its values must match the schema for a new record.',
    section: 'Endpoints, PUT',
    applies: ({ methods, rules = [] }) => methods.put !== undefined && rules.length > 0,
  },
  sameId: {
    text: 'If both the path and the body have an id, the ids must be equal.',
    section: 'wire, "item"',
    applies: ({ methods }) => methods.put !== undefined,
  },
  octets: {
    text: 'The length of a text is counted in bytes of UTF-8.',
    section: 'Limits, Folder name',
    applies: ({ fields }) => Object.values(fields).some(({ octets }) => octets !== undefined),
  },
  smsParts: {
    text: FORMAT_RULES_NOT_IN_SCHEMA['sms-text'] ?? '',
    section: 'Limits, SMS parts',
    applies: hasFormat('sms-text'),
  },
  subinfo: {
    text: 'The text must fit into 3 SMS parts. If subinfo is true, the service adds 30 bytes to the text.',
    section: 'Limits, subinfo overhead',
    applies: isNamed('smsMessage'),
  },
  timezone: {
    text: FORMAT_RULES_NOT_IN_SCHEMA.timezone ?? '',
    section: 'account, timezone',
    applies: hasFormat('timezone'),
  },
  url: {
    text: FORMAT_RULES_NOT_IN_SCHEMA.url ?? '',
    section: 'account, website; smsAutomation, notifyurl',
    applies: hasFormat('url', 'website'),
  },
  optIn: {
    text: 'If customoptin is true, html and text must each contain an opt-in element, which the service turns into the confirmation link.',
    section: 'Content rules, customoptin',
    applies: isNamed('emailMessage'),
  },
  dynamicContent: {
    text: 'The dynamic content of html, text and subject must have no syntax error. Otherwise, the service returns 400 with subcode 11.',
    section: 'Errors, 400 subcode 11',
    applies: isNamed('emailMessage'),
  },
  sender: {
    text: 'fromemail must be a sender address of the account.',
    section: 'emailMessage, fromemail',
    applies: isNamed('emailMessage'),
  },
  otherList: {
    text: 'For copytolist and movetolist, actiontarget must be a different list from list_id.',
    section: 'Automation rules 10',
    applies: isNamed('subscriptionAutomation'),
  },
  target: {
    text: 'actiontarget must be the id of an existing list or message, depending on actiontype.',
    section: 'Automation rules 6',
    applies: isTimedRule,
  },
  oneKey: {
    text: 'A GET, HEAD or DELETE must have at least one filter.',
    section: 'Endpoints, subscriberProfileData',
    applies: isNamed('subscriberProfileData'),
  },
  exclusive: {
    text: 'DELETE takes either id or contactdata, never both.',
    section: 'Endpoints, doNotContact',
    applies: isNamed('doNotContact'),
  },
  start: {
    text: 'The query parameter start must be a valid value of the sort attribute. If a request sorts by name, start must be a name.',
    section: 'wire, "start"',
    applies: () => true,
  },
} as const satisfies Readonly<Record<string, RuleBeyondSchema>>;

/**
 * Returns the rules for requests to a resource, as sentences. Includes only rules that the schemas of the OpenAPI document cannot express.
 */
export const rulesNotInSchemaOf = (resource: Resource<string, ResourceName>): readonly string[] =>
  Object.values<RuleBeyondSchema>(RULES_NOT_IN_SCHEMA)
    .filter(({ applies }) => applies(resource))
    .map(({ text, section }) => `${text} (${section})`);
