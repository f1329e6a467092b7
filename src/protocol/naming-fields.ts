/**
 * Checks the new names that a deployment, an installation of the service, gives to attributes of the interface (docs/wire.md, "Vendor
 * names").
 */
import type { Resource } from '../schema/resource.ts';
import { similarWords } from '../text/similar-words.ts';
import { type Naming, NamingError } from './naming.ts';
import { LIST_QUERY_PARAMETERS } from './query.ts';

/**
 * Checks that a deployment, an installation of the service, can use its own attribute names. A new name applies to all resources, because
 * requests and responses don't say to which resource an attribute belongs.
 * @param resources resources of the interface. A new name must not be the name of one of their attributes, unless that attribute is renamed
 * too.
 * @param companions resources that the interface does not have (`--companions`). The deployment can rename attributes of these resources
 * too. A new name may be the same as the name of an attribute of these resources.
 * @throws NamingError that names the first unknown attribute, or the first name that can't be used
 */
export function checkFieldNames(
  { fields }: Naming,
  resources: readonly Resource[],
  companions: readonly Resource[] = [],
): void {
  const attributes = new Set([...resources, ...companions].flatMap((each) => Object.keys(each.fields)));
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
