/** A money command that broke off on this node: nobody waits for its answer, and whether it is written down is not known. */
export type LooseEnd = {
  readonly machineId: string;
  readonly transferId: string;
  /** Who was told "unknown" of it, under the id given by the web; null: nobody. */
  readonly told: { readonly playerId: string; readonly id: string } | null;
};

/** What broke off on this node and was not looked at since. What a node forgets by its end, the next one finds by its name. */
export type LooseEnds = Map<string, LooseEnd>;
