/**
 * Checks the new names that a deployment, an installation of the service, gives to attributes of the interface (docs/wire.md, "Vendor
 * names").
 */
import type { Resource } from '../../kit/schema/resource.ts';
import { similarWords } from '../../kit/text/words.ts';
import { type Naming, NamingError } from './naming.ts';
import { LIST_QUERY_PARAMETERS } from './query.ts';

/**
 * Checks the names that an installation of the service uses instead of the interface's attribute names. A name must not be the name of
 * another attribute of the interface, unless that attribute has a new name too.
 * @param resources resources of the interface
 * @param sandboxOnlyResources resources that only a sandbox has (`--companions`). Their attributes may be renamed too. A new name may equal
 * the name of an attribute that only these resources have.
 * @throws NamingError that names the first unknown attribute, or the first name that can't be used
 */
export function checkFieldNames(
  { fields }: Naming,
  resources: readonly Resource[],
  sandboxOnlyResources: readonly Resource[] = [],
): void {
  const attributes = new Set(
    [...resources, ...sandboxOnlyResources].flatMap((each) => Object.keys(each.fields)),
  );
  for (const [neutral, own] of Object.entries(fields)) {
    if (!attributes.has(neutral)) throw noSuchAttribute(neutral, [...attributes].sort());
    if (LIST_QUERY_PARAMETERS.includes(own))
      throw new NamingError(
        `naming.fields cannot rename the attribute ${neutral} to ${own}: a query parameter has the name ${own}`,
        `names of query parameters: ${LIST_QUERY_PARAMETERS.join(', ')}`,
      );
    if (own === neutral || Object.hasOwn(fields, own)) continue;
    const owner = resources.find((each) => Object.hasOwn(each.fields, own));
    if (owner)
      throw new NamingError(
        `naming.fields cannot rename the attribute ${neutral} to ${own}: ${owner.name} has an attribute with the name ${own}`,
        `choose another name for ${neutral}, or also rename the existing attribute ${own}`,
      );
  }
}

function noSuchAttribute(name: string, attributes: readonly string[]): NamingError {
  const near = similarWords(name, attributes);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  return new NamingError(
    `naming.fields: unknown attribute ${name}`,
    `${meant}attributes: ${attributes.join(', ')}`,
  );
}
