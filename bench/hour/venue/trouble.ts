/** What is broken on purpose now, and for whom. */
export type Trouble = {
  /** Something breaks for these players. Call the answer once it is mended. */
  begin(players: readonly string[]): () => void;
  /** For how long nothing has been broken for this player, ms; 0 while something is. */
  calmMs(player: string): number;
};

/** `now`: ms of a clock that only goes forward. */
export function createTrouble(now: () => number): Trouble {
  const began = now();
  const open = new Set<readonly string[]>();
  const mended = new Map<string, number>();
  return {
    begin(players) {
      const hurt = [...players];
      open.add(hurt);
      return () => {
        if (!open.delete(hurt)) return;
        for (const player of hurt) mended.set(player, now());
      };
    },
    calmMs(player) {
      if ([...open].some((hurt) => hurt.includes(player))) return 0;
      return now() - (mended.get(player) ?? began);
    },
  };
}
