/** Types and functions for declaring a resource: its table of fields, and the attributes that each method accepts. */
import type { Field, Scalar } from './field.ts';
import { type Id, readIdText } from './integer.ts';
import type { RuleSchema } from './json-schema.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Attributes of a resource, by their neutral names. */
export type Values = Readonly<Record<string, Scalar>>;

/** Kind of credentials that a request carries (interface, "Authentication"). */
export type AuthKind = 'company' | 'partner';

/** Attributes that the body of a POST or PUT accepts. `partner` lists additional ones for partner authentication. */
export interface Payload<A extends string = string> {
  readonly required?: readonly A[];
  readonly optional?: readonly A[];
  readonly partner?: {
    readonly required?: readonly A[];
    readonly optional?: readonly A[];
  };
}

export interface Methods<A extends string = string> {
  /** Filters of GET. `oneOf`: at least one of these filters must be present. Absent if only POST is supported. */
  readonly get?: { readonly oneOf?: readonly A[] };
  /** Attributes that HEAD accepts; `oneOf` as for get. Absent if HEAD is not supported. */
  readonly head?: {
    readonly attributes: readonly A[];
    readonly oneOf?: readonly A[];
  };
  /** Attributes of POST. `withoutCompany`: the request names neither company nor user. */
  readonly post?: Payload<A> & { readonly only?: AuthKind; readonly withoutCompany?: true };
  readonly put?: Payload<A> & { readonly only?: AuthKind };
  /** Attributes that select the records to delete. A request can combine them, unless `exclusive` is set. */
  readonly delete?: {
    readonly by: readonly A[];
    readonly exclusive?: true;
  };
}

/** One problem of a request, in words that its user knows. */
export interface Finding {
  readonly attribute: string;
  /** Words that say what is wrong with the attribute's value. */
  readonly reason: string;
  readonly value?: unknown;
  /** Advice on what to write instead. */
  readonly instead?: string | undefined;
}

/** Words that the interface uses in the content of messages. Each deployment has its own words (wire, "Vendor names"). */
export interface ContentWords {
  /** Value of the HTML attribute `value` by which a tag of the message becomes the opt-in link. */
  readonly optInTag: string;
  readonly linkElement: string;
  readonly nameElement: string;
  /** Footer that the service adds to each e-mail: an unsubscribe link and the postal address, the link alone, or nothing. */
  readonly footer: 'full' | 'link' | 'none';
}

export const NEUTRAL_WORDS: ContentWords = {
  optInTag: '%svc_optin%',
  linkElement: 'svc_link',
  nameElement: 'svc_name',
  footer: 'full',
};

/**
 * A rule that ties attributes together and needs no stored data. `check` gets the known values. For a POST, these are all attributes, and
 * an omitted one is `undefined`. For a PUT, the service passes the record as the PUT would change it. The client passes only the attributes
 * that are sent, and only if all attributes in `needs` are among them.
 */
export interface Rule<A extends string = string> {
  /** Section of the interface with the rule: 'Automation rules 4'. */
  readonly section: string;
  readonly text: string;
  readonly attributes: readonly A[];
  /** Attributes that must be known to check a partial body. Default: all `attributes`. */
  readonly needs?: readonly A[];
  /**
   * Returns the rule as JSON Schema of a body. A body matches the schema if and only if it passes `check`. Omitted if no
   * schema can express the rule.
   */
  readonly schema?: RuleSchema;
  readonly check: (
    values: Readonly<Record<string, Scalar | undefined>>,
    words: ContentWords,
  ) => Finding | undefined;
}

/** Returns the rule with its attribute names known to the compiler, so that `defineResource` can check them against the fields. */
export function defineRule<const A extends string>(rule: Rule<A>): Rule<A> {
  return rule;
}

/** Verbs that are derived from the declaration alone. */
export type ExampleVerb = 'get' | 'exists' | 'create' | 'update' | 'delete';

export interface DeleteWarning<A extends string = string> {
  /** Sentence that the help of the delete verb shows. */
  readonly about?: string;
  /**
   * Returns the end of the question before the deletion, after the title of the record. It says what is deleted with the record, or what
   * remains.
   */
  readonly consequence: (record: Readonly<Partial<Record<A, unknown>>>) => string;
}

/** Way in which `svc undo` reverts a POST or DELETE. If it is omitted, the write can't be undone. */
export interface Undo {
  /** Undo of a POST: `cancel` or `remove` the record. `never` says why it can't be undone. */
  readonly create?: 'cancel' | 'remove' | { readonly never: string };
  /** Undo of a DELETE: `add` the removed record again. */
  readonly delete?: 'add';
}

/** Declaration of a resource without its fields. `A`: names of the attributes; `N`: name of the resource. */
interface Description<A extends string, N extends string> {
  /** Name in the path. It is case-sensitive. */
  readonly name: N;
  /** Noun on the command line (contract, "Nouns and verbs"). */
  readonly noun: string;
  /** Kind of the resource, if a noun has several resources: `click` of `automation`. */
  readonly variant?: string;
  readonly describe: string;
  /** One record in the middle of a sentence, with its article: `a folder`. */
  readonly singular: string;
  /** Several records: `folders`. */
  readonly plural: string;
  readonly methods: Methods<A>;
  readonly rules?: readonly Rule<A>[];
  /** Verbs of the command line that differ from list, get, exists, create, update, delete. */
  readonly verbs?: Readonly<Partial<Record<'post' | 'put' | 'delete', string>>>;
  /** Methods that the interface announces but does not have yet. */
  readonly announced?: readonly Method[];
  /** Attribute whose exact value can name a record on the command line: `name`, `username`, `contactdata`. */
  readonly calledBy?: A;
  /**
   * Attributes that identify the record of a POST whose response was lost. The look-up filters by the
   * ones that can be filters, and compares all of them. Empty: no look-up is possible.
   */
  readonly identifiedBy: readonly A[];
  /**
   * Handling of a POST whose outcome is unknown. `note-first`: the POST reaches people, so the highest existing id is read before it. A
   * record with a lower or equal id does not count as created by the POST. `send-again`: a repeated POST is harmless, because the service
   * keeps only one record. Omitted: a record counts as created by the POST if its cdate is not before the attempt.
   */
  readonly inDoubt?: 'note-first' | 'send-again';
  readonly undo?: Undo;
  /** Order of records if a request names no sort attribute, and among equal values of that attribute. Default: `id`. */
  readonly order?: readonly A[];
  /** Attributes whose values, joined by `_`, form the id of a record. */
  readonly compositeId?: readonly A[];
  /** Working command lines by verb, without `svc`. Set where the derived command line is not clear enough. */
  readonly examples?: Readonly<Partial<Record<ExampleVerb, string>>>;
  /** Warning before a record is deleted. */
  readonly deleteWarning?: DeleteWarning<A>;
  /** Attribute by which lists show the newest records first. Without it, lists show records by ascending id. */
  readonly newestBy?: A;
  /** Sentence that says where records come from, if the interface can't create them. */
  readonly comesFrom?: string;
  /**
   * Columns of the table, most important first. The last ones are left out on a narrow terminal. `status` is a computed column, with the
   * result of `status.of`.
   */
  readonly columns: readonly (A | 'status')[];
  /** Status in one word, computed from attributes that the table then omits. */
  readonly status?: {
    readonly from: readonly A[];
    /**
     * Returns the status.
     * @param now Unix seconds by the service's clock
     */
    readonly of: (record: Readonly<Record<string, unknown>>, now: number) => string;
    /** Attributes that all records of a status have in common, by status. They are the filter of `--status`. */
    readonly common: Readonly<Record<string, Readonly<Partial<Record<A, Scalar>>>>>;
  };
  /** Set for an endpoint for partners. It needs a company id only where the interface says so. */
  readonly partnerOnly?: true;
  /** Set if each company has one record. There is no list verb. */
  readonly single?: true;
}

export interface Resource<A extends string = string, N extends string = string> extends Description<A, N> {
  readonly fields: Readonly<Record<A, Field>>;
}

/** Returns the declaration as a resource, once the compiler has checked every attribute name against its fields. */
export function defineResource<const N extends string, A extends string>(
  declaration: { readonly fields: Readonly<Record<A, Field>> } & Description<NoInfer<A>, N>,
): Resource<A, N> {
  return declaration;
}

/** Reports whether the interface has this method for the resource, for any kind of credentials. */
export function supports(resource: Resource, method: Method): boolean {
  switch (method) {
    case 'GET':
      return resource.methods.get !== undefined;
    case 'HEAD':
      return resource.methods.head !== undefined;
    case 'POST':
      return resource.methods.post !== undefined;
    case 'PUT':
      return resource.methods.put !== undefined;
    case 'DELETE':
      return resource.methods.delete !== undefined;
    default:
      return assertNever(method);
  }
}

/** Returns the attributes that a POST or PUT accepts with this kind of credentials, without the `id` of a PUT. */
export function payloadOf(
  resource: Resource,
  method: 'POST' | 'PUT',
  as: AuthKind,
): {
  readonly required: readonly string[];
  readonly optional: readonly string[];
} {
  const payload = method === 'POST' ? resource.methods.post : resource.methods.put;
  const partner = as === 'partner' ? payload?.partner : undefined;
  return {
    required: [...(payload?.required ?? []), ...(partner?.required ?? [])],
    optional: [...(payload?.optional ?? []), ...(partner?.optional ?? [])],
  };
}

/** Returns the id in `text`: a whole number, or the parts of a composite id. Returns undefined if the text is not an id. */
export function readIdOf({ compositeId }: Resource, text: string): Id | undefined {
  if (!compositeId) return readIdText(text);
  const parts = text.split('_');
  return parts.length === compositeId.length && parts.every((part) => /^[0-9]{1,40}$/.test(part))
    ? text
    : undefined;
}

/** Returns the composite id that `values` name by its parts; undefined if a part is missing. */
export function idFromKeys({ compositeId }: Resource, values: Values): string | undefined {
  const parts = compositeId?.map((name) => values[name]);
  return parts?.every((part) => part !== undefined && part !== null) ? parts.join('_') : undefined;
}

/** Returns the attributes of a table, in its order. */
export function attributesOf<A extends string>(fields: Readonly<Record<A, Field>>): readonly A[] {
  return Object.keys(fields) as A[];
}

/** Returns a field that the resource has. @throws RangeError if it has none of this name */
export function fieldOf(resource: Resource, attribute: string): Field {
  const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
  if (!field) throw new RangeError(`${resource.name} has no ${attribute}`);
  return field;
}

export function filtersOf(resource: Resource): readonly string[] {
  return Object.keys(resource.fields).filter((name) => resource.fields[name]?.filter);
}

export function sortsOf(resource: Resource): readonly string[] {
  return Object.keys(resource.fields).filter((name) => resource.fields[name]?.sort);
}

export function orderOf(resource: Resource): readonly string[] {
  return resource.order ?? ['id'];
}

export function assertNever(value: never): never {
  throw new Error(`unexpected ${String(value)}`);
}
