/** Tells a release who publishes it and where its pages are. package.json says so; some other files name the publisher, too. */

/** Domains that are reserved for examples and tests (RFC 2606, RFC 6761). */
const PLACEHOLDER = /[@./](?:example|invalid|test|localhost|example\.(?:com|net|org))(?=$|[/:>])/;

/**
 * Returns the addresses that the files of a release contain.
 * @param manifest the values of package.json
 * @param baseUrl address of the published files; by default, a folder of the homepage
 * @param naming texts of files that name the team or its repository, by path
 * @param isTrial true for a build that nobody publishes, which may contain placeholders
 * @throws Error for a placeholder
 */
export function publisherOf({ homepage, author, version }, { baseUrl, naming = {}, isTrial }) {
  const found = { homepage, maintainer: author, baseUrl: baseUrl ?? `${homepage}/releases/v${version}` };
  const names = {
    homepage: 'homepage in package.json',
    maintainer: 'author in package.json',
    baseUrl: '--base-url',
  };
  const placeholders = Object.entries(found).filter(([, value]) => PLACEHOLDER.test(value));
  for (const [path, text] of Object.entries(naming)) {
    const [name] = text.match(/@?\bexample\/[\w-]+/) ?? [];
    if (name !== undefined && !isTrial)
      throw new Error(`a release needs real names, but ${path} has ${name}. Set them, or add --trial.`);
  }
  if (placeholders.length > 0 && !isTrial)
    throw new Error(
      `a release needs real addresses, but ${placeholders.map(([name, value]) => `${names[name]} is ${value}`).join(', ')}. ` +
        'Set them, or add --trial for files that nobody publishes.',
    );
  return found;
}
