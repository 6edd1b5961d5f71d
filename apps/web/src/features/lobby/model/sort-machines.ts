import type { LobbyMachine } from "@longarm/contract/machine";

/** Orders of the floor. `recommended`: the platform's own. */
export const SORTS = ["recommended", "jackpot", "stake", "name", "recent"] as const;
export type Sort = (typeof SORTS)[number];

type Known = { readonly recent: readonly string[]; readonly jackpots: ReadonlyMap<string, number> };

/** Numbers in names count as numbers: "Nar 2" comes before "Nar 11". One collator: a floor may have thousands of machines. */
const names = new Intl.Collator("tr", { numeric: true, sensitivity: "base" });

/** The machines in the chosen order. What the order knows nothing of comes last, as the platform has it. */
export function sortMachines(machines: readonly LobbyMachine[], sort: Sort, known: Known): readonly LobbyMachine[] {
  if (sort === "recommended") return machines;
  if (sort === "name") return machines.toSorted((one, other) => names.compare(one.name, other.name));
  const rank = ranks[sort](known);
  return machines
    .map((machine) => ({ machine, at: rank(machine) }))
    .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at))
    .map(({ machine }) => machine);
}

/** The smallest comes first. */
const ranks = {
  jackpot:
    ({ jackpots }: Known) =>
    ({ brand }: LobbyMachine) =>
      -(jackpots.get(brand) ?? -1),
  stake:
    () =>
    ({ stakes }: LobbyMachine) =>
      stakes?.min ?? Number.POSITIVE_INFINITY,
  recent({ recent }: Known) {
    const places = new Map(recent.map((id, place) => [id, place]));
    return ({ id }: LobbyMachine) => places.get(id) ?? Number.POSITIVE_INFINITY;
  },
} satisfies Record<Exclude<Sort, "recommended" | "name">, (known: Known) => (machine: LobbyMachine) => number>;
