import { createHash } from "node:crypto";
import type { Brand, LobbyMachine } from "@longarm/contract/lobby-lists";
import { cardOf } from "@longarm/contract/lobby-lists";
import type * as z from "zod/mini";
import type { MachineView } from "../session/index.ts";
import type { StillLinks } from "./stills.ts";

/** Path parts that are calls of their own and can be no brand. */
const TAKEN = new Set(["all", "brands"]);

/** A brand's id, made of its name: it is part of addresses, so it has plain letters, digits and dashes. */
export function brandIdOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll("ı", "i")
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (plain === "") return `b-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
  return TAKEN.has(plain) ? `${plain}-brand` : plain;
}

/** The brands of the machines, in the machines' order, with the jackpots of each, largest first. */
export function brandsOf(machines: readonly MachineView[]): z.input<typeof Brand>[] {
  const byBrand = Map.groupBy(machines, ({ brand }) => brandIdOf(brand));
  return [...byBrand].map(([id, members]) => {
    const jackpots = jackpotsOf(members);
    return {
      id,
      name: members[0]?.brand ?? id,
      jackpot: jackpots.map(({ amount }) => amount).join(","),
      jackpotNames: jackpots.map(({ name }) => name),
      machineCount: members.length,
    };
  });
}

/** Machines of a brand share a jackpot of one name; while their last words differ the largest is the newest, as it only grows. */
function jackpotsOf(machines: readonly MachineView[]): { name: string; amount: number }[] {
  const largest = new Map<string, number>();
  for (const { name, amount } of machines.flatMap(({ jackpots }) => jackpots)) {
    largest.set(name, Math.max(amount, largest.get(name) ?? 0));
  }
  return [...largest].map(([name, amount]) => ({ name, amount })).sort((one, other) => other.amount - one.amount);
}

/** A machine as the lobby shows it. Without a still the web shows the brand's image. */
export function lobbyMachine(machine: MachineView, links: StillLinks): z.input<typeof LobbyMachine> {
  const { id, name, status, brand, watchable, waiting, called, denomination, stillTag, mine, until, reservation } =
    machine;
  return {
    id,
    name,
    status,
    brand,
    watchable,
    denomination,
    ...(waiting !== undefined && { waiting }),
    ...(called && { called }),
    ...cardOf(machine),
    ...(stillTag !== null && { image: links.linkTo(id, stillTag) }),
    ...(reservation && { reservation }),
    ...(mine && { mine, ...(until !== null && { until }) }),
  };
}
