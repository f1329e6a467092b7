/** A plug-in of Rolldown and of Vite. */
export function rawText(): { readonly name: string };
