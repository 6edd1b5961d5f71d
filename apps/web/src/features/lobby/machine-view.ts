import type { LobbyMachine, MachineState } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import type { TextKey } from "../../shared/i18n/text-key.ts";

/** What a cabinet says: its light, its word, what can be done, and why not. */
type MachineView = {
  readonly lamp: LampStatus;
  readonly word: TextKey;
  /** `continue`: the seat is kept for this player. `watch`: somebody else plays it. Undefined: nothing, `refusal` says why. */
  readonly action: "play" | "continue" | "watch" | undefined;
  readonly refusal: TextKey | undefined;
  /** Somebody else has it, and a player may wait for it. */
  readonly waits: boolean;
};

/** Status numbers of this platform, by number as text (settings). */
export type StatusMap = Readonly<Record<string, MachineState>>;

const LAMPS: Readonly<Record<MachineState, LampStatus>> = {
  available: "available",
  playing: "playing",
  waiting: "waiting",
  reserved: "reserved",
  notAvailable: "off",
};

const REFUSALS: Readonly<Record<MachineState, TextKey | undefined>> = {
  available: undefined,
  playing: "lobby.cannotPlaying",
  waiting: "lobby.cannotWaiting",
  reserved: "lobby.cannotReserved",
  notAvailable: "lobby.cannotNotAvailable",
};

/** A number that the settings do not know means not available (decision D-22). */
function stateOf(status: number, map: StatusMap): MachineState {
  const number = String(status);
  return (Object.hasOwn(map, number) ? map[number] : undefined) ?? "notAvailable";
}

export function isMine(machine: LobbyMachine, open: OpenSession | undefined): boolean {
  return machine.mine === true || open?.id === machine.id;
}

export function viewMachine(machine: LobbyMachine, map: StatusMap, mine: boolean): MachineView {
  const state = stateOf(machine.status, map);
  // Others see status 3 from sit to settled; for its own player a kept seat waits.
  if (mine && (state === "playing" || state === "waiting")) {
    return { lamp: "waiting", word: "lobby.waitingMine", action: "continue", refusal: undefined, waits: false };
  }
  if (state === "reserved" && isReservedForMe(machine)) {
    return { lamp: "reserved", word: "lobby.reservedMine", action: "play", refusal: undefined, waits: false };
  }
  const lamp = LAMPS[state];
  const word = state === "reserved" && machine.called === true ? "lobby.nextCalled" : (`lobby.${state}` as const);
  const waits = machine.waiting !== undefined && state !== "available" && state !== "notAvailable";
  if (state === "playing" && machine.watchable) return { lamp, word, action: "watch", refusal: undefined, waits };
  return { lamp, word, action: state === "available" ? "play" : undefined, refusal: REFUSALS[state], waits };
}

function isReservedForMe({ reservation }: LobbyMachine): boolean {
  return typeof reservation === "object" && reservation?.mine === true;
}

/** Until when it is reserved, when the platform says it (decision D-27: tolerate any shape). */
export function reservedUntil({ reservation }: LobbyMachine): string | undefined {
  return (typeof reservation === "object" && reservation?.until) || undefined;
}

/** Whom it is reserved for, when the platform says it. */
export function reservedFor({ reservation }: LobbyMachine): string | undefined {
  if (typeof reservation === "string") return reservation;
  return (typeof reservation === "object" && reservation?.name) || undefined;
}

/** A list never changes, so its index is made once. */
const indexes = new WeakMap<readonly LobbyMachine[], ReadonlyMap<string, LobbyMachine>>();

/** A machine of a list by its id. */
export function machineIn(machines: readonly LobbyMachine[] | undefined, id: string): LobbyMachine | undefined {
  if (machines === undefined) return undefined;
  const known = indexes.get(machines) ?? new Map(machines.map((machine) => [machine.id, machine]));
  indexes.set(machines, known);
  return known.get(id);
}

/** Longer names are no file names. */
const NAME_MAX = 100;

/** A brand's name as one part of an address, whatever it is made of. */
const partOf = (brand: string) => encodeURIComponent(brand.slice(0, NAME_MAX).toWellFormed());

/** The image of a brand's machines (R-2.6-07). */
const machinePicture = (brand: string): string => `/assets/machines/${partOf(brand)}.png`;
/** The art of a brand's sign. */
export const brandSign = (brand: string): string => `/assets/brands/${partOf(brand)}.svg`;

/** The addresses tried for a machine's image, in this order: its own, its brand's. */
export function picturesOf(
  { image, brand }: Pick<LobbyMachine, "image" | "brand">,
  still: (image: string) => string | undefined,
): string[] {
  const own = image ? still(image) : undefined;
  return [...(own === undefined ? [] : [own]), ...(brand === "" ? [] : [machinePicture(brand)])];
}
