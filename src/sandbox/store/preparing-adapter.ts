import { SqliteAdapter } from 'kysely';
import type { Statements } from './statements.ts';

/** Kysely hands its adapter on to whatever is made from it, transactions above all. */
export class PreparingAdapter extends SqliteAdapter {
  readonly statements: Statements;

  constructor(statements: Statements) {
    super();
    this.statements = statements;
  }
}
