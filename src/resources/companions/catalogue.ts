/**
 * What a sandbox answers beside the eighteen resources when it is started with `--companions`: no part of the interface, and
 * no noun of the command line, so it stands in a catalogue of its own (`src/protocol/README.md`, "Companions").
 */
import type { Resource } from '../../schema/resource.ts';
import type { CatalogueResource, ResourceName } from '../catalogue.ts';
import { emailOptIn } from './email-opt-in.ts';
import { list } from './list.ts';
import { subscriber } from './subscriber.ts';
import { subscriberProfileField } from './subscriber-profile-field.ts';
import { subscription } from './subscription.ts';
import { token } from './token.ts';

const resources = [list, subscriber, subscription, subscriberProfileField, token, emailOptIn] as const;

export type CompanionName = (typeof resources)[number]['name'];
export type CompanionResource = Resource<string, CompanionName>;

export const companions: readonly CompanionResource[] = resources;

/** All that a sandbox may answer. */
export type ServedName = ResourceName | CompanionName;
export type ServedResource = CatalogueResource | CompanionResource;
