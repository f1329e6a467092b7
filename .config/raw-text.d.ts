/** Returns a plug-in for Rolldown and Vite. */
export function rawText(options?: { readonly quality?: number }): { readonly name: string };
