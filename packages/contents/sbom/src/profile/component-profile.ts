import type { Component } from '../document/bom.ts';
import { extensionToProperties, propertiesToExtension } from './extension-properties.ts';
import type { Loss } from './loss.ts';
import { techniquesToSpec, techniquesToStandard } from './technique.ts';

/** The component without anything that the official schema does not know of. What it says twice is in `losses`. */
export function toStandardProfile(component: Component, path: string, losses: Loss[]): Component {
  return techniquesToStandard(extensionToProperties(component, path, losses));
}

/** The component in the contract's own words, which no official schema knows; nothing is lost. */
export function toSpecProfile(component: Component): Component {
  return propertiesToExtension(techniquesToSpec(component));
}
