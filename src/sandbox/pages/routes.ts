/** The routes of the pages. The code behind them is loaded on the first request. */
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { ControlContext, Operations } from '../control/operation.ts';
import { readServiceTime } from '../engine/clock.ts';

type App = Hono<{ Bindings: HttpBindings }>;

/** Adds the routes: `/`, `/ui/…` and the links that start a session, `/open/…`. */
export function addPageRoutes(app: App, sandbox: ControlContext, operations: Operations): void {
  let loaded: Promise<App> | undefined;
  const { store, environment } = sandbox.service;
  // Messages that were delivered before the start count as read.
  const started = readServiceTime(store.db, environment.machineNow()).catch(() => Number.POSITIVE_INFINITY);
  const load = async (): Promise<App> => {
    const { createPagesApp } = await import('./app.ts');
    return createPagesApp(sandbox, operations, await started);
  };
  for (const path of ['/', '/ui', '/ui/*', '/open/*'])
    app.all(path, async (context) => {
      loaded ??= load();
      return (await loaded).fetch(context.req.raw, context.env);
    });
}
