/** Versions of the packages whose text the bundle edits, or whose internal files the client imports. */
export const EDITED_VERSIONS: Readonly<Record<string, string>>;
