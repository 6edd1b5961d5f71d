import { setTimeout as pause } from "node:timers/promises";
import type { Meters } from "@longarm/contract/machine";
import { MACHINE_STATUS } from "@longarm/contract/machine";
import { systemTimers } from "@longarm/link/socket";
import { openNotifications } from "@longarm/load/account";
import type { Venue } from "@longarm/load/venue";
import type { PressOutcome } from "@longarm/load/visit";
import { Visit } from "@longarm/load/visit";
import * as z from "zod/mini";
import type { Chance } from "../../rig/chance.ts";
import type { Player } from "../../rig/player.ts";
import { playerIdOf, signIn } from "../../rig/player.ts";
import type { SoakPlayer } from "./soak-venue.ts";

/** Somebody without a browser who comes and goes by chance. */
export type LifeDeps = {
  readonly venue: Venue;
  readonly who: SoakPlayer;
  readonly machines: readonly string[];
  readonly chance: Chance;
  /** Told of each thing that was done. */
  readonly note: (deed: string) => void;
  goesOn(): boolean;
};

export type Life = LifeDeps & { account: Player | undefined };

const AGAIN_MS = [200, 1_000] as const;
const Lobby = z.array(z.object({ id: z.string(), status: z.number(), mine: z.optional(z.boolean()) }));

/** One visit after the other until told to stop. Whatever breaks is told, and the next visit begins. Never rejects. */
export async function live(deps: LifeDeps, visit: (life: Life) => Promise<void>): Promise<void> {
  const life: Life = { ...deps, account: undefined };
  while (life.goesOn()) {
    try {
      await visit(life);
    } catch (error) {
      life.note(`failed: ${error instanceof Error ? error.message.slice(0, 80) : String(error)}`);
      await rest(life, ...AGAIN_MS);
    }
  }
  await signOut(life).catch(() => {});
}

export async function signedIn(life: Life): Promise<Player> {
  if (life.account !== undefined) return life.account;
  life.account = await signIn(new URL(life.venue.href).origin, life.who);
  life.note("signs in");
  return life.account;
}

export async function signOut(life: Life): Promise<void> {
  const account = life.account;
  life.account = undefined;
  if (account === undefined) return;
  await account.call("player/logout", { method: "POST" });
  life.note("signs out");
}

/** Reads the lobby. Answers the machine where the own seat is kept, and those that are free. */
export async function readLobby(life: Life): Promise<{ readonly own: string | undefined; readonly free: string[] }> {
  const account = await signedIn(life);
  const answer = await account.call("machine/all");
  if (answer.status === 401) life.account = undefined;
  if (!answer.ok) throw new Error(`the lobby answered ${answer.status}`);
  const floor = z.parse(Lobby, await answer.json()).filter(({ id }) => life.machines.includes(id));
  return {
    own: floor.find(({ mine }) => mine)?.id,
    free: floor.filter(({ status }) => status === MACHINE_STATUS.available).map(({ id }) => id),
  };
}

/** The lobby's own socket, open while `inside` goes on. */
export async function inLobby(life: Life, inside: () => Promise<unknown>): Promise<void> {
  const account = await signedIn(life);
  const { token } = account;
  const { next: random } = life.chance;
  const close = openNotifications(life.venue, { token, id: playerIdOf(account) }, { timers: systemTimers, random });
  try {
    await inside();
  } finally {
    close();
  }
}

export async function post({ account }: Life, path: string, body: object = {}): Promise<boolean> {
  const answer = await account?.call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer?.ok ?? false;
}

/** Ends early when the soak does. */
export async function rest(life: Pick<Life, "chance" | "goesOn">, least: number, most: number): Promise<void> {
  const endsAt = performance.now() + life.chance.between(least, most);
  while (life.goesOn() && performance.now() < endsAt)
    await pause(Math.min(250, Math.max(1, endsAt - performance.now())));
}

/** A place at a machine with its picture, as its player or as one who watches. */
export type Seat = {
  readonly machineId: string;
  request: Visit["request"];
  press(button: string, stake: number): Promise<PressOutcome>;
  meters(): Meters | undefined;
  /** The venue has ended it for good. */
  closed(): boolean;
  /** True once the first picture was whole. */
  sees(): boolean;
  /** The link is gone for a moment: it comes back by itself. */
  cut(): void;
  /** As a page that is shut: the socket and the picture end, nothing is said. */
  drop(): Promise<void>;
};

type SeatAsk = {
  readonly venue: Venue;
  readonly token: string;
  readonly machineId: string;
  readonly role: "player" | "spectator";
  readonly random: () => number;
};

/** Longer than every deadline of the socket, ms. */
const ANSWER_MS = 30_000;

/** Answers what stood in the way in one word, such as that somebody else sits there. */
export async function openSeat({ random, ...asked }: SeatAsk): Promise<Seat | string> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let closed = false;
  const visit = new Visit(asked, {
    ...{ timers: systemTimers, now: () => performance.now(), random },
    seated: () => resolve(undefined),
    refused({ name, code }) {
      closed = true;
      resolve(name ?? String(code));
    },
    closed(reason) {
      closed = true;
      resolve(reason);
    },
  });
  const timer = setTimeout(() => resolve("no answer"), ANSWER_MS);
  const obstacle = await promise;
  clearTimeout(timer);
  if (obstacle !== undefined) {
    await visit.end();
    return obstacle;
  }
  return {
    machineId: asked.machineId,
    request: (method, data) => visit.request(method, data),
    press: (button, stake) => visit.press(button, stake),
    meters: () => visit.meters,
    closed: () => closed,
    sees: () => visit.picture.receiver?.firstPictureAtMs !== undefined,
    cut: () => visit.cut(),
    drop: () => visit.end(),
  };
}
