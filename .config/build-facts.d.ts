export function commitOf(folder: string):
  | {
      readonly commit: string;
      readonly isModified: boolean;
      readonly seconds: number;
      readonly date: Date;
    }
  | undefined;
