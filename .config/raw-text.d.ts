/** Returns a plug-in for Rolldown and Vite. */
export function rawText(): { readonly name: string };
