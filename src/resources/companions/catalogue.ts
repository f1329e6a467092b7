/**
 * Resources that a sandbox serves in addition to the eighteen if it is started with `--companions`. They are neither part of the interface
 * nor nouns of the command line, so they have a catalogue of their own (`src/protocol/README.md`, "Companions").
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

/** Names of all resources that a sandbox may serve. */
export type ServedName = ResourceName | CompanionName;
export type ServedResource = CatalogueResource | CompanionResource;
