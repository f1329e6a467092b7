/** Types and functions for declaring a resource: its table of fields, and the attributes that each method accepts. */
import type { Field, Format, Scalar } from './field.ts';
import { type Id, readIdText } from './integer.ts';
import type { Phrase, Reason } from './reason.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Values of attributes. The keys are the interface's names of the attributes, not the deployment's names. */
export type Values = Readonly<Record<string, Scalar>>;

/** Kind of credentials that a request carries (interface, "Authentication"). */
export type AuthKind = 'company' | 'partner';

/** Attributes that the body of a POST or PUT accepts. `partner` lists additional attributes that only a partner may send. */
interface PayloadAttributes<A extends string = string> {
  readonly required?: readonly A[];
  readonly optional?: readonly A[];
  readonly partner?: {
    readonly required?: readonly A[];
    readonly optional?: readonly A[];
  };
}

/** HTTP methods of a resource, each with the attributes that it accepts. */
export interface Methods<A extends string = string> {
  /** Set if GET is supported. `oneOf`: a GET must have at least one of these filters. */
  readonly get?: { readonly oneOf?: readonly A[] };
  /** HEAD accepts the `attributes`, and needs at least one of `oneOf`. */
  readonly head?: {
    readonly attributes: readonly A[];
    readonly oneOf?: readonly A[];
  };
  /** Attributes of POST. `withoutCompany`: the request names neither company nor user. */
  readonly post?: PayloadAttributes<A> & { readonly only?: AuthKind; readonly withoutCompany?: true };
  readonly put?: PayloadAttributes<A> & { readonly only?: AuthKind };
  /** Attributes that select the records to delete. A request can combine them, unless `exclusive` is set. */
  readonly delete?: {
    readonly by: readonly A[];
    readonly exclusive?: true;
  };
}

/** One problem in a request, for the person who wrote the request. */
export interface Finding {
  readonly attribute: string;
  readonly reason: Reason;
  readonly value?: unknown;
  /** Advice on how to correct the request, such as the value to write instead. */
  readonly instead?: string | Phrase | undefined;
}

/** Words that the interface uses in the content of messages. Each deployment has its own words (wire, "Vendor names"). */
export interface ContentMarkupNames {
  /** Text that marks the opt-in link in HTML, such as `%svc_optin%` in `<svc_link value="%svc_optin%">`. */
  readonly optInTag: string;
  readonly linkElement: string;
  readonly nameElement: string;
  /** Footer that the service adds to each e-mail: an unsubscribe link and the postal address, the link alone, or nothing. */
  readonly footer: 'full' | 'link' | 'none';
}

/** Names from the interface document. They apply to every deployment of the service that does not set other names. */
export const DEFAULT_CONTENT_MARKUP_NAMES: ContentMarkupNames = {
  optInTag: '%svc_optin%',
  linkElement: 'svc_link',
  nameElement: 'svc_name',
  footer: 'full',
};

/** A value in JSON. A whole number is a bigint only if a double can't hold it. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** JSON Schema 2020-12. svc describes fields and rules in this language for other programs. */
export type JsonSchema = JsonObject;

/** Returns a rule as JSON Schema. `formatOf` gives the schema of a format, such as `sub-keyword`. */
type ValidationRuleSchemaBuilder = (formatOf: (format: Format) => JsonSchema) => JsonSchema;

/**
 * A rule about several attributes of one record. `check` gets all attributes of a POST (`undefined` for omitted ones). For a PUT, the sandbox
 * passes the resulting record, and the client the body, if it has all in `needs`.
 */
export interface ValidationRule<A extends string = string> {
  /** Section of the interface document that defines this rule, such as `Automation rules 4`. */
  readonly section: string;
  readonly text: string;
  readonly attributes: readonly A[];
  /** Attributes that a body must contain so that the client can check the rule. Default: all `attributes`. */
  readonly needs?: readonly A[];
  /** A body matches the schema if and only if it passes `check`. Omitted if no schema can express the rule. */
  readonly schema?: ValidationRuleSchemaBuilder;
  check(values: Readonly<Partial<Record<A, Scalar>>>, words: ContentMarkupNames): Finding | undefined;
}

/** Returns the rule unchanged. The compiler infers its attribute names, so that `defineResource` can check them against the fields. */
export function defineValidationRule<const A extends string>(rule: ValidationRule<A>): ValidationRule<A> {
  return rule;
}

/** Verbs for which svc can write an example from the declaration of a resource. */
type ExampleVerb = 'get' | 'exists' | 'create' | 'update' | 'delete';

/** Texts that warn before a record is deleted. */
export interface DeleteWarning<A extends string = string> {
  /** Sentence that the help of the delete verb shows. */
  readonly about?: string;
  /** Returns the end of the question before a deletion, after the title of the record: what is deleted with it or remains. */
  readonly consequence: (record: Readonly<Partial<Record<A, unknown>>>) => string;
}

/** Describes how `svc undo` reverts a POST or a DELETE of a resource. If a member is omitted, that write can't be undone. */
interface UndoActions {
  /** Cancels or removes the created record. `never` is the reason why a POST can't be undone. */
  readonly create?: 'cancel' | 'remove' | { readonly never: string };
  /** Action by which `svc undo` reverts a DELETE: adds the removed record again. */
  readonly delete?: 'add';
}

/** Declaration of a resource without its fields. `A`: names of the attributes; `N`: name of the resource. */
interface Description<A extends string, N extends string> {
  /** Name in the path. It is case-sensitive. */
  readonly name: N;
  /** Noun on the command line (contract, "Nouns and verbs"). */
  readonly noun: string;
  /** Kind of the records, if several resources share one noun: click rules are the `click` variant of `automation`. */
  readonly variant?: string;
  readonly describe: string;
  /** Words for one record in the middle of a sentence, with the article: `a folder`. */
  readonly singular: string;
  /** Word or words for several records: `folders`. */
  readonly plural: string;
  readonly methods: Methods<A>;
  readonly rules?: readonly ValidationRule<A>[];
  /** Verbs of the command line for the methods POST, PUT and DELETE. Defaults: `create`, `update` and `delete`. */
  readonly verbs?: Readonly<Partial<Record<'post' | 'put' | 'delete', string>>>;
  /** Methods that the interface announces but does not have yet. */
  readonly announced?: readonly Method[];
  /** Attribute whose exact value can name a record on the command line: `name`, `username`, `contactdata`. */
  readonly calledBy?: A;
  /**
   * Attributes by which svc finds the created record after a lost response: a GET filters by those that it accepts, and all are compared with
   * the body. svc can't look up a record without them.
   */
  readonly identifiedBy: readonly A[];
  /**
   * Says how svc finds out whether a POST with an unknown outcome created a record.
   * - `note-first`: it has an id above the highest one that was read before the POST. Used if a POST sends messages to people.
   * - `send-again`: svc may repeat the POST, because the service keeps only one record.
   * - Undefined: it is not older (`cdate`) than the POST.
   */
  readonly inDoubt?: 'note-first' | 'send-again';
  readonly undo?: UndoActions;
  /** Attributes by which the service sorts by default, and among equal values of another attribute. Default: `id`. */
  readonly order?: readonly A[];
  /** Attributes whose values, joined by `_`, form the id of a record. */
  readonly compositeId?: readonly A[];
  /** Example command lines by verb, without `svc`, where the derived ones are not clear enough. Each must be valid. */
  readonly examples?: Readonly<Partial<Record<ExampleVerb, string>>>;
  readonly deleteWarning?: DeleteWarning<A>;
  /** Attribute by which `list` sorts, newest first. Default: by ascending id. */
  readonly newestBy?: A;
  /** Sentence that says where records come from, if the interface can't create them. */
  readonly comesFrom?: string;
  /** Columns, most important first: a narrow terminal omits the last ones. `status` is the result of `status.of`. */
  readonly columns: readonly (A | 'status')[];
  /** Columns that a narrow terminal omits last. Names, and what a row is about, need no entry. */
  readonly keptColumns?: readonly A[];
  /** Status in one word, from the attributes `from`, which a table with this column does not show. */
  readonly status?: {
    readonly from: readonly A[];
    /** Returns the status at `now`, in Unix seconds by the service's clock. */
    readonly of: (record: Readonly<Record<string, unknown>>, now: number) => string;
    /** Maps each status to attribute values that all records of this status have. `--status` uses them as filters. */
    readonly common: Readonly<Record<string, Readonly<Partial<Record<A, Scalar>>>>>;
  };
  /** Set if only partners may use the resource. A request needs a company id only where the interface says so. */
  readonly partnerOnly?: true;
  /** Set if each company has exactly one record. The noun of such a resource has no verb `list`. */
  readonly single?: true;
}

/** A kind of record that the service has: its fields, methods and rules, and its words on the command line. */
export interface Resource<A extends string = string, N extends string = string> extends Description<A, N> {
  readonly fields: Readonly<Record<A, Field>>;
}

/** A record of a resource that is only known at run time. A response may lack any attribute. */
export interface AnyRecord {
  readonly id?: Json;
  readonly name?: Json;
  readonly cdate?: Json;
  readonly cancelled?: Json;
  readonly completed?: Json;
  readonly contactdata?: Json;
  readonly [attribute: string]: Json;
}

/**
 * A record of a resource, with the attributes of its declaration. A newer service may send further attributes, which stay in the record but
 * not in its type. A record of one of several resources has their common attributes.
 */
export type RecordOf<R extends Resource> = string extends keyof R['fields']
  ? AnyRecord
  : {
      readonly [A in keyof R['fields'] & string as R['fields'][A] extends { readonly writeOnly: true }
        ? never
        : A]: ValueOf<A, R['fields'][A]>;
    };

/**
 * Body of a request about a record of a resource: any of the attributes of its declaration. The values of a body can have any kind, because
 * a request may be sent without checks (`--no-validate`).
 */
export type BodyOf<R extends Resource> = string extends keyof R['fields']
  ? Values
  : { readonly [A in keyof R['fields'] & string]?: Scalar };

/** Value of an attribute. An id may have more digits than a double holds; no other whole number does. */
type ValueOf<A extends string, F extends Field> = F extends Field
  ?
      | (Field['kind'] extends F['kind']
          ? Scalar
          : F['kind'] extends 'enum'
            ? NonNullable<F['values']>[number]
            : F['kind'] extends 'bool'
              ? boolean
              : F['kind'] extends 'string'
                ? string
                : A extends 'id' | `${string}_id`
                  ? number | bigint
                  : number)
      | (F extends { readonly nullable: true } ? null : never)
  : never;

/** Returns the declaration as a resource. The compiler checks that every attribute name in it is one of its fields. */
export function defineResource<const N extends string, F extends Readonly<Record<string, Field>>>(
  declaration: { readonly fields: F } & Description<NoInfer<keyof F & string>, N>,
): Resource<keyof F & string, N> & { readonly fields: F } {
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
export function payloadAttributesFor(
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
export function parseResourceId({ compositeId }: Resource, text: string): Id | undefined {
  if (!compositeId) return readIdText(text);
  const parts = text.split('_');
  return parts.length === compositeId.length && parts.every((part) => /^[0-9]{1,40}$/.test(part))
    ? text
    : undefined;
}

/** Joins the parts of a composite id, which are values of attributes. Returns undefined if a part is missing. */
export function joinCompositeId({ compositeId }: Resource, values: Values): string | undefined {
  const parts = compositeId?.map((name) => values[name]);
  return parts?.every((part) => part !== undefined && part !== null) ? parts.join('_') : undefined;
}

/** Throws `RangeError` if the resource has no such field. */
export function fieldOf(resource: Resource, attribute: string): Field {
  const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
  if (!field) throw new RangeError(`${resource.name} has no ${attribute}`);
  return field;
}

export function filtersOf(resource: Resource): readonly string[] {
  return Object.keys(resource.fields).filter((name) => resource.fields[name]?.filter);
}

export function sortAttributesOf(resource: Resource): readonly string[] {
  return Object.keys(resource.fields).filter((name) => resource.fields[name]?.sort);
}

/** Returns the attributes by which the service sorts records if a request names no sort attribute. */
export function defaultSortAttributesOf(resource: Resource): readonly string[] {
  return resource.order ?? ['id'];
}

/** Returns the order in which svc lists records. Without `sort`, the newest come first if the resource names an attribute for that. */
export function orderOf(
  { newestBy }: Resource,
  sort: string | undefined,
  isReversed: boolean,
): { readonly sort?: string; readonly reverse: boolean } {
  if (sort === undefined && newestBy !== undefined) return { sort: newestBy, reverse: !isReversed };
  return { ...(sort === undefined ? {} : { sort }), reverse: isReversed };
}

/** Throws. Used at the end of a `switch`, so that the compiler reports a missing case. */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${String(value)}`);
}
