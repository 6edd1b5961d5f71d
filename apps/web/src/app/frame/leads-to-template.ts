import type { Settings } from "@longarm/contract/settings";

/**
 * Whether a player's interface leads to the template's pages and panels. By default it does not: a casino's player has no use for them,
 * and the pages stay reachable by their addresses.
 */
export const leadsToTemplate = ({ showTemplatePages, showTemplateKeys }: Settings): boolean =>
  showTemplatePages && showTemplateKeys;
