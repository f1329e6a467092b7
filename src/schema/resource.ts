/** The words for declaring a resource: its table of fields, and what each method takes. */
import type { Field, Scalar } from './field.ts';
import { type Id, readIdText } from './integer.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Attributes of a resource, by their neutral names. */
export type Values = Readonly<Record<string, Scalar>>;

/** Which kind of credentials a request carries (interface, "Authentication"). */
export type AuthKind = 'company' | 'partner';

/** What the body of a POST or PUT takes. `partner` lists what partner authentication takes besides. */
export interface Payload<A extends string = string> {
  readonly required?: readonly A[];
  readonly optional?: readonly A[];
  readonly partner?: {
    readonly required?: readonly A[];
    readonly optional?: readonly A[];
  };
}

export interface Methods<A extends string = string> {
  /** `oneOf`: at least one of these filters must be present. Absent only where nothing but POST is supported. */
  readonly get?: { readonly oneOf?: readonly A[] };
  /** The attributes that HEAD takes; `oneOf` as for get. Absent: unsupported. */
  readonly head?: {
    readonly attributes: readonly A[];
    readonly oneOf?: readonly A[];
  };
  /** `withoutCompany`: the request names neither company nor user. */
  readonly post?: Payload<A> & { readonly only?: AuthKind; readonly withoutCompany?: true };
  readonly put?: Payload<A> & { readonly only?: AuthKind };
  /** The attributes that name what to delete: any of them, but `exclusive` ones never together. */
  readonly delete?: {
    readonly by: readonly A[];
    readonly exclusive?: true;
  };
}

/** One thing wrong with a request, in the words of its user. */
export interface Finding {
  readonly attribute: string;
  /** The rule that is broken. */
  readonly reason: string;
  readonly value?: unknown;
  /** What to do instead. */
  readonly instead?: string | undefined;
}

/** Words that the interface makes part of a message's content; a deployment has its own (wire, "Vendor names"). */
export interface ContentWords {
  /** The `value` of the opt-in link in HTML. */
  readonly optInTag: string;
  readonly linkElement: string;
  readonly nameElement: string;
}

export const NEUTRAL_WORDS: ContentWords = {
  optInTag: '%svc_optin%',
  linkElement: 'svc_link',
  nameElement: 'svc_name',
};

/**
 * A rule that ties attributes together and needs no stored data.
 * `check` sees what is known: of a POST all attributes, with those left out `undefined`; of a PUT the record as it
 * would be (service) or only what is sent (client, which asks only when all that the rule `needs` is among it).
 */
export interface Rule<A extends string = string> {
  /** Where the interface says so: 'Automation rules 4'. */
  readonly section: string;
  readonly text: string;
  readonly attributes: readonly A[];
  /** What must be known before a partial body can be judged; all `attributes` unless said otherwise. */
  readonly needs?: readonly A[];
  readonly check: (
    values: Readonly<Record<string, Scalar | undefined>>,
    words: ContentWords,
  ) => Finding | undefined;
}

/** A rule with the attributes that it names known to the compiler, for `defineResource` to hold against the fields. */
export function defineRule<const A extends string>(rule: Rule<A>): Rule<A> {
  return rule;
}

/** The verbs that are made from the declaration alone. */
export type ExampleVerb = 'get' | 'exists' | 'create' | 'update' | 'delete';

export interface DeleteWarning<A extends string = string> {
  /** A sentence of the help. */
  readonly about?: string;
  /** The end of the question, after the title of the record: what goes with it, or stays. */
  readonly consequence: (record: Readonly<Partial<Record<A, unknown>>>) => string;
}

/** How `svc undo` takes back what a POST or DELETE did; what is left out stays as it is. */
export interface Undo {
  /** `cancel` and `remove` what was made; `never` says why it can't be taken back. */
  readonly create?: 'cancel' | 'remove' | { readonly never: string };
  /** `add` what was removed once more. */
  readonly delete?: 'add';
}

/** All of a resource but its fields. `A`: the names of its attributes, `N`: its own. */
interface Description<A extends string, N extends string> {
  /** As it stands in the path; case counts. */
  readonly name: N;
  /** The word on the command line (contract, "Nouns and verbs"). */
  readonly noun: string;
  /** Which of several resources under one noun: `click` of `automation`. */
  readonly variant?: string;
  readonly describe: string;
  /** One record in the middle of a sentence, with its article: `a folder`. */
  readonly singular: string;
  /** Several of them: `folders`. */
  readonly plural: string;
  readonly methods: Methods<A>;
  readonly rules?: readonly Rule<A>[];
  /** Where the command line says another word than list, get, exists, create, update, delete. */
  readonly verbs?: Readonly<Partial<Record<'post' | 'put' | 'delete', string>>>;
  /** Methods that the interface announces and doesn't have yet. */
  readonly announced?: readonly Method[];
  /** The attribute by whose exact value people name one: `name`, `username`, `contactdata`. */
  readonly calledBy?: A;
  /**
   * Attributes that identify what a POST has just made, when its answer was lost: those marked F are asked for, all
   * are compared. Empty: no look-up can tell.
   */
  readonly identifiedBy: readonly A[];
  /**
   * `note-first`: people are reached by it, so the highest id there is noted before a POST, and nothing up to it is
   * taken for what was made. `send-again`: the same POST once more is harmless, the service holds one. Left out: what
   * is no older than the attempt, by cdate, is taken for what it made.
   */
  readonly inDoubt?: 'note-first' | 'send-again';
  readonly undo?: Undo;
  /** The order that holds when a request names no sort, and among ties of one; `id` where nothing else is said. */
  readonly order?: readonly A[];
  /** The attributes whose values, joined by `_`, are its id. */
  readonly compositeId?: readonly A[];
  /** By verb a command line that works, without `svc`, where the one that can be derived tells too little. */
  readonly examples?: Readonly<Partial<Record<ExampleVerb, string>>>;
  /** What people should know before they delete one. */
  readonly deleteWarning?: DeleteWarning<A>;
  /** A person who lists them on a terminal looks for what comes next: those that are `open`, in ascending order of `by`. */
  readonly nextFirst?: { readonly open: Readonly<Partial<Record<A, Scalar>>>; readonly by: A };
  /** Where they come from, as a sentence, when the interface has no way to make one. */
  readonly comesFrom?: string;
  /**
   * Columns of the table, most telling first: the last ones are left out where a terminal is narrow. `status` stands for
   * the one word of `status` below.
   */
  readonly columns: readonly (A | 'status')[];
  /** What it is doing in one word, worked out from attributes that a table shows no more then. */
  readonly status?: {
    readonly from: readonly A[];
    /** @param now Unix seconds by the service's clock */
    readonly of: (record: Readonly<Record<string, unknown>>, now: number) => string;
  };
  /** Endpoint for partners: needs a company id only where the interface says so. */
  readonly partnerOnly?: true;
  /** One record a company: no list verb. */
  readonly single?: true;
}

export interface Resource<A extends string = string, N extends string = string> extends Description<A, N> {
  readonly fields: Readonly<Record<A, Field>>;
}

/** A resource as it is, once the compiler has held every attribute that it names against its fields. */
export function defineResource<const N extends string, A extends string>(
  declaration: { readonly fields: Readonly<Record<A, Field>> } & Description<NoInfer<A>, N>,
): Resource<A, N> {
  return declaration;
}

/** Whether the interface has this method for the resource at all, whoever asks. */
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

/** The attributes that a POST or PUT takes from this kind of caller; `id` of a PUT is not among them. */
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

/** The id that `text` is: a whole number, or the parts of a composite one. Undefined where it is none. */
export function readIdOf({ compositeId }: Resource, text: string): Id | undefined {
  if (!compositeId) return readIdText(text);
  const parts = text.split('_');
  return parts.length === compositeId.length && parts.every((part) => /^[0-9]{1,40}$/.test(part))
    ? text
    : undefined;
}

/** Returns the composite id that `values` name by its parts; undefined where a part is missing. */
export function idFromKeys({ compositeId }: Resource, values: Values): string | undefined {
  const parts = compositeId?.map((name) => values[name]);
  return parts?.every((part) => part !== undefined && part !== null) ? parts.join('_') : undefined;
}

/** The attributes of a table, in its order. */
export function attributesOf<A extends string>(fields: Readonly<Record<A, Field>>): readonly A[] {
  return Object.keys(fields) as A[];
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
