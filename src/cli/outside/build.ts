/** Facts about this build of svc. The bundler replaces this file (`.config/build-facts.js`); without a build, the facts are unknown. */
export const BUILD: {
  /** Commit of the source. It ends in `-modified` if the source had uncommitted changes. */
  readonly commit: string | null;
  /** Time of the commit (ISO 8601), so that two builds of one commit are the same. */
  readonly date: string | null;
  /** Systems for which the release has an executable. */
  readonly targets: readonly string[];
} = { commit: null, date: null, targets: [] };
