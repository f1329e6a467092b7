/** Declares `svc agent …`, which prepares AI assistants to work with svc. */
import type { Group, TopLevelCommandEntry } from '../../command/command.ts';
import { agentGuide } from './guide.ts';
import { agentSetup } from './setup.ts';
import { agentSkill } from './skill.ts';

export const agentGroup = (entries: () => readonly TopLevelCommandEntry[]): Group => ({
  name: 'agent',
  summary: 'Prepare AI assistants to work with svc',
  commands: [agentGuide(entries), agentSkill(entries), agentSetup],
});
