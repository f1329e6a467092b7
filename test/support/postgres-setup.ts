/** Starts one server for the whole of `npm run test:postgres`, with an empty store to copy. */
import { openStore } from '../../src/sandbox/store/open.ts';
import { offerPostgres, runSql, startCluster } from './postgres.ts';

export async function setup(): Promise<() => void> {
  const cluster = await startCluster();
  const template = 'svc_template';
  runSql(cluster.url, `create database ${template}`);
  await (await openStore(cluster.urlOf(template))).close();
  offerPostgres({ url: cluster.url, template });
  return cluster.remove;
}
