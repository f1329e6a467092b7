import { SqliteAdapter } from 'kysely';
import type { Statements } from './statements.ts';

/** An adapter with prepared statements. Kysely passes its adapter on to derived objects such as transactions. */
export class PreparingAdapter extends SqliteAdapter {
  readonly statements: Statements;

  constructor(statements: Statements) {
    super();
    this.statements = statements;
  }
}
