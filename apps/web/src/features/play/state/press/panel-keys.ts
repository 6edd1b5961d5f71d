import type { Band, Button } from "@longarm/contract/machine";

/** The keys of a machine's panel by what the page draws for them; a key without a place of its own is drawn by its label. */
export type PanelKeys = {
  /** SPIN: the first key that starts a game. */
  readonly wager: Button | undefined;
  readonly less: Button | undefined;
  readonly more: Button | undefined;
  readonly max: Button | undefined;
  /** The key of a band, by the band's id. */
  readonly bands: ReadonlyMap<string, Button>;
  /** Whatever else the cabinet has (collect, stop, lines, a second wager key), in the machine's order. */
  readonly others: readonly Button[];
  /** Keys that call for something and play nothing; they stand in the side bar. */
  readonly services: readonly Button[];
};

/** Keys whose meaning is in their id (contract.md section 3). */
const LESS = "betDown";
const MORE = "betUp";
const MAX = "maxBet";
/** A key that stops the reels: the one selection that is taken while they turn. */
export const STOP = "stop";

/** Sorts what a machine tells of its panel, so that no cabinet needs code of its own. */
export function panelKeys(buttons: readonly Button[], bands: readonly Band[]): PanelKeys {
  const byId = new Map(buttons.map((button) => [button.id, button]));
  const wager = buttons.find(({ kind }) => kind === "wager");
  const select = (id: string): Button | undefined => {
    const button = byId.get(id);
    return button?.kind === "select" ? button : undefined;
  };
  const bandKeys = new Map<string, Button>();
  for (const { id } of bands) {
    const button = select(`band:${id}`);
    if (button !== undefined) bandKeys.set(id, button);
  }
  const [less, more, max] = [select(LESS), select(MORE), select(MAX)];
  const placed = new Set([wager, less, more, max, ...bandKeys.values()]);
  return {
    ...{ wager, less, more, max, bands: bandKeys },
    others: buttons.filter((button) => button.kind !== "service" && !placed.has(button)),
    services: buttons.filter(({ kind }) => kind === "service"),
  };
}
